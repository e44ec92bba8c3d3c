# Assembler and disassembler.
$ spirula as files/syntax.spvasm -o $TMP/x.spv
! error[assembly]: `Shadr` is not a value of Capability
!  --> files/syntax.spvasm:1:14
!   |
! 1 | OpCapability Shadr
!   |              ^^^^^
!   |
!   = help: did you mean `Shader`?
!
! error[assembly]: there is no instruction `OpTypeFlot`
!  --> files/syntax.spvasm:2:6
!   |
! 2 | %a = OpTypeFlot 32
!   |      ^^^^^^^^^^
!   |
!   = help: did you mean `OpTypeFloat`?
!
! error[assembly]: OpMemoryModel lacks its operand MemoryModel
!  --> files/syntax.spvasm:3:15
!   |
! 3 | OpMemoryModel Logical
!   |               ^^^^^^^
!
= 1
$ spirula as --format json files/syntax.spvasm
> {"severity":"error","rule":"assembly","message":"`Shadr` is not a value of Capability","file":"files/syntax.spvasm","byte":13,"asm":"OpCapability Shadr","asm_span":[13,18],"line":1,"column":14,"help":"did you mean `Shader`?"}
> {"severity":"error","rule":"assembly","message":"there is no instruction `OpTypeFlot`","file":"files/syntax.spvasm","byte":24,"asm":"%a = OpTypeFlot 32","asm_span":[5,15],"line":2,"column":6,"help":"did you mean `OpTypeFloat`?"}
> {"severity":"error","rule":"assembly","message":"OpMemoryModel lacks its operand MemoryModel","file":"files/syntax.spvasm","byte":52,"asm":"OpMemoryModel Logical","asm_span":[14,21],"line":3,"column":15}
= 1
$ spirula as files/valid.spvasm -o $TMP/x.spv
= 0
$ spirula dis $TMP/x.spv
> ; SPIR-V
> ; Version: 1.3
> ; Generator: Khronos SPIR-V Tools Assembler; 0
> ; Bound: 5
> ; Schema: 0
>                OpCapability Shader
>                OpMemoryModel Logical GLSL450
>                OpEntryPoint GLCompute %1 "main"
>                OpExecutionMode %1 LocalSize 1 1 1
>        %void = OpTypeVoid
>           %3 = OpTypeFunction %void
>           %1 = OpFunction %void None %3
>           %4 = OpLabel
>                OpReturn
>                OpFunctionEnd
= 0
$ spirula dis --no-header --raw-id --no-indent files/big_endian.spv
> OpCapability Shader
> OpMemoryModel Logical GLSL450
> OpEntryPoint GLCompute %1 "main"
> OpExecutionMode %1 LocalSize 1 1 1
> %2 = OpTypeVoid
> %3 = OpTypeFunction %2
> %1 = OpFunction %2 None %3
> %4 = OpLabel
> OpReturn
> OpFunctionEnd
= 0
$ spirula dis files/words.hex --offsets
> ; SPIR-V
> ; Version: 1.3
> ; Generator: Khronos SPIR-V Tools Assembler; 0
> ; Bound: 5
> ; Schema: 0
>                OpCapability Shader                  ; 0x00000014
>                OpMemoryModel Logical GLSL450        ; 0x0000001c
>                OpEntryPoint GLCompute %1 "main"     ; 0x00000028
>                OpExecutionMode %1 LocalSize 1 1 1   ; 0x0000003c
>        %void = OpTypeVoid                           ; 0x00000054
>           %3 = OpTypeFunction %void                 ; 0x0000005c
>           %1 = OpFunction %void None %3             ; 0x00000068
>           %4 = OpLabel                              ; 0x0000007c
>                OpReturn                             ; 0x00000084
>                OpFunctionEnd                        ; 0x00000088
= 0
$ spirula dis files/unknown_opcode.spv
> ; SPIR-V
> ; Version: 1.6
> ; Generator: Khronos; 0
> ; Bound: 1
> ; Schema: 0
>                OpCapability Shader
>                OpMemoryModel Logical GLSL450
>                OpUnknown(32767, 2) !0x0000002a  ; unknown opcode
! error[damaged]: unknown opcode
! --> files/unknown_opcode.spv: byte 40
!
= 1
$ spirula as files/valid.spvasm files/dir/a.spvasm
! error: several inputs need a folder to write to: -o FOLDER/
= 2
$ spirula as files/valid.spvasm files/dir/a.spvasm -o $TMP/out/
= 0
$ spirula val $TMP/out
! 2 modules: 2 valid; environment chosen from the module: vulkan1.4
= 0
# Two inputs of one name.
$ spirula as files/valid.spvasm files/dir/../valid.spvasm -o $TMP/same/
! error: files/dir/../valid.spvasm is not written: $TMP/same/valid.spv is already another input's
= 3
# There and back.
$ spirula dis --raw-id files/unknown_opcode.spv -q --format short -o $TMP/x.spvasm
! files/unknown_opcode.spv: byte 40: error[damaged]: unknown opcode
= 1
$ spirula as --preserve-numeric-ids --keep-header $TMP/x.spvasm -o $TMP/x.spv
= 0
$ spirula dis --no-header $TMP/x.spv --format short
>                OpCapability Shader
>                OpMemoryModel Logical GLSL450
>                OpUnknown(32767, 2) !0x0000002a  ; unknown opcode
! $TMP/x.spv: byte 40: error[damaged]: unknown opcode
= 1
