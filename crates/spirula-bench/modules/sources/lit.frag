#version 450
layout(location = 0) in vec3 normal;
layout(location = 1) in vec2 uv;
layout(location = 2) in vec4 tint;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) uniform Lights { vec4 direction[4]; vec4 color[4]; uint count; } lights;
layout(set = 0, binding = 1) uniform sampler2D albedo;
layout(set = 0, binding = 2) uniform sampler2DShadow shadow;
layout(push_constant) uniform Push { float roughness; float metal; } push;
vec3 shade(vec3 n, vec3 l, vec3 c) {
    float d = max(dot(n, -l), 0.0);
    float s = pow(max(dot(reflect(l, n), n), 0.0), 1.0 / max(push.roughness, 0.01));
    return c * mix(d, s, push.metal);
}
void main() {
    vec3 n = normalize(normal);
    vec3 sum = vec3(0.02);
    for (uint i = 0; i < lights.count; ++i) {
        if (lights.color[i].a <= 0.0) continue;
        sum += shade(n, lights.direction[i].xyz, lights.color[i].rgb);
    }
    float lit = texture(shadow, vec3(uv, gl_FragCoord.z));
    vec4 base = texture(albedo, uv) * tint;
    if (base.a < 0.5) discard;
    result = vec4(base.rgb * sum * lit, base.a);
}
