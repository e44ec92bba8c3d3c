#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in uvec4 joints;
layout(location = 3) in vec4 weights;
layout(location = 0) out vec3 outNormal;
layout(std140, set = 0, binding = 0) uniform Camera { mat4 viewProjection; vec3 eye; } camera;
layout(std430, set = 1, binding = 0) readonly buffer Bones { mat4 bone[]; };
void main() {
    mat4 skin = mat4(0.0);
    for (int i = 0; i < 4; ++i) skin += weights[i] * bone[joints[i]];
    vec4 world = skin * vec4(position, 1.0);
    outNormal = mat3(skin) * normal;
    gl_Position = camera.viewProjection * world;
    gl_PointSize = 1.0 / distance(camera.eye, world.xyz);
}
