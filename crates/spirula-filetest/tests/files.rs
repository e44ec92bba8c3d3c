//! Every `.spvasm` file under `tests/`.

fn main() -> std::process::ExitCode {
    spirula_filetest::run_modules()
}
