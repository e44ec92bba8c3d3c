//! Names of numbers, for the comments and for types of HLSL.

use alloc::string::String;

use super::model::{decorated, kind};

/// Names of the bits of a mask that has other names than those below.
pub(super) fn mask(bits: u32, names: &[(u32, &str)]) -> String {
    if bits == 0 {
        return "NONE".into();
    }
    let mut text = String::new();
    for (bit, name) in names {
        if bits & bit != 0 {
            text += name;
            text.push(' ');
        }
    }
    if text.is_empty() { "???".into() } else { text }
}

pub(super) const TYPE_FLAGS: &[(u32, &str)] = &[
    (kind::ARRAY, "ARRAY"),
    (kind::STRUCT, "STRUCT"),
    (kind::REFERENCE, "REF"),
    (kind::BLOCK, "EXTERNAL_BLOCK"),
    (kind::SAMPLED_IMAGE, "EXTERNAL_SAMPLED_IMAGE"),
    (kind::SAMPLER, "EXTERNAL_SAMPLER"),
    (kind::IMAGE, "EXTERNAL_IMAGE"),
    (kind::MATRIX, "MATRIX"),
    (kind::VECTOR, "VECTOR"),
    (kind::FLOAT, "FLOAT"),
    (kind::INT, "INT"),
    (kind::BOOL, "BOOL"),
    (kind::VOID, "VOID"),
];

pub(super) const DECORATIONS: &[(u32, &str)] = &[
    (decorated::PER_TASK, "PER_TASK"),
    (decorated::PER_VERTEX, "PER_VERTEX"),
    (decorated::NON_READABLE, "NON_READABLE"),
    (decorated::RELAXED_PRECISION, "RELAXED_PRECISION"),
    (decorated::NON_WRITABLE, "NON_WRITABLE"),
    (decorated::FLAT, "FLAT"),
    (decorated::NO_PERSPECTIVE, "NOPERSPECTIVE"),
    (decorated::BUILT_IN, "BUILT_IN"),
    (decorated::PATCH, "PATCH"),
    (decorated::COLUMN_MAJOR, "COLUMN_MAJOR"),
    (decorated::ROW_MAJOR, "ROW_MAJOR"),
    (decorated::BUFFER_BLOCK, "BUFFER_BLOCK"),
    (decorated::BLOCK, "BLOCK"),
    (decorated::WEIGHT_TEXTURE, "WEIGHT_TEXTURE"),
    (decorated::BLOCK_MATCH_TEXTURE, "BLOCK_MATCH_TEXTURE"),
];

pub(super) fn descriptor(kind: u32) -> &'static str {
    match kind {
        0 => "VK_DESCRIPTOR_TYPE_SAMPLER",
        1 => "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER",
        2 => "VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE",
        3 => "VK_DESCRIPTOR_TYPE_STORAGE_IMAGE",
        4 => "VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER",
        5 => "VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER",
        6 => "VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER",
        7 => "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER",
        10 => "VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT",
        1_000_150_000 => "VK_DESCRIPTOR_TYPE_ACCELERATION_STRUCTURE_KHR",
        _ => "???",
    }
}

pub(super) fn resource(kind: u32) -> &'static str {
    match kind {
        0 => "UNDEFINED",
        1 => "SAMPLER",
        2 => "CBV",
        4 => "SRV",
        8 => "UAV",
        _ => "???",
    }
}

/// `VkShaderStageFlagBits` of an execution model, with its short name.
pub(super) fn stage(model: u32) -> (u32, &'static str) {
    match model {
        0 => (0x1, "VS"),
        1 => (0x2, "HS"),
        2 => (0x4, "DS"),
        3 => (0x8, "GS"),
        4 => (0x10, "PS"),
        5 => (0x20, "CS"),
        5267 | 5364 => (0x40, "TASK"),
        5268 | 5365 => (0x80, "MESH"),
        5313 => (0x100, "RAYGEN"),
        5314 => (0x1000, "INTERSECTION"),
        5315 => (0x200, "ANY_HIT"),
        5316 => (0x400, "CLOSEST_HIT"),
        5317 => (0x800, "MISS"),
        5318 => (0x2000, "CALLABLE"),
        _ => (0, "???"),
    }
}

/// The types of HLSL that may stand in `UserTypeGOOGLE`, as the report spells them.
const USER_TYPES: &[&str] = &[
    "cbuffer",
    "tbuffer",
    "AppendStructuredBuffer",
    "Buffer",
    "ByteAddressBuffer",
    "ConstantBuffer",
    "ConsumeStructuredBuffer",
    "InputPatch",
    "OutputPatch",
    "RasterizerOrderedBuffer",
    "RasterizerOrderedByteAddressBuffer",
    "RasterizerOrderedStructuredBuffer",
    "RasterizerOrderedTexture1D",
    "RasterizerOrderedTexture1DArray",
    "RasterizerOrderedTexture2D",
    "RasterizerOrderedTexture2DArray",
    "RasterizerOrderedTexture3D",
    "RaytracingAccelerationStructure",
    "RWBuffer",
    "RWByteAddressBuffer",
    "RWStructuredBuffer",
    "RWTexture1D",
    "RWTexture1DArray",
    "RWTexture2D",
    "RWTexture2DArray",
    "RWTexture3D",
    "StructuredBuffer",
    "SubpassInput",
    "SubpassInputMS",
    "Texture1D",
    "Texture1DArray",
    "Texture2D",
    "Texture2DArray",
    "Texture2DMS",
    "Texture2DMSArray",
    "Texture3D",
    "TextureBuffer",
    "TextureCube",
    "TextureCubeArray",
];

/// The type that a user type names: case does not matter, nor what it is a buffer or texture of.
pub(super) fn user_type(text: &str) -> Option<&'static str> {
    let name = text.split([':', '<']).next().unwrap_or("").trim();
    USER_TYPES.iter().find(|t| t.eq_ignore_ascii_case(name)).copied()
}
