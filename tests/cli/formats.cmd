# The same findings in every form. Human and short go to standard error, json and sarif to standard output.
$ spirula val files/wrong.spvasm
! error[id-undefined]: no instruction defines %missing
!  --> files/wrong.spvasm:7:29
!   |
! 7 | %c = OpConstantComposite %v %missing %float %v9 %v
!   |                             ^^^^^^^^
!   |
!   = rule: SPIR-V §2.16.1
!
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --format short files/wrong.spvasm
! files/wrong.spvasm:7:29: error[id-undefined]: no instruction defines %missing
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --format json files/wrong.spvasm
> {"severity":"error","rule":"id-undefined","group":"ids","cite":"SPIR-V §2.16.1","message":"no instruction defines %missing","file":"files/wrong.spvasm","word":21,"byte":96,"operand":3,"instruction":6,"asm":"%c = OpConstantComposite %v %missing %float %v9 %v","asm_span":[28,36],"line":7,"column":29,"ids":[{"id":5,"name":"%missing"}]}
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
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
>                     "text": "%c = OpConstantComposite %v %missing %float %v9 %v"
>                   },
>                   "startColumn": 29,
>                   "startLine": 7
>                 }
>               }
>             }
>           ],
>           "message": {
>             "text": "no instruction defines %missing"
>           },
>           "ruleId": "id-undefined",
>           "ruleIndex": 0
>         }
>       ],
>       "tool": {
>         "driver": {
>           "name": "spirula",
>           "rules": [
>             {
>               "id": "id-undefined",
>               "shortDescription": {
>                 "text": "SPIR-V §2.16.1"
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
! ␛[1m␛[91merror[id-undefined]␛[0m␛[1m: no instruction defines %missing␛[0m
!  ␛[1m␛[94m--> ␛[0mfiles/wrong.spvasm:7:29
!   ␛[1m␛[94m|␛[0m
! ␛[1m␛[94m7␛[0m ␛[1m␛[94m|␛[0m %c = OpConstantComposite %v %missing %float %v9 %v
!   ␛[1m␛[94m|␛[0m                             ␛[1m␛[91m^^^^^^^^␛[0m
!   ␛[1m␛[94m|␛[0m
!   ␛[1m␛[94m= ␛[0mrule: SPIR-V §2.16.1
!
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --max-errors 1 files/wrong.spvasm
! error[id-undefined]: no instruction defines %missing
!  --> files/wrong.spvasm:7:29
!   |
! 7 | %c = OpConstantComposite %v %missing %float %v9 %v
!   |                             ^^^^^^^^
!   |
!   = rule: SPIR-V §2.16.1
!
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 1
# A module of which nothing but the words is known.
$ spirula as files/wrong.spvasm -o $TMP/wrong.spv
= 0
$ spirula val $TMP/wrong.spv
! error[id-undefined]: no instruction defines %5
!  --> $TMP/wrong.spv:6:29
!   |
! 6 | %4 = OpConstantComposite %2 %5 %1 %3 %2
!   |                             ^^
!   |
!   = rule: SPIR-V §2.16.1; at byte 0x60
!
! 1 module: 1 invalid (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 1
