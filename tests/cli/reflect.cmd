$ spirula reflect ../../examples/draw-parameters.spvasm
> SPIR-V 1.3, Logical GLSL450
>
> Vertex main
>   inputs
>     location  name       type   built-in      interpolation  semantic
>     0                    f32x4
>               gl_DrawID  i32    DrawIndex
>                          i32    BaseVertex
>                          i32    BaseInstance
>                          i32    VertexIndex
>   outputs
>     location  name  type   built-in  interpolation  semantic
>     0               i32              Flat
>                     f32x4  Position
>   bindings
>     set  binding  name     kind            count  type        bytes  access
>     0    0        offsets  storage buffer  1      struct %11  0      read
>
> Block struct %11 offsets
>   members
>     offset  bytes  path  type     matrix stride
>     0       0      _0[]  f32x4[]
>
> Requires Vulkan 1.1 or newer
>   features
>     feature               extension                                   capability      because of
>     shaderDrawParameters  VK_KHR_shader_draw_parameters  core in 1.1  DrawParameters  OpDecorate %5 BuiltIn DrawIndex (gl_DrawID)
= 0
$ spirula reflect ../../examples/linked-list.spvasm
> SPIR-V 1.5, PhysicalStorageBuffer64 GLSL450
>
> GLCompute main
>   workgroup size 1 x 1 x 1
>   modes LocalSize
>   push constants
>     name  type  offset  bytes
>     list  List  0       16
>
> Block List list
>   members
>     offset  bytes  path  type        matrix stride
>     0       8      head  Node*
>     8       8      sum   struct %5*
>   device addresses
>     offset  path  points to  aligned to
>     0       head  Node       8
>     8       sum   struct %5  4
>
> Block Node
>   members
>     offset  bytes  path   type   matrix stride
>     0       4      value  f32
>     8       8      next   Node*
>   device addresses
>     offset  path  points to  aligned to
>     8       next  Node       8
>
> Block struct %5
>   members
>     offset  bytes  path  type  matrix stride
>     0       4      _0    f32
>
> Requires Vulkan 1.2 or newer
>   features
>     feature              extension                                  capability                      because of
>     shaderInt64                                        core in 1.0  Int64                           OpTypeInt 64
>     bufferDeviceAddress  VK_KHR_buffer_device_address  core in 1.2  PhysicalStorageBufferAddresses  OpMemoryModel PhysicalStorageBuffer64 GLSL450
= 0
$ spirula reflect ../../examples/append-buffer.spvasm
> SPIR-V 1.0, Logical GLSL450, from HLSL 600
>
> Fragment main
>   modes OriginUpperLeft
>   inputs
>     location  name                type   built-in   interpolation  semantic
>     0         in.var.COLOR0       f32x4                            COLOR0
>               in.var.SV_Position  f32x4  FragCoord                 SV_Position
>   outputs
>     location  name                type   built-in  interpolation  semantic
>     0         out.var.SV_Target0  f32x4                           SV_Target0
>   bindings
>     set  binding  name                kind            count  type                                 bytes  access
>     0    0        colors              storage buffer  1      type.AppendStructuredBuffer.v4float  0      write
>     0    1        counter.var.colors  storage buffer  1      type.ACSBuffer.counter               4      read, write
>
> Counter buffers
>     buffer  counter             known by
>     colors  counter.var.colors  decoration
>
> Block type.AppendStructuredBuffer.v4float colors
>   members
>     offset  bytes  path  type     matrix stride
>     0       0      _0[]  f32x4[]
>
> Block type.ACSBuffer.counter counter.var.colors
>   members
>     offset  bytes  path     type  matrix stride
>     0       4      counter  i32
>
> Requires Vulkan 1.0 or newer
= 0
$ spirula reflect files/wrong.spvasm
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
= 1
$ spirula val --format yaml files/wrong.spvasm
! error: --format yaml is for reflect only
= 2
# An invalid module is reported on as far as it goes.
$ spirula reflect --no-validate files/wrong.spvasm
> SPIR-V 1.3, Logical GLSL450
>
> GLCompute main
>   workgroup size 1 x 1 x 1
>   modes LocalSize
>
> Requires Vulkan 1.1 or newer
= 0
$ spirula reflect --no-validate files/unknown_opcode.spv
> SPIR-V 1.6, Logical GLSL450
>
> Requires Vulkan 1.3 or newer
= 0
$ spirula reflect --no-validate files/truncated.hex
> SPIR-V 1.0, Logical GLSL450
>
> GLCompute main
>
> Requires Vulkan 1.0 or newer
>
> Notes
>   instructions behind word 20 cannot be read
>   entry points without a function: what they use is not known
= 0
$ spirula reflect --no-validate files/odd.spv
> SPIR-V 1.0, Logical Simple
>
> Requires Vulkan 1.0 or newer
>
> Notes
>   there is no header
! warning[odd-length]: the last byte is no whole word, and left out
! --> files/odd.spv: byte 8
!
= 0
$ spirula reflect --no-validate files/empty.spv
! error[empty-input]: the input is empty
! --> files/empty.spv: byte 0
!
= 1
