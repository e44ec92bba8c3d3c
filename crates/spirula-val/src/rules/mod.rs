//! The rules that no table can state, in files named after the specification's sections.

pub(crate) mod annotation;
pub(crate) mod arithmetic;
pub(crate) mod atomic;
pub(crate) mod barrier;
pub(crate) mod bit;
pub(crate) mod call_graph;
pub(crate) mod composite;
pub(crate) mod constant;
pub(crate) mod control_flow;
pub(crate) mod conversion;
pub(crate) mod cooperative_matrix;
pub(crate) mod debug;
pub(crate) mod derivative;
pub(crate) mod device_enqueue;
pub(crate) mod enqueue;
pub(crate) mod environment;
pub(crate) mod explicit_layout;
pub(crate) mod ext_inst;
pub(crate) mod extension;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod group;
pub(crate) mod image;
pub(crate) mod intel;
pub(crate) mod interface;
pub(crate) mod layout;
pub(crate) mod limits;
pub(crate) mod memory;
pub(crate) mod mesh;
pub(crate) mod misc;
pub(crate) mod mode_needs;
pub(crate) mod mode_setting;
pub(crate) mod non_uniform;
pub(crate) mod opencl;
pub(crate) mod operand;
pub(crate) mod pipe;
pub(crate) mod pointers;
pub(crate) mod primitive;
pub(crate) mod ray;
pub(crate) mod reach;
pub(crate) mod relational;
pub(crate) mod reserved;
pub(crate) mod scopes;
pub(crate) mod small_types;
pub(crate) mod ssa;
pub(crate) mod structured;
pub(crate) mod tensor;
pub(crate) mod types;
pub(crate) mod universal;
pub(crate) mod vendor;
pub(crate) mod vulkan;

/// The rules of all files, in the order of the files.
pub(crate) static ALL: &[&[&spirula_diag::Rule]] = &[
    crate::grammar::RULES,
    crate::grammar::NEEDS_RULES,
    layout::RULES,
    ssa::RULES,
    arithmetic::RULES,
    bit::RULES,
    ext_inst::RULES,
    ext_inst::amd::RULES,
    ext_inst::debug::RULES,
    ext_inst::glsl::RULES,
    ext_inst::opencl::RULES,
    ext_inst::shader_debug::RULES,
    ext_inst::tosa::RULES,
    ext_inst::reflection::RULES,
    composite::RULES,
    conversion::RULES,
    cooperative_matrix::RULES,
    cooperative_matrix::access::RULES,
    cooperative_matrix::callback::RULES,
    cooperative_matrix::multiply::RULES,
    cooperative_matrix::qcom::RULES,
    cooperative_matrix::tensor::RULES,
    cooperative_matrix::types::RULES,
    cooperative_matrix::vector::RULES,
    graph::RULES,
    tensor::RULES,
    ext_inst::lines::RULES,
    image::RULES,
    image::access::RULES,
    image::operands::RULES,
    image::qcom::RULES,
    image::query::RULES,
    image::sample::RULES,
    image::tile::RULES,
    image::types::RULES,
    relational::RULES,
    misc::RULES,
    universal::RULES,
    control_flow::RULES,
    structured::RULES,
    limits::RULES,
    call_graph::RULES,
    scopes::RULES,
    atomic::RULES,
    barrier::RULES,
    derivative::RULES,
    device_enqueue::RULES,
    enqueue::RULES,
    group::RULES,
    mesh::RULES,
    non_uniform::RULES,
    pipe::RULES,
    primitive::RULES,
    ray::RULES,
    ray::QUERY_RULES,
    ray::VALUE_RULES,
    reserved::RULES,
    vendor::RULES,
    intel::RULES,
    crate::signature::RULES,
    debug::RULES,
    mode_setting::RULES,
    mode_needs::RULES,
    environment::RULES,
    opencl::RULES,
    interface::RULES,
    vulkan::environment::RULES,
    vulkan::interfaces::RULES,
    types::RULES,
    types::NUMBER_RULES,
    types::UNIQUE_RULES,
    constant::RULES,
    constant::COMPOSITE_RULES,
    constant::SPEC_OP_RULES,
    memory::RULES,
    memory::VARIABLE_RULES,
    memory::LOAD_STORE_RULES,
    memory::ACCESS_RULES,
    memory::COPY_RULES,
    memory::CHAIN_RULES,
    memory::UNTYPED_RULES,
    memory::LENGTH_RULES,
    memory::COMPARE_RULES,
    memory::VENDOR_RULES,
    pointers::RULES,
    pointers::FLOW_RULES,
    pointers::PHYSICAL_RULES,
    pointers::UNTYPED_RULES,
    function::RULES,
    explicit_layout::RULES,
    extension::RULES,
    small_types::RULES,
    annotation::RULES,
    annotation::TARGET_RULES,
    annotation::QUALIFIER_RULES,
    annotation::NUMERIC_RULES,
    annotation::PARAMETER_RULES,
    annotation::HLSL_RULES,
    annotation::BLOCK_RULES,
    vulkan::resources::RULES,
    vulkan::decorations::RULES,
    vulkan::interpolation::RULES,
    vulkan::row_major::RULES,
    vulkan::dynamic_indexing::RULES,
    vulkan::transform::RULES,
    vulkan::view_index::RULES,
    vulkan::builtins::RULES,
    vulkan::builtins::VALUE_RULES,
    &vulkan::builtins::table::RULES,
    crate::link::RULES,
];
