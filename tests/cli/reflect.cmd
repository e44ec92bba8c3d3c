$ spirula reflect ../../examples/draw-parameters.spvasm
$ spirula reflect ../../examples/linked-list.spvasm
$ spirula reflect ../../examples/append-buffer.spvasm
$ spirula reflect files/wrong.spvasm
