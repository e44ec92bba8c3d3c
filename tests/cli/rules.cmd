# Rules: levels, explanations, environments.
$ spirula explain id-undefined
> id-undefined
>
> Every id that is used is the result of some instruction.
>
> Source: SPIR-V §2.16.1
> Group: ids
> Level: error (change it with --allow, --warn or --deny id-undefined)
= 0
$ spirula explain no-such-rule
! error: no rule, group or VUID is called no-such-rule; `spirula explain` lists them
= 2
$ spirula val --deny no-such-rule files/valid.spvasm
! error: invalid value 'no-such-rule' for '--deny <RULE|GROUP>': no rule, group or VUID has this name (`spirula explain` lists them)
!
! For more information, try '--help'.
= 2
$ spirula val --allow id-undefined --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --warn id-undefined --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: warning[id-undefined]: no instruction defines %missing
! 1 module: 1 invalid (1 error, 1 warning); environment chosen from the module: vulkan1.4
= 1
$ spirula val --warn id-undefined --deny id-undefined --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: error[id-undefined]: no instruction defines %missing
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --warn id-undefined --deny warnings --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: error[id-undefined]: no instruction defines %missing
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --target-env vulkan1.9 files/valid.spvasm
! error: invalid value 'vulkan1.9' for '--target-env <NAME>': unknown target environment; the known ones are spv1.0 spv1.1 spv1.2 spv1.3 spv1.4 spv1.5 spv1.6 vulkan1.0 vulkan1.1 vulkan1.1spv1.4 vulkan1.2 vulkan1.3 vulkan1.4 opencl1.2 opencl1.2embedded opencl2.0 opencl2.0embedded opencl2.1 opencl2.1embedded opencl2.2 opencl2.2embedded opengl4.0 opengl4.1 opengl4.2 opengl4.3 opengl4.5
!
! For more information, try '--help'.
= 2
$ spirula val --target-env spv1.0 files/valid.spvasm
! error[environment-version]: the module is SPIR-V 1.3, but spv1.0 takes at most 1.0
! --> files/valid.spvasm: byte 4
!  = rule: SPIR-V §2.3
!
! 1 module: 1 invalid (1 error, 0 warnings); environment: spv1.0
= 1
$ spirula val --show-prelude nothing
! error: no prelude is called nothing; there are fragment, vertex, compute, kernel, raygen
= 2
