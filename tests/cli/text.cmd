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
= 0
$ spirula dis --no-header --raw-id --no-indent files/big_endian.spv
= 0
$ spirula dis files/words.hex --offsets
= 0
$ spirula dis files/unknown_opcode.spv
= 0
$ spirula as files/valid.spvasm files/dir/a.spvasm
! error: several inputs need a folder to write to: -o FOLDER/
= 2
$ spirula as files/valid.spvasm files/dir/a.spvasm -o $TMP/out/
= 0
$ spirula val $TMP/out
! 2 modules: 2 valid; environment chosen from the module: vulkan1.4
= 0
