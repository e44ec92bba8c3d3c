#version 450
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { vec4 value; Node next; f16vec4 half_value; uint8_t flags[8]; };
layout(push_constant) uniform P { Node head; uint64_t stamp; } p;
void main() {
    Node n = p.head;
    double total = 0.0lf;
    for (uint i = 0; i < gl_GlobalInvocationID.x; ++i) {
        if (uint64_t(n) == 0ul) break;
        total += double(n.value.x) + double(n.half_value.y);
        n.flags[i & 7u] = uint8_t(i);
        n = n.next;
    }
    n.value.w = float(total);
}
