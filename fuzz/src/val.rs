use spirula_binary::words_from_bytes;
use spirula_val::{Options, Validator};

/// Validation ends with a verdict, which is the same the second time.
pub fn val(bytes: &[u8]) {
    let Ok(words) = words_from_bytes(bytes) else { return };
    for env in ["spv1.6", "vulkan1.4", "opencl2.2"] {
        let mut validator = Validator::new(env.parse().ok(), Options::default());
        let first = validator.validate(&words).map(|_| ()).map_err(|r| r.diagnostics);
        let second = validator.validate(&words).map(|_| ()).map_err(|r| r.diagnostics);
        assert_eq!(first, second);
    }
}
