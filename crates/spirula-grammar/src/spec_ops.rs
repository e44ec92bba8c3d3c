use crate::Op;

/// Whether `op` is among the opcodes that `OpSpecConstantOp` may apply under some capability ("OpSpecConstantOp" in
/// §3.3.7 and the extensions that add to its list: cooperative matrices' length and untyped access chains).
pub fn allowed_in_spec_constant_op(op: Op) -> bool {
    matches!(
        op,
        Op::SConvert | Op::UConvert | Op::FConvert
        | Op::SNegate | Op::Not | Op::IAdd | Op::ISub
        | Op::IMul | Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod
        | Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical
        | Op::BitwiseOr | Op::BitwiseXor | Op::BitwiseAnd
        | Op::VectorShuffle | Op::CompositeExtract | Op::CompositeInsert
        | Op::LogicalOr | Op::LogicalAnd | Op::LogicalNot
        | Op::LogicalEqual | Op::LogicalNotEqual
        | Op::Select
        | Op::IEqual | Op::INotEqual
        | Op::ULessThan | Op::SLessThan
        | Op::UGreaterThan | Op::SGreaterThan
        | Op::ULessThanEqual | Op::SLessThanEqual
        | Op::UGreaterThanEqual | Op::SGreaterThanEqual
        // Shader
        | Op::QuantizeToF16
        // Kernel
        | Op::ConvertFToS | Op::ConvertSToF
        | Op::ConvertFToU | Op::ConvertUToF
        | Op::ConvertPtrToU | Op::ConvertUToPtr
        | Op::GenericCastToPtr | Op::PtrCastToGeneric | Op::Bitcast
        | Op::FNegate | Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod
        | Op::AccessChain | Op::InBoundsAccessChain
        | Op::PtrAccessChain | Op::InBoundsPtrAccessChain
        // SPV_NV_cooperative_matrix, SPV_KHR_cooperative_matrix
        | Op::CooperativeMatrixLengthNV | Op::CooperativeMatrixLengthKHR
        // SPV_KHR_untyped_pointers
        | Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR
    )
}
