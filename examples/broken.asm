; SPIR-V
; Version: 1.3
; A fragment shader with mistakes of several kinds. Try `spirula val examples/broken.asm`.
OpCapability Shader
%glsl = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color
OpExecutionMode %main OriginUpperLeft
%file = OpString "broken.frag"
OpSource GLSL 450 %file "#version 450
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform Params { float scale; mat3 turn; };
void main() {
    dvec4 wide = dvec4(1.0);
    color = vec4(1.0) * scale;
    color.w = color[4];
}
"
OpName %main "main"
OpName %color "color"
OpName %params "params"
OpName %Params "Params"
OpMemberName %Params 0 "scale"
OpDecorate %color Location 0
OpDecorate %Params Block
OpMemberDecorate %Params 0 Offset 0
OpDecorate %params DescriptorSet 0
%void = OpTypeVoid
%fn_void = OpTypeFunction %void
%float = OpTypeFloat 32
; OpCapability Float64 is missing
%double = OpTypeFloat 64
%v4float = OpTypeVector %float 4
%uint = OpTypeInt 32 0
%int = OpTypeInt 32 1
%int_0 = OpConstant %int 0
%float_1 = OpConstant %float 1
%white = OpConstantComposite %v4float %float_1 %float_1 %float_1 %float_1
%Params = OpTypeStruct %float
%ptr_Params = OpTypePointer Uniform %Params
%ptr_float = OpTypePointer Uniform %float
%ptr_out = OpTypePointer Output %v4float
%params = OpVariable %ptr_Params Uniform
%color = OpVariable %ptr_out Output
%main = OpFunction %void None %fn_void
%entry = OpLabel
OpLine %file 6 5
%slot = OpAccessChain %ptr_float %params %int_0
%scale = OpLoad %float %slot
; operands in the wrong order
%scaled = OpVectorTimesScalar %v4float %scale %white
OpStore %color %scaled
OpLine %file 7 15
; vec4 has the parts 0 to 3
%w = OpCompositeExtract %float %white 4
; the types differ
%sum = OpFAdd %float %w %int_0
; %late does not dominate this use
%bad = OpFMul %float %sum %late
OpReturn
OpFunctionEnd
