//! What a module wants from its host.
#![forbid(unsafe_code)]
