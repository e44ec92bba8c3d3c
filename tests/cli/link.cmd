# The stages of one pipeline.
$ spirula val --link --entry good files/link_vertex.spvasm files/link_fragments.spvasm
! 2 modules: 2 valid; environment chosen from the module: vulkan1.4; the stages Vertex, Fragment fit
= 0
$ spirula val --link --entry bad files/link_vertex.spvasm files/link_fragments.spvasm
! error[link-type]: the input %uv is %int (32-bit signed integer) in component 0 of location 1; in files/link_vertex.spvasm the output %uv is %float (32-bit float) there
!   --> files/link_fragments.spvasm:20:1
!    |
! 20 | %uv = OpVariable %ptr_v2 Input
!    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
!    |
!   ::: files/link_vertex.spvasm:14:1
!    |
! 14 | %uv = OpVariable %ptr_v2 Output
!    | ------------------------------- the output %uv is %float (32-bit float) there
!    |
!    = rule: VUID-RuntimeSpirv-OpEntryPoint-07754
!
! error[link-input-missing]: the input %missing takes component 0 of location 2; in files/link_vertex.spvasm the Vertex shader %main has no output there
!   --> files/link_fragments.spvasm:21:1
!    |
! 21 | %missing = OpVariable %ptr_v4 Input
!    | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
!    |
!   ::: files/link_vertex.spvasm:3:1
!    |
!  3 | OpEntryPoint Vertex %main "main" %color %uv
!    | ------------------------------------------- the Vertex shader %main has no output there
!    |
!    = rule: VUID-RuntimeSpirv-OpEntryPoint-08743
!
! 2 modules: 2 valid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4; the stages Vertex, Fragment do not fit
= 1
$ spirula val --link --entry bad --format short files/link_fragments.spvasm files/link_vertex.spvasm
! files/link_fragments.spvasm:20:1: error[link-type]: the input %uv is %int (32-bit signed integer) in component 0 of location 1; in files/link_vertex.spvasm the output %uv is %float (32-bit float) there
! files/link_fragments.spvasm:21:1: error[link-input-missing]: the input %missing takes component 0 of location 2; in files/link_vertex.spvasm the Vertex shader %main has no output there
! 2 modules: 2 valid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4; the stages Fragment, Vertex do not fit
= 1
$ spirula val --link --entry bad --format json files/link_vertex.spvasm files/link_fragments.spvasm
> {"severity":"error","rule":"link-type","group":"link","cite":"VUID-RuntimeSpirv-OpEntryPoint-07754","vuid":"VUID-RuntimeSpirv-OpEntryPoint-07754","message":"the input %uv is %int (32-bit signed integer) in component 0 of location 1; in files/link_vertex.spvasm the output %uv is %float (32-bit float) there","file":"files/link_fragments.spvasm","word":76,"byte":304,"instruction":20,"asm":"%uv = OpVariable %ptr_v2 Input","asm_span":[0,30],"line":20,"column":1,"ids":[{"id":4,"name":"%uv"},{"id":8,"name":"%int"}],"related":[{"message":"the output %uv is %float (32-bit float) there","file":"files/link_vertex.spvasm","word":53,"byte":212,"instruction":14,"asm":"%uv = OpVariable %ptr_v2 Output","asm_span":[0,31],"line":14,"column":1}]}
> {"severity":"error","rule":"link-input-missing","group":"link","cite":"VUID-RuntimeSpirv-OpEntryPoint-08743","vuid":"VUID-RuntimeSpirv-OpEntryPoint-08743","message":"the input %missing takes component 0 of location 2; in files/link_vertex.spvasm the Vertex shader %main has no output there","file":"files/link_fragments.spvasm","word":80,"byte":320,"instruction":21,"asm":"%missing = OpVariable %ptr_v4 Input","asm_span":[0,35],"line":21,"column":1,"ids":[{"id":5,"name":"%missing"}],"related":[{"message":"the Vertex shader %main has no output there","file":"files/link_vertex.spvasm","word":10,"byte":40,"instruction":3,"asm":"OpEntryPoint Vertex %main \"main\" %color %uv","asm_span":[0,43],"line":3,"column":1}]}
! 2 modules: 2 valid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4; the stages Vertex, Fragment do not fit
= 1
$ spirula val --link --entry bad --format sarif -q --allow link-input-missing files/link_vertex.spvasm files/link_fragments.spvasm
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
>                   "uri": "files/link_fragments.spvasm"
>                 },
>                 "region": {
>                   "snippet": {
>                     "text": "%uv = OpVariable %ptr_v2 Input"
>                   },
>                   "startColumn": 1,
>                   "startLine": 20
>                 }
>               }
>             }
>           ],
>           "message": {
>             "text": "the input %uv is %int (32-bit signed integer) in component 0 of location 1; in files/link_vertex.spvasm the output %uv is %float (32-bit float) there"
>           },
>           "relatedLocations": [
>             {
>               "message": {
>                 "text": "the output %uv is %float (32-bit float) there"
>               },
>               "physicalLocation": {
>                 "artifactLocation": {
>                   "uri": "files/link_vertex.spvasm"
>                 },
>                 "region": {
>                   "snippet": {
>                     "text": "%uv = OpVariable %ptr_v2 Output"
>                   },
>                   "startColumn": 1,
>                   "startLine": 14
>                 }
>               }
>             }
>           ],
>           "ruleId": "link-type",
>           "ruleIndex": 0
>         }
>       ],
>       "tool": {
>         "driver": {
>           "name": "spirula",
>           "rules": [
>             {
>               "help": {
>                 "markdown": "An input and the output that it matches have the same type and width in each component.\n\n*VUID-RuntimeSpirv-OpEntryPoint-07754*",
>                 "text": "An input and the output that it matches have the same type and width in each component.\n\nVUID-RuntimeSpirv-OpEntryPoint-07754"
>               },
>               "id": "link-type",
>               "properties": {
>                 "tags": [
>                   "link"
>                 ]
>               },
>               "shortDescription": {
>                 "text": "An input and the output that it matches have the same type and width in each component."
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
$ spirula val --link --entry bad --warn link files/link_vertex.spvasm files/link_fragments.spvasm --format short
! files/link_fragments.spvasm:20:1: warning[link-type]: the input %uv is %int (32-bit signed integer) in component 0 of location 1; in files/link_vertex.spvasm the output %uv is %float (32-bit float) there
! files/link_fragments.spvasm:21:1: warning[link-input-missing]: the input %missing takes component 0 of location 2; in files/link_vertex.spvasm the Vertex shader %main has no output there
! 2 modules: 2 valid (0 errors, 2 warnings); environment chosen from the module: vulkan1.4; the stages Vertex, Fragment fit
= 0
$ spirula as files/link_vertex.spvasm -o $TMP/vertex.spv
= 0
$ spirula val --link --entry bad --format short $TMP/vertex.spv files/link_fragments.spvasm
! files/link_fragments.spvasm:20:1: error[link-type]: the input %uv is %int (32-bit signed integer) in component 0 of location 1; in $TMP/vertex.spv the output %3 is %6 (%float) (32-bit float) there
! files/link_fragments.spvasm:21:1: error[link-input-missing]: the input %missing takes component 0 of location 2; in $TMP/vertex.spv the Vertex shader %1 has no output there
! 2 modules: 2 valid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4; the stages Vertex, Fragment do not fit
= 1
# Modules that are invalid by themselves are not compared.
$ spirula val --link --format short files/wrong.spvasm files/link_vertex.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: error[id-undefined]: no instruction defines %missing
! 2 modules: 1 valid, 1 invalid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 1
$ spirula val --link --format short files/nowhere.spv files/link_vertex.spvasm
! files/nowhere.spv: error[io]: cannot read: No such file or directory (os error 2)
! 2 modules: 1 valid, 1 failed (1 error, 0 warnings); environment chosen from the module: vulkan1.4
= 3
# The entry point must be clear, and the environment Vulkan.
$ spirula val --link files/link_vertex.spvasm files/link_fragments.spvasm
! error: files/link_fragments.spvasm: choose among its entry points with --entry NAME: good (Fragment), bad (Fragment)
= 2
$ spirula val --entry bad files/link_vertex.spvasm
! error: the following required arguments were not provided:
!   --link
!
! Usage: spirula val --link --entry <NAME> <INPUT>...
!
! For more information, try '--help'.
= 2
$ spirula val --link --target-env opencl2.0 files/link_vertex.spvasm
! error: --link compares stages in Vulkan's rules: --target-env must be a version of Vulkan
= 2
# No more findings than are wanted.
$ spirula val --link --entry bad --format short --max-errors 1 files/link_vertex.spvasm files/link_fragments.spvasm
! files/link_fragments.spvasm:20:1: error[link-type]: the input %uv is %int (32-bit signed integer) in component 0 of location 1; in files/link_vertex.spvasm the output %uv is %float (32-bit float) there
! between the stages: 1 more diagnostic not shown; see --max-errors
! 2 modules: 2 valid (2 errors, 0 warnings); environment chosen from the module: vulkan1.4; the stages Vertex, Fragment do not fit
= 1
