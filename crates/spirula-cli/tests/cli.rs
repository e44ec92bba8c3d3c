//! The command lines under `tests/cli`.

fn main() -> std::process::ExitCode {
    spirula_filetest::run_commands(env!("CARGO_BIN_EXE_spirula"))
}
