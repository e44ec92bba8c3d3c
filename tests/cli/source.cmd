# The shader's own line, by DebugLine (with a range) and OpLine, in text and in a binary.
$ spirula val files/source_line.spvasm
! error[id-undefined]: no instruction defines %nowhere
!   --> files/source_line.spvasm:36:25
!    |
! 36 | %a = OpFMul %float %two %nowhere
!    |                         ^^^^^^^^
!    |
!   ::: twice.comp:2:9
!    |
!  2 |     x = twice(y);
!    |         ----- compiled from here
!    |
!    = rule: SPIR-V §2.16.1
!    = reached from entry point other
!
! error[id-undefined]: no instruction defines %nowhere
!   --> files/source_line.spvasm:42:25
!    |
! 42 | %b = OpFMul %float %two %nowhere
!    |                         ^^^^^^^^
!    |
!   ::: twice.comp:2:5
!    |
!  2 |     y = 2.0 * missing;
!    |     ------------------ compiled from here
!    |
!    = rule: SPIR-V §2.16.1
!    = reached from entry point main
!
! error[id-undefined]: no instruction defines %nowhere
!   --> files/source_line.spvasm:44:25
!    |
! 44 | %c = OpFMul %float %two %nowhere
!    |                         ^^^^^^^^
!    |
!    = rule: SPIR-V §2.16.1
!    = reached from entry point main
!
! 1 module: 1 invalid (3 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula as files/source_line.spvasm -o $TMP/a.spv
= 0
$ spirula val $TMP/a.spv --format json -q
> {"severity":"error","rule":"id-undefined","group":"ids","cite":"SPIR-V §2.16.1","message":"no instruction defines %22","file":"$TMP/a.spv","word":150,"byte":616,"operand":4,"instruction":30,"asm":"%21 = OpFMul %float %float_2 %22","asm_span":[29,32],"source":{"file":"twice.comp","line":2,"column":9,"end_line":2,"end_column":14,"text":"    x = twice(y);"},"entry_points":["other"]}
> {"severity":"error","rule":"id-undefined","group":"ids","cite":"SPIR-V §2.16.1","message":"no instruction defines %22","file":"$TMP/a.spv","word":168,"byte":688,"operand":4,"instruction":36,"asm":"%24 = OpFMul %float %float_2 %22","asm_span":[29,32],"source":{"file":"twice.comp","line":2,"column":5,"end_line":2,"end_column":5,"text":"    y = 2.0 * missing;"},"entry_points":["main"]}
> {"severity":"error","rule":"id-undefined","group":"ids","cite":"SPIR-V §2.16.1","message":"no instruction defines %22","file":"$TMP/a.spv","word":174,"byte":712,"operand":4,"instruction":38,"asm":"%25 = OpFMul %float %float_2 %22","asm_span":[29,32],"entry_points":["main"]}
= 1
