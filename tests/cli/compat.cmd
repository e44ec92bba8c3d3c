# The reference tools' command lines.
$ spirula compat spirv-as files/wrong.spvasm -o $TMP/wrong.spv
= 0
$ spirula compat spirv-val $TMP/wrong.spv
! error: $TMP/wrong.spv:15: Operand 2 %8 (%int_2) has type %6 (%int) (32-bit signed integer), but must have the Result Type, %5 (%float) (32-bit float)
!   %sum = OpFAdd %float %float_1 %int_2
!
= 1
$ spirula compat spirv-val --target-env vulkan1.1 --relax-block-layout $TMP/wrong.spv
! error: $TMP/wrong.spv:15: Operand 2 %8 (%int_2) has type %6 (%int) (32-bit signed integer), but must have the Result Type, %5 (%float) (32-bit float)
!   %sum = OpFAdd %float %float_1 %int_2
!
= 1
$ spirula compat spirv-val < $TMP/wrong.spv
! error: line 15: Operand 2 %8 (%int_2) has type %6 (%int) (32-bit signed integer), but must have the Result Type, %5 (%float) (32-bit float)
!   %sum = OpFAdd %float %float_1 %int_2
!
= 1
$ spirula compat spirv-val files/big_endian.spv
= 0
$ spirula compat spirv-val files/hello.spv
! error: files/hello.spv: not SPIR-V: the first word is 0x73696854, not the magic number 0x07230203 in either byte order, and this is neither assembly nor hex
= 1
$ spirula compat spirv-val files/nowhere.spv
! error: cannot read 'files/nowhere.spv'
= 1
$ spirula compat spirv-as files/syntax.spvasm -o -
! error: 1: 14: `Shadr` is not a value of Capability
= 251
$ spirula compat spirv-dis --raw-id --no-header files/big_endian.spv
>                OpCapability Shader
>                OpMemoryModel Logical GLSL450
>                OpEntryPoint GLCompute %1 "main"
>                OpExecutionMode %1 LocalSize 1 1 1
>           %2 = OpTypeVoid
>           %3 = OpTypeFunction %2
>           %1 = OpFunction %2 None %3
>           %4 = OpLabel
>                OpReturn
>                OpFunctionEnd
= 0
$ spirula compat spirv-dis files/unknown_opcode.spv
! error: 3: unknown opcode
= 252
$ spirula compat spirv-opt
! error: spirv-opt is not one of spirv-as, spirv-dis, spirv-val, spirv-reflect
= 2
$ spirula compat spirv-val --what
! error: unexpected argument '--what' found
!
!   tip: to pass '--what' as a value, use '-- --what'
!
! Usage: spirv-val [OPTIONS] [FILE]
!
! For more information, try '--help'.
= 1
