# Text, either byte order, hex, lists, standard input.
$ spirula val -v files/valid.spvasm files/big_endian.spv files/words.hex
! files/valid.spvasm: valid (vulkan1.4)
! files/big_endian.spv: valid (vulkan1.4)
! files/words.hex: valid (vulkan1.4)
! 3 modules: 3 valid; environment chosen from the module: vulkan1.4; [..] s
= 0
$ spirula val @files/list.txt --format short
! files/dir/b.spvasm:8:30: error[id-undefined]: no instruction defines %nowhere
! files/dir/b.spvasm:8:39: error[id-undefined]: no instruction defines %nowhere
! 4 modules: 3 valid, 1 invalid (2 errors, 0 warnings); environment chosen from the module: opencl2.2 ×2, vulkan1.4 ×2
= 1
$ spirula val - < files/big_endian.spv
! 1 module: 1 valid; environment chosen from the module: vulkan1.4
= 0
$ spirula val -q files/valid.spvasm
= 0
# The number of threads changes nothing but the time.
$ spirula val -j 1 -q -v files/dir
! files/dir/a.spvasm: valid (vulkan1.4)
! error[id-undefined]: no instruction defines %nowhere
!  --> files/dir/b.spvasm:8:30
!   |
! 8 | %c = OpConstantComposite %v2 %nowhere %nowhere
!   |                              ^^^^^^^^
!   |
!   = rule: SPIR-V §2.16.1
!
! error[id-undefined]: no instruction defines %nowhere
!  --> files/dir/b.spvasm:8:39
!   |
! 8 | %c = OpConstantComposite %v2 %nowhere %nowhere
!   |                                       ^^^^^^^^
!   |
!   = rule: SPIR-V §2.16.1
!
! files/dir/b.spvasm: invalid (opencl2.2)
! files/dir/sub/c.spvasm: valid (opencl2.2)
= 1
$ spirula val -j 3 -q -v files/dir
! files/dir/a.spvasm: valid (vulkan1.4)
! error[id-undefined]: no instruction defines %nowhere
!  --> files/dir/b.spvasm:8:30
!   |
! 8 | %c = OpConstantComposite %v2 %nowhere %nowhere
!   |                              ^^^^^^^^
!   |
!   = rule: SPIR-V §2.16.1
!
! error[id-undefined]: no instruction defines %nowhere
!  --> files/dir/b.spvasm:8:39
!   |
! 8 | %c = OpConstantComposite %v2 %nowhere %nowhere
!   |                                       ^^^^^^^^
!   |
!   = rule: SPIR-V §2.16.1
!
! files/dir/b.spvasm: invalid (opencl2.2)
! files/dir/sub/c.spvasm: valid (opencl2.2)
= 1
$ spirula val -j 0 files/dir
! error: invalid value '0' for '--jobs <N>': 0 is not in 1..=65535
!
! For more information, try '--help'.
= 2
