# The reference tools' command lines.
$ spirula compat spirv-as files/wrong.spvasm -o $TMP/wrong.spv
= 0
$ spirula compat spirv-val $TMP/wrong.spv
! error: $TMP/wrong.spv:6: no instruction defines %5
!   %4 = OpConstantComposite %2 %5 %1 %3 %2
!
= 1
$ spirula compat spirv-val --target-env vulkan1.1 --relax-block-layout $TMP/wrong.spv
! error: $TMP/wrong.spv:6: no instruction defines %5
!   %4 = OpConstantComposite %2 %5 %1 %3 %2
!
= 1
$ spirula compat spirv-val < $TMP/wrong.spv
! error: line 6: no instruction defines %5
!   %4 = OpConstantComposite %2 %5 %1 %3 %2
!
= 1
$ spirula compat spirv-val files/big_endian.spv
= 0
$ spirula compat spirv-val files/hello.spv
! error: files/hello.spv: not SPIR-V: the first word is 0x73696854, not the magic number 0x07230203 in either byte order, and this is neither assembly nor hex
= 1
$ spirula compat spirv-val files/nowhere.spv
! error: cannot read 'files/nowhere.spv'
= 1
$ spirula compat spirv-as files/syntax.spvasm -o -
! error: 1: 14: `Shadr` is not a value of Capability
= 251
$ spirula compat spirv-dis --raw-id --no-header files/big_endian.spv
= 0
$ spirula compat spirv-dis files/unknown_opcode.spv
= 0
$ spirula compat spirv-opt
! error: spirv-opt is not one of spirv-as, spirv-dis, spirv-val
= 2
$ spirula compat spirv-val --what
! error: unexpected argument '--what' found
!
!   tip: to pass '--what' as a value, use '-- --what'
!
! Usage: spirv-val [OPTIONS] [FILE]
!
! For more information, try '--help'.
= 1
