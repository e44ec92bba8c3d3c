//! What OpenCL demands (OpenCL SPIR-V Environment Specification).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Dim, ImageOperands, Op};
use spirula_module::{Image, Shape, Type};

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};

rules! {
    group "opencl";
    /// OpenCL needs the addressing model `Physical32` or `Physical64`.
    ADDRESSING: "opencl-addressing-model", environment "OpenCL SPIR-V Environment: Validation Rules";
    /// OpenCL needs the memory model `OpenCL`.
    MEMORY: "opencl-memory-model", environment "OpenCL SPIR-V Environment: Validation Rules";
    /// An image type of OpenCL has `Void` as Sampled Type, is sampled at run time, has one sample and an access
    /// qualifier, and is arrayed only if it has one or two dimensions.
    IMAGE: "opencl-image-type", environment "OpenCL SPIR-V Environment: Validation Rules, Image";
    /// OpenCL's image reads give vectors of four components, or a scalar for depth images.
    IMAGE_READ: "opencl-image-read", environment "OpenCL SPIR-V Environment: Validation Rules, Image";
    /// OpenCL's image instructions take no image operands but `Lod`, `Grad` and `ConstOffset` where sampled.
    IMAGE_OPERANDS: "opencl-image-operands", environment "OpenCL SPIR-V Environment: Validation Rules, Image";
}

/// Further rules for instructions.
pub(crate) const TABLES: &[Table] = &[rule_table! {
    TypeImage => image_type;
    ImageRead => image_read;
    ImageWrite => image_write;
    ImageSampleExplicitLod => image_sample;
}];

fn image_type<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let image = Image::of(inst);
    let arrayed = image.arrayed != 0 && !matches!(image.dim, Dim::Dim1D | Dim::Dim2D);
    let what = if cx.m.info(image.sampled_type).op != Op::TypeVoid {
        format!("the Sampled Type {} is not void", image.sampled_type)
    } else if image.ms != 0 {
        format!("MS is {}, not 0", image.ms)
    } else if image.sampled != 0 {
        format!("Sampled is {}, not 0", image.sampled)
    } else if arrayed {
        format!("Arrayed is 1, but Dim is {}", image.dim)
    } else if image.access.is_none() {
        "there is no Access Qualifier".into()
    } else {
        return Ok(());
    };
    cx.fail(&IMAGE, inst, || format!("in this image type {what}"))
}

fn image_read<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    no_offset(cx, inst, 5)?;
    let ty = cx.type_at(inst, 3)?;
    let Some(Type::Image(image)) = cx.m.ty(ty) else { return Ok(()) };
    let key = cx.result_key(inst)?;
    if image.depth == 1 {
        return cx.check_at(key.is_float(), &IMAGE_READ, inst, 1, || {
            format!("the Result Type {} is no floating-point scalar, but a depth image is read", inst.id(1))
        });
    }
    cx.check_at(key.shape() == Shape::Vector && key.count() == 4, &IMAGE_READ, inst, 1, || {
        format!("the Result Type {} has no 4 components, but an image that is no depth image is read", inst.id(1))
    })
}

fn image_write<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.check_at(inst.words().len() <= 4, &IMAGE_OPERANDS, inst, 4, || "OpImageWrite has image operands")
}

fn image_sample<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    no_offset(cx, inst, 5)
}

fn no_offset(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    let offset = inst.word(word) & ImageOperands::ConstOffset.0 != 0;
    cx.check_at(!offset, &IMAGE_OPERANDS, inst, word, || format!("{} has the image operand ConstOffset", inst.op()))
}
