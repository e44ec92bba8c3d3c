# What the stages of a pipeline want together. What Vulkan allows is a warning, which can be denied.
$ spirula reflect --pipeline files/camera_frag.spvasm files/camera_vert.spvasm
> Graphics pipeline
>   stages
>     stage     module                    entry point
>     Vertex    files/camera_vert.spvasm  main
>     Fragment  files/camera_frag.spvasm  main
>
> Set 0
>     binding  name    kind            count  bytes  access  stages
>     0        camera  uniform buffer  1      32     read    VERTEX FRAGMENT
>
> Conflicts
>   warning: set 0, binding 0: `camera` of Vertex `main` of files/camera_vert.spvasm is a block of 32 bytes, but `camera` of Fragment `main` of files/camera_frag.spvasm is one of 16 bytes
= 0
$ spirula reflect --pipeline --deny warnings files/camera_vert.spvasm files/camera_frag.spvasm -o $TMP/pipeline.txt
= 1
$ spirula reflect --pipeline --format json files/camera_vert.spvasm
> {"schema":1,"kind":"graphics","stages":[{"module":"files/camera_vert.spvasm","entry_point":"main","model":"Vertex","flag":"VERTEX","vk_flag":1}],"sets":[{"set":0,"bindings":[{"binding":0,"kind":"uniform_buffer","descriptor_type":"UNIFORM_BUFFER","vk_descriptor_type":6,"count":1,"unbounded":false,"specialised":false,"stages":["VERTEX"],"vk_stages":1,"read":true,"written":false,"size":32,"uses":[{"stage":0,"id":3,"name":"camera","kind":"uniform_buffer"}]}]}],"push_constants":{"per_stage":[],"ranges":[],"merged":null},"vertex_inputs":[],"interfaces":[],"conflicts":[]}
= 0
$ spirula reflect --pipeline files/camera_vert.spvasm files/link_vertex.spvasm
> Graphics pipeline
>   stages
>     stage   module                    entry point
>     Vertex  files/camera_vert.spvasm  main
>     Vertex  files/link_vertex.spvasm  main
>
> Set 0
>     binding  name    kind            count  bytes  access  stages
>     0        camera  uniform buffer  1      32     read    VERTEX
>
> Conflicts
>   error: Vertex `main` of files/camera_vert.spvasm and Vertex `main` of files/link_vertex.spvasm are the same stage
= 1
# The interfaces between the stages are judged as by `spirula val --link`.
$ spirula reflect --pipeline --entry good files/link_vertex.spvasm files/link_fragments.spvasm
> Graphics pipeline
>   stages
>     stage     module                       entry point
>     Vertex    files/link_vertex.spvasm     main
>     Fragment  files/link_fragments.spvasm  good
>
> From Vertex to Fragment
>     location  output  type   input       type
>     0         %2      f32x4  %2          f32x4
>     1         %3      f32x2  (not read)
= 0
$ spirula reflect --pipeline --entry bad --format json files/link_vertex.spvasm files/link_fragments.spvasm
> {"severity":"error","rule":"link-type","group":"link","cite":"VUID-RuntimeSpirv-OpEntryPoint-07754","vuid":"VUID-RuntimeSpirv-OpEntryPoint-07754","message":"the input %uv is %int (32-bit signed integer) in component 0 of location 1; in files/link_vertex.spvasm the output %uv is %float (32-bit float) there","file":"files/link_fragments.spvasm","word":76,"byte":304,"instruction":20,"asm":"%uv = OpVariable %ptr_v2 Input","asm_span":[0,30],"line":20,"column":1,"ids":[{"id":4,"name":"%uv"},{"id":8,"name":"%int"}],"related":[{"message":"the output %uv is %float (32-bit float) there","file":"files/link_vertex.spvasm","word":53,"byte":212,"instruction":14,"asm":"%uv = OpVariable %ptr_v2 Output","asm_span":[0,31],"line":14,"column":1}]}
> {"severity":"error","rule":"link-input-missing","group":"link","cite":"VUID-RuntimeSpirv-OpEntryPoint-08743","vuid":"VUID-RuntimeSpirv-OpEntryPoint-08743","message":"the input %missing takes component 0 of location 2; in files/link_vertex.spvasm the Vertex shader %main has no output there","file":"files/link_fragments.spvasm","word":80,"byte":320,"instruction":21,"asm":"%missing = OpVariable %ptr_v4 Input","asm_span":[0,35],"line":21,"column":1,"ids":[{"id":5,"name":"%missing"}],"related":[{"message":"the Vertex shader %main has no output there","file":"files/link_vertex.spvasm","word":10,"byte":40,"instruction":3,"asm":"OpEntryPoint Vertex %main \"main\" %color %uv","asm_span":[0,43],"line":3,"column":1}]}
> {"schema":1,"kind":"graphics","stages":[{"module":"files/link_vertex.spvasm","entry_point":"main","model":"Vertex","flag":"VERTEX","vk_flag":1},{"module":"files/link_fragments.spvasm","entry_point":"bad","model":"Fragment","flag":"FRAGMENT","vk_flag":16}],"sets":[],"push_constants":{"per_stage":[],"ranges":[],"merged":null},"vertex_inputs":[],"interfaces":[{"from":0,"to":1,"values":[{"location":0,"component":0,"per_patch":false,"output":{"name":"%2","ty":"f32x4"},"input":{"name":"%2","ty":"f32x4"}},{"location":1,"component":0,"per_patch":false,"output":{"name":"%3","ty":"f32x2"},"input":{"name":"%4","ty":"i32x2"}},{"location":2,"component":0,"per_patch":false,"output":null,"input":{"name":"%5","ty":"f32x4"}}]}],"conflicts":[]}
= 1
$ spirula reflect --pipeline --no-validate --entry bad files/link_vertex.spvasm files/link_fragments.spvasm
> Graphics pipeline
>   stages
>     stage     module                       entry point
>     Vertex    files/link_vertex.spvasm     main
>     Fragment  files/link_fragments.spvasm  bad
>
> From Vertex to Fragment
>     location  output         type   input  type
>     0         %2             f32x4  %2     f32x4
>     1         %3             f32x2  %4     i32x2
>     2         (not written)         %5     f32x4
= 0
# What is no pipeline.
$ spirula reflect --pipeline files/link_vertex.spvasm files/link_fragments.spvasm
! error: files/link_fragments.spvasm: choose among its entry points with --entry NAME: good (Fragment), bad (Fragment)
= 2
$ spirula reflect --pipeline --format short files/wrong.spvasm files/camera_vert.spvasm
! files/wrong.spvasm:17:27: error[operand-type]: Operand 2 %two has type %int (32-bit signed integer), but must have the Result Type, %float (32-bit float)
! files/wrong.spvasm:18:28: error[id-undefined]: no instruction defines %missing
= 1
$ spirula reflect --pipeline --format short files/nowhere.spv files/camera_vert.spvasm
! files/nowhere.spv: error[io]: cannot read: No such file or directory (os error 2)
= 3
$ spirula reflect --pipeline --format rust files/camera_vert.spvasm
! error: --pipeline is for --format human, short and json
= 2
$ spirula reflect --entry main files/camera_vert.spvasm
! error: the following required arguments were not provided:
!   --pipeline
!
! Usage: spirula reflect --pipeline --entry <NAME> <INPUT>...
!
! For more information, try '--help'.
= 2
