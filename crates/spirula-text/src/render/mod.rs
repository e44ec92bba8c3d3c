//! Shows diagnostics to people and machines.
