# The same findings in every form. Human and short go to standard error, json and sarif to standard output.
$ spirula val files/wrong.spvasm
! error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
!   --> files/wrong.spvasm:17:27
!    |
! 17 | %sum = OpFAdd %float %one %two
!    |                           ^^^^
!    |
!   ::: files/wrong.spvasm:14:1
!    |
! 14 | %two = OpConstant %int 2
!    | ------------------------ declared here
!    |
!    = rule: SPIR-V §3.3, OpFAdd
!    = reached from entry point main
!
! error[id-undefined]: no instruction defines %missing
!   --> files/wrong.spvasm:18:28
!    |
! 18 | %lost = OpFMul %float %sum %missing
!    |                            ^^^^^^^^
!    |
!    = rule: SPIR-V §2.16.1
!    = reached from entry point main
!
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --format short files/wrong.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: error[id-undefined]: no instruction defines %missing
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --format json files/wrong.spvasm
> {"severity":"error","rule":"operand-type","group":"types","cite":"SPIR-V §3.3, OpFAdd","message":"Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)","file":"files/wrong.spvasm","word":55,"byte":236,"operand":4,"instruction":15,"asm":"%sum = OpFAdd %float %one %two","asm_span":[26,30],"line":17,"column":27,"ids":[{"id":8,"name":"%two"},{"id":6,"name":"%int"},{"id":5,"name":"%float"}],"entry_points":["main"],"related":[{"message":"declared here","word":44,"byte":176,"instruction":12,"asm":"%two = OpConstant %int 2","asm_span":[0,24],"line":14,"column":1}]}
> {"severity":"error","rule":"id-undefined","group":"ids","cite":"SPIR-V §2.16.1","message":"no instruction defines %missing","file":"files/wrong.spvasm","word":60,"byte":256,"operand":4,"instruction":16,"asm":"%lost = OpFMul %float %sum %missing","asm_span":[27,35],"line":18,"column":28,"ids":[{"id":11,"name":"%missing"}],"entry_points":["main"]}
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --format sarif -q files/wrong.spvasm
> {
>   "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
>   "runs": [
>     {
>       "results": [
>         {
>           "level": "error",
>           "locations": [
>             {
>               "physicalLocation": {
>                 "artifactLocation": {
>                   "uri": "files/wrong.spvasm"
>                 },
>                 "region": {
>                   "snippet": {
>                     "text": "%sum = OpFAdd %float %one %two"
>                   },
>                   "startColumn": 27,
>                   "startLine": 17
>                 }
>               }
>             }
>           ],
>           "message": {
>             "text": "Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)"
>           },
>           "relatedLocations": [
>             {
>               "message": {
>                 "text": "declared here"
>               },
>               "physicalLocation": {
>                 "artifactLocation": {
>                   "uri": "files/wrong.spvasm"
>                 },
>                 "region": {
>                   "snippet": {
>                     "text": "%two = OpConstant %int 2"
>                   },
>                   "startColumn": 1,
>                   "startLine": 14
>                 }
>               }
>             }
>           ],
>           "ruleId": "operand-type",
>           "ruleIndex": 0
>         },
>         {
>           "level": "error",
>           "locations": [
>             {
>               "physicalLocation": {
>                 "artifactLocation": {
>                   "uri": "files/wrong.spvasm"
>                 },
>                 "region": {
>                   "snippet": {
>                     "text": "%lost = OpFMul %float %sum %missing"
>                   },
>                   "startColumn": 28,
>                   "startLine": 18
>                 }
>               }
>             }
>           ],
>           "message": {
>             "text": "no instruction defines %missing"
>           },
>           "ruleId": "id-undefined",
>           "ruleIndex": 1
>         }
>       ],
>       "tool": {
>         "driver": {
>           "name": "spirula",
>           "rules": [
>             {
>               "help": {
>                 "markdown": "An operand's type is of the kind that the instruction takes, and fits the Result Type or the other operands.\n\n*SPIR-V §3.3*",
>                 "text": "An operand's type is of the kind that the instruction takes, and fits the Result Type or the other operands.\n\nSPIR-V §3.3"
>               },
>               "id": "operand-type",
>               "properties": {
>                 "tags": [
>                   "types"
>                 ]
>               },
>               "shortDescription": {
>                 "text": "An operand's type is of the kind that the instruction takes, and fits the Result Type or the other operands."
>               }
>             },
>             {
>               "help": {
>                 "markdown": "Every id that is used is the result of some instruction.\n\n*SPIR-V §2.16.1*",
>                 "text": "Every id that is used is the result of some instruction.\n\nSPIR-V §2.16.1"
>               },
>               "id": "id-undefined",
>               "properties": {
>                 "tags": [
>                   "ids"
>                 ]
>               },
>               "shortDescription": {
>                 "text": "Every id that is used is the result of some instruction."
>               }
>             }
>           ],
>           "version": "0.1.0"
>         }
>       }
>     }
>   ],
>   "version": "2.1.0"
> }
= 1
$ spirula val --color always files/wrong.spvasm --max-errors 1
! ␛[1m␛[91merror[operand-type]␛[0m␛[1m: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)␛[0m
!   ␛[1m␛[94m--> ␛[0mfiles/wrong.spvasm:17:27
!    ␛[1m␛[94m|␛[0m
! ␛[1m␛[94m17␛[0m ␛[1m␛[94m|␛[0m %sum = OpFAdd %float %one %two
!    ␛[1m␛[94m|␛[0m                           ␛[1m␛[91m^^^^␛[0m
!    ␛[1m␛[94m|␛[0m
!   ␛[1m␛[94m::: ␛[0mfiles/wrong.spvasm:14:1
!    ␛[1m␛[94m|␛[0m
! ␛[1m␛[94m14␛[0m ␛[1m␛[94m|␛[0m %two = OpConstant %int 2
!    ␛[1m␛[94m|␛[0m ␛[1m␛[94m------------------------␛[0m ␛[1m␛[94mdeclared here␛[0m
!    ␛[1m␛[94m|␛[0m
!    ␛[1m␛[94m= ␛[0mrule: SPIR-V §3.3, OpFAdd
!    ␛[1m␛[94m= ␛[0mreached from entry point main
!
! files/wrong.spvasm: 1 more diagnostic not shown; see --max-errors
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --max-errors 1 files/wrong.spvasm
! error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
!   --> files/wrong.spvasm:17:27
!    |
! 17 | %sum = OpFAdd %float %one %two
!    |                           ^^^^
!    |
!   ::: files/wrong.spvasm:14:1
!    |
! 14 | %two = OpConstant %int 2
!    | ------------------------ declared here
!    |
!    = rule: SPIR-V §3.3, OpFAdd
!    = reached from entry point main
!
! files/wrong.spvasm: 1 more diagnostic not shown; see --max-errors
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
# A module of which nothing but the words is known.
$ spirula as files/wrong.spvasm -o $TMP/wrong.spv
= 0
$ spirula val $TMP/wrong.spv
! error[operand-type]: Operand 2 %8 (%int_2) has type %6 (%int) (32-bit signed integer), but must have the Result Type, %5 (%float) (32-bit float)
!   --> $TMP/wrong.spv:15:31
!    |
! 15 | %sum = OpFAdd %float %float_1 %int_2
!    |                               ^^^^^^
!    |
!   ::: $TMP/wrong.spv:12:1
!    |
! 12 | %int_2 = OpConstant %int 2
!    | -------------------------- declared here
!    |
!    = rule: SPIR-V §3.3, OpFAdd; at byte 0xec
!    = reached from entry point main
!
! error[id-undefined]: no instruction defines %11
!   --> $TMP/wrong.spv:16:26
!    |
! 16 | %10 = OpFMul %float %sum %11
!    |                          ^^^
!    |
!    = rule: SPIR-V §2.16.1; at byte 0x100
!    = reached from entry point main
!
! 1 module: 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
