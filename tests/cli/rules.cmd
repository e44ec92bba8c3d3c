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
# Names that are nearly right, groups, instructions, VUIDs.
$ spirula explain id-undefind
! error: no rule, group or VUID is called id-undefind; near: id-undefined
= 2
$ spirula explain layouts
! error: no rule, group or VUID is called layouts; near: layout, layout-straddle, layout-phis-first
= 2
$ spirula explain bit
> bit
>   bit-count-width  The components that bits are counted into are wide enough to hold the width of those counted.
>   bit-field-width  Vulkan's bit-field instructions, `OpBitReverse` and `OpBitCount` take 32-bit integers only, unless the capability or feature of maintenance9 is there.
= 0
$ spirula explain OpPhi
> control-flow
>   phi-parents        An `OpPhi` has one pair of value and parent for each predecessor of its block.
>   phi-result-type    The Result Type of `OpPhi` is not void, and in shaders no image, sampler or sampled image.
>   phi-value-type     Each value of an `OpPhi` has the Result Type.
> layout
>   layout-phis-first  The phis of a block come before its other instructions.
= 0
$ spirula explain VUID-RuntimeSpirv-OpEntryPoint-08743
> link-input-missing
>
> Every location and component that an input takes is declared by an output of the preceding stage.
>
> Source: VUID-RuntimeSpirv-OpEntryPoint-08743
> Group: link
> Level: error (change it with --allow, --warn or --deny link-input-missing)
= 0
$ spirula val --deny id-undefned files/valid.spvasm
! error: invalid value 'id-undefned' for '--deny <RULE|GROUP>': no rule, group or VUID has this name; is id-undefined meant? (`spirula explain` lists them)
!
! For more information, try '--help'.
= 2
# Groups.
$ spirula val --allow ids --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --allow ids --deny id-undefined --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: error[id-undefined]: no instruction defines %missing
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --warn types --warn ids --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: warning[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: warning[id-undefined]: no instruction defines %missing
! 1 module: 1 valid (0 errors, 2 warnings); environment chosen from the module: vulkan1.4
= 0
