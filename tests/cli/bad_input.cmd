# What is no module is said so, with file and byte, and the others are still processed.
$ spirula val --format short files/empty.spv files/hello.spv files/odd.spv files/bad.hex files/nowhere.spv files/valid.spvasm files/dir/notes.txt
! files/empty.spv: byte 0: error[empty-input]: the input is empty
! files/hello.spv: byte 0: error[not-spirv]: not SPIR-V: the first word is 0x73696854, not the magic number 0x07230203 in either byte order, and this is neither assembly nor hex
! files/odd.spv: byte 8: error[odd-length]: a module is a sequence of 4-byte words, but there are 9 bytes
! files/bad.hex: byte 11: error[not-spirv]: `0x0001060g` is not a hexadecimal number
! files/nowhere.spv: error[io]: cannot read: No such file or directory (os error 2)
! files/dir/notes.txt: byte 0: error[not-spirv]: not SPIR-V: the first word is 0x6c6c6568, not the magic number 0x07230203 in either byte order, and this is neither assembly nor hex
! 7 modules: 1 valid, 5 invalid, 1 failed (6 errors, 0 warnings); environment chosen from the module: vulkan1.4
= 3
# Directories.
$ spirula val --format short files/dir
! files/dir/b.spvasm:8:30: error[id-undefined]: no instruction defines %nowhere
! files/dir/b.spvasm:8:39: error[id-undefined]: no instruction defines %nowhere
! 3 modules: 2 valid, 1 invalid (2 errors, 0 warnings); environment chosen from the module: opencl2.2 ×2, vulkan1.4 ×1
= 1
$ spirula val --format short files/nowhere/
! files/nowhere/: error[io]: cannot read: No such file or directory (os error 2)
! 1 module: 1 failed (1 error, 0 warnings)
= 3
# A folder without modules.
$ spirula as -o $TMP/one.spv files/valid.spvasm
= 0
$ spirula dis $TMP -o $TMP/text/
= 0
$ spirula as $TMP/text/one.spvasm -o $TMP/text/two.bin
= 0
$ spirula val $TMP/text/two.bin
! 1 module: 1 valid; environment chosen from the module: vulkan1.4
= 0
# No input at all: standard input, which is empty.
$ spirula val
! error[empty-input]: the input is empty
! --> <stdin>: byte 0
!
! 1 module: 1 invalid (1 error, 0 warnings)
= 1
