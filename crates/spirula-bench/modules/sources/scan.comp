#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint CHUNK = 4;
layout(std430, binding = 0) buffer Data { uint data[]; };
layout(std430, binding = 1) coherent buffer Sums { uint sums[]; };
shared uint partial[64];
void main() {
    uint mine[CHUNK];
    uint sum = 0;
    for (uint i = 0; i < CHUNK; ++i) { mine[i] = sum; sum += data[gl_GlobalInvocationID.x * CHUNK + i]; }
    uint before = subgroupExclusiveAdd(sum);
    if (subgroupElect()) partial[gl_SubgroupID] = before + sum;
    memoryBarrierShared();
    barrier();
    uint base = 0;
    for (uint i = 0; i < gl_SubgroupID; ++i) base += partial[i];
    for (uint i = 0; i < CHUNK; ++i) data[gl_GlobalInvocationID.x * CHUNK + i] = mine[i] + before + base;
    if (gl_LocalInvocationIndex == 0) atomicAdd(sums[gl_WorkGroupID.x], base);
}
