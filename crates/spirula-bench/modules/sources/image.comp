#version 450
#extension GL_EXT_nonuniform_qualifier : require
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform sampler samplers[];
layout(set = 1, binding = 0) uniform texture2D textures[];
layout(binding = 1, rgba16f) uniform writeonly image2D target;
layout(push_constant) uniform P { uint texture_index; uint sampler_index; ivec2 size; } p;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, p.size))) return;
    vec4 sum = vec4(0);
    for (int y = -1; y <= 1; ++y) for (int x = -1; x <= 1; ++x) {
        vec2 uv = (vec2(at + ivec2(x, y)) + 0.5) / vec2(p.size);
        sum += textureLod(sampler2D(textures[nonuniformEXT(p.texture_index)], samplers[nonuniformEXT(p.sampler_index)]), uv, 0.0);
    }
    switch (p.texture_index & 3u) { case 0u: sum *= 0.5; break; case 1u: sum = sqrt(sum); case 2u: sum += 1.0; break; default: break; }
    imageStore(target, at, sum / 9.0);
}
