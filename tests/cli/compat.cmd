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
# Every option of the reference validator is taken.
$ spirula compat spirv-val --max-struct-members 9 --max-struct-depth 9 --max-local-variables 9 --max-global-variables 9 --max-switch-branches 9 --max-function-args 9 --max-control-flow-nesting-depth 9 --max-access-chain-indexes 9 --max-id-bound 99 --relax-logical-pointer --relax-block-layout --uniform-buffer-standard-layout --scalar-block-layout --workgroup-scalar-block-layout --skip-block-layout --relax-struct-store --allow-localsizeid --allow-offset-texture-operand --allow-vulkan-32-bit-bitwise --before-hlsl-legalization --target-env spv1.6 files/big_endian.spv
= 0
$ spirula compat spirv-val --max-id-bound 2 files/big_endian.spv
! error: files/big_endian.spv:0: the bound is 5, but must be from 1 to 2
!
= 1
$ spirula compat spirv-val --max-id-bound files/big_endian.spv
! error: invalid value 'files/big_endian.spv' for '--max-id-bound <N>': invalid digit found in string
!
! For more information, try '--help'.
= 1
$ spirula compat spirv-val --target-env vulkan9 files/big_endian.spv
! error: invalid value 'vulkan9' for '--target-env <NAME>': unknown target environment; the known ones are spv1.0 spv1.1 spv1.2 spv1.3 spv1.4 spv1.5 spv1.6 vulkan1.0 vulkan1.1 vulkan1.1spv1.4 vulkan1.2 vulkan1.3 vulkan1.4 opencl1.2 opencl1.2embedded opencl2.0 opencl2.0embedded opencl2.1 opencl2.1embedded opencl2.2 opencl2.2embedded opengl4.0 opengl4.1 opengl4.2 opengl4.3 opengl4.5
!
! For more information, try '--help'.
= 1
$ spirula compat spirv-val files/dir
= 0
# spirv-reflect's facts, one at a time; what nobody documents is refused.
$ spirula compat spirv-reflect -e ../../examples/append-buffer.spvasm
> main
= 0
$ spirula compat spirv-reflect --stage ../../examples/append-buffer.spvasm
> PS
= 0
$ spirula compat spirv-reflect -f ../../examples/append-buffer.spvasm
>
= 0
$ spirula compat spirv-reflect -e -s ../../examples/append-buffer.spvasm
! error: -e, -s, -f and -y go one at a time: how they combine is not documented
= 1
$ spirula compat spirv-reflect -y -v 2 ../../examples/append-buffer.spvasm
! error: a verbosity above 1 is not known: its output is not documented
= 1
$ spirula compat spirv-reflect -y -v 1 ../../examples/append-buffer.spvasm -o $TMP/report.yaml
= 0
$ spirula compat spirv-reflect -fcb ../../examples/saxpy.spvasm
> SPIR-V 1.0, Physical64 OpenCL, from OpenCL_C 102000
>
> Kernel saxpy
>   inputs
>     location  name  type   built-in            interpolation  semantic
>                     u64x3  GlobalInvocationId
= 0
$ spirula compat spirv-reflect -ci ../../examples/saxpy.spvasm
! error: unexpected argument '-c' found
!
!   tip: to pass '-c' as a value, use '-- -c'
!
! Usage: spirv-reflect [OPTIONS] <FILE>
!
! For more information, try '--help'.
= 1
