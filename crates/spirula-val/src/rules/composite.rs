//! Composite instructions (§3.3.12).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{Capability, Op};
use spirula_module::{Scalar, Shape, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::signature::describe;

rules! {
    group "composite";
    /// `OpVectorExtractDynamic` reads, and `OpVectorInsertDynamic` writes, a component of a vector: component and vector
    /// have the right types, and the index is an integer scalar.
    DYNAMIC: "vector-dynamic", spec "OpVectorExtractDynamic";
    /// `OpVectorShuffle` makes a vector of components of two vectors with the same component type, one for each literal.
    SHUFFLE: "vector-shuffle", spec "OpVectorShuffle";
    /// A literal of `OpVectorShuffle` selects a component of the two vectors, or is `0xFFFFFFFF`.
    SHUFFLE_INDEX: "vector-shuffle-index", spec "OpVectorShuffle";
    /// The Result Type of `OpCompositeConstruct` is a composite.
    CONSTRUCT_RESULT: "composite-construct-result", spec "OpCompositeConstruct";
    /// `OpCompositeConstruct` takes as many constituents as the Result Type has; vectors may be made of vectors.
    CONSTRUCT_COUNT: "composite-construct-count", spec "OpCompositeConstruct";
    /// Each constituent of `OpCompositeConstruct` has the type of the member it becomes.
    CONSTRUCT_MEMBER: "composite-construct-member", spec "OpCompositeConstruct";
    /// Indexes lead through composites only, as many levels as there are.
    INDEX_TYPE: "composite-index-type", spec "OpCompositeExtract";
    /// An index is less than the number of what it selects from.
    INDEX_RANGE: "composite-index-range", spec "OpCompositeExtract";
    /// `OpCompositeExtract` and `OpCompositeInsert` have at least one index, and at most 255.
    INDEX_COUNT: "composite-index-count", spec "§2.17";
    /// What the indexes select has the Result Type of an extraction, or the type of the object that is inserted.
    INDEX_RESULT: "composite-index-result", spec "OpCompositeExtract";
    /// `OpCompositeInsert` gives the type of the composite it takes.
    INSERT_RESULT: "composite-insert-result", spec "OpCompositeInsert";
    /// `OpCopyObject` gives the type of its operand, which is not void.
    COPY: "copy-object-type", spec "OpCopyObject";
    /// `OpCopyLogical` copies between arrays or structures of different types that match logically.
    COPY_LOGICAL: "copy-logical-type", spec "OpCopyLogical";
    /// Images, samplers and sampled images are operands of the image instructions only. A warning, since consumers cope
    /// with copies of them.
    OPAQUE: "opaque-operand", warn spec "§2.16.1";
    /// `OpTranspose` swaps the rows and columns of a matrix.
    TRANSPOSE: "transpose-type", spec "OpTranspose";
}

pub(crate) const TABLE: Table = rule_table! {
    VectorExtractDynamic => extract_dynamic;
    VectorInsertDynamic => insert_dynamic;
    VectorShuffle => shuffle;
    CompositeConstruct => construct;
    CompositeConstructReplicateEXT => construct_replicated;
    CompositeExtract => extract;
    CompositeInsert => insert;
    CopyObject => copy;
    CopyLogical => copy_logical;
    Transpose => transpose;
};

/// The literal of a shuffle that selects nothing.
const NOTHING: u32 = u32::MAX;

/// Component type and number of components of a vector; the number is `None` where a constant states it.
fn vector(cx: &Cx<'_>, ty: Id) -> Option<(Id, Option<u32>)> {
    match cx.m.ty(ty)? {
        Type::Vector { component, count } => Some((component, Some(count))),
        Type::VectorId { component, count } => Some((component, cx.m.fixed_u32(count))),
        _ => None,
    }
}

fn extract_dynamic(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = cx.type_at(inst, 3)?;
    let result = cx.result_key(inst)?;
    let pointers = m.has(spirula_grammar::Capability::MaskedGatherScatterINTEL);
    cx.check_at(result.shape() == Shape::Scalar || pointers, &DYNAMIC, inst, 1, || {
        format!("the Result Type is {}, but must be a scalar", describe(m, inst.id(1)))
    })?;
    let component = vector(cx, ty).map(|v| v.0);
    cx.check_at(component.is_some(), &DYNAMIC, inst, 3, || {
        format!("{} has type {}, not a vector", inst.id(3), describe(m, ty))
    })?;
    cx.check_at(component == Some(inst.id(1)), &DYNAMIC, inst, 1, || {
        format!("the Result Type is {}, not the component type of {}", describe(m, inst.id(1)), describe(m, ty))
    })?;
    dynamic_index(cx, inst, 4)?;
    Ok(())
}

fn dynamic_index(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    let ok = cx.key_at(inst, word)?.is_int();
    let m = cx.m;
    cx.check_at(ok, &DYNAMIC, inst, word, || {
        let id = inst.id(word);
        format!("the index {id} has type {}, not an integer scalar", describe(m, m.type_id_of(id)))
    })
}

fn insert_dynamic(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = inst.id(1);
    let component = vector(cx, ty).map(|v| v.0);
    cx.check_at(component.is_some(), &DYNAMIC, inst, 1, || {
        format!("the Result Type is {}, not a vector", describe(m, ty))
    })?;
    let from = cx.type_at(inst, 3)?;
    cx.check_at(from == ty, &DYNAMIC, inst, 3, || {
        format!("{} has type {}, not the Result Type {}", inst.id(3), describe(m, from), describe(m, ty))
    })?;
    let value = cx.type_at(inst, 4)?;
    cx.check_at(component == Some(value), &DYNAMIC, inst, 4, || {
        format!("{} has type {}, not the component type of {}", inst.id(4), describe(m, value), describe(m, ty))
    })?;
    dynamic_index(cx, inst, 5)?;
    Ok(())
}

pub(crate) fn shuffle(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let literals = inst.tail(5);
    let result = vector(cx, inst.id(1));
    cx.check_at(result.is_some(), &SHUFFLE, inst, 1, || {
        format!("the Result Type is {}, not a vector", describe(m, inst.id(1)))
    })?;
    let (component, count) = result.ok_or(Failed)?;
    cx.check_at(count.is_none_or(|c| c as usize == literals.len()), &SHUFFLE, inst, 1, || {
        format!("{} literals for the Result Type {}", literals.len(), describe(m, inst.id(1)))
    })?;
    let mut total = Some(0u32);
    for word in [3, 4] {
        let ty = cx.type_at(inst, word)?;
        let cooperative = m.key(ty).shape() == Shape::CooperativeVector && !cx.has(Capability::LongVectorEXT);
        let from = vector(cx, ty).filter(|_| !cooperative);
        cx.check_at(from.is_some(), &SHUFFLE, inst, word, || {
            format!("{} has type {}, not a vector", inst.id(word), describe(m, ty))
        })?;
        let (of, count) = from.ok_or(Failed)?;
        cx.check_at(of == component, &SHUFFLE, inst, word, || {
            format!(
                "{} has type {}, whose components are not those of {}",
                inst.id(word),
                describe(m, ty),
                describe(m, inst.id(1))
            )
        })?;
        total = total.zip(count).map(|(a, b)| a.saturating_add(b));
    }
    if let Some(total) = total
        && let Some(at) = literals.iter().position(|l| *l >= total && *l != NOTHING)
    {
        let literal = literals.get(at).copied().unwrap_or_default();
        return cx.fail_at(&SHUFFLE_INDEX, inst, 5 + at, || {
            format!("the literal {literal} selects none of the {total} components of the two vectors")
        });
    }
    Ok(())
}

fn construct(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = inst.id(1);
    let given = inst.tail(3);
    if m.key(ty).shape() == Shape::Vector {
        return construct_vector(cx, inst);
    }
    match m.ty(ty).ok_or(Failed)? {
        // Long ones, and those of pointers.
        Type::Vector { .. } | Type::VectorId { .. } => construct_vector(cx, inst)?,
        Type::Matrix { column, count } => construct_list(cx, inst, column, Some(u64::from(count)))?,
        Type::Array { element, length } => {
            let length = m.int_constant(length).filter(|c| !c.spec).and_then(|c| c.as_unsigned());
            construct_list(cx, inst, element, length)?;
        }
        Type::Struct { members } => {
            cx.check(members.len() == given.len(), &CONSTRUCT_COUNT, inst, || {
                format!("{} constituents for a structure with {} members", given.len(), members.len())
            })?;
            for (i, member) in members.iter().enumerate() {
                constituent(cx, inst, 3 + i, Id(*member))?;
            }
        }
        Type::CooperativeMatrix { component, .. } => {
            cx.check(given.len() == 1, &CONSTRUCT_COUNT, inst, || {
                format!("{} constituents for a cooperative matrix, which takes one", given.len())
            })?;
            constituent(cx, inst, 3, component)?;
        }
        Type::Other(of) if of.op() == Op::TypeCooperativeMatrixNV => {
            cx.check(given.len() == 1, &CONSTRUCT_COUNT, inst, || {
                format!("{} constituents for a cooperative matrix, which takes one", given.len())
            })?;
            constituent(cx, inst, 3, of.id(2))?;
        }
        _ => {
            return cx.fail_at(&CONSTRUCT_RESULT, inst, 1, || {
                format!("the Result Type {} is no composite", describe(m, ty))
            });
        }
    }
    Ok(())
}

fn constituent(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, wanted: Id) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    cx.check_at(ty == wanted, &CONSTRUCT_MEMBER, inst, word, || {
        let id = inst.id(word);
        msg(format!("the constituent {id} has type {}, but must have {}", describe(m, ty), describe(m, wanted)))
            .declared(m, id)
    })
}

fn construct_list(cx: &mut Cx<'_>, inst: Inst<'_>, element: Id, count: Option<u64>) -> Checked {
    let given = inst.tail(3).len();
    let m = cx.m;
    cx.check(count.is_none_or(|c| c == given as u64), &CONSTRUCT_COUNT, inst, || {
        format!("{given} constituents for {}, which has {}", describe(m, inst.id(1)), count.unwrap_or(0))
    })?;
    (0..given).try_for_each(|i| constituent(cx, inst, 3 + i, element))
}

/// A vector is made of scalars and of vectors of its component type.
fn construct_vector(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let (component, count) = vector(cx, inst.id(1)).ok_or(Failed)?;
    let given = inst.tail(3).len();
    let mut total = Some(0u32);
    for word in 3..3 + given {
        let ty = cx.type_at(inst, word)?;
        let part = if ty == component { Some((component, Some(1))) } else { vector(cx, ty) };
        cx.check_at(part.is_some_and(|p| p.0 == component), &CONSTRUCT_MEMBER, inst, word, || {
            let id = inst.id(word);
            msg(format!("the constituent {id} has type {}, not made of {}", describe(m, ty), describe(m, component)))
                .declared(m, id)
        })?;
        total = total.zip(part.and_then(|p| p.1)).map(|(a, b)| a.saturating_add(b));
    }
    let (Some(total), Some(count)) = (total, count) else { return Ok(()) };
    cx.check(total == count, &CONSTRUCT_COUNT, inst, || {
        format!("the constituents have {total} components together, but the Result Type has {count}")
    })?;
    // Vectors of one component exist among long vectors.
    let several = given >= 2 || cx.has(spirula_grammar::Capability::LongVectorEXT);
    cx.check(several, &CONSTRUCT_COUNT, inst, || "a vector is made of at least two constituents")
}

fn construct_replicated(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let element = match m.ty(inst.id(1)) {
        Some(Type::Vector { component, .. } | Type::VectorId { component, .. }) => component,
        Some(Type::CooperativeMatrix { component, .. }) => component,
        Some(Type::Matrix { column, .. }) => column,
        Some(Type::Array { element, .. }) => element,
        Some(Type::Struct { members }) if !members.is_empty() => {
            let ty = cx.type_at(inst, 3)?;
            let ok = members.iter().all(|t| *t == ty.0);
            return cx.check_at(ok, &CONSTRUCT_MEMBER, inst, 3, || {
                format!("{} is not the type of all members of {}", describe(m, ty), describe(m, inst.id(1)))
            });
        }
        Some(Type::Other(of)) if of.op() == Op::TypeCooperativeMatrixNV => of.id(2),
        Some(Type::Other(of)) if of.op() == Op::TypeTensorARM => of.id(2),
        _ => {
            return cx.fail_at(&CONSTRUCT_RESULT, inst, 1, || {
                format!("the Result Type {} is no composite", describe(m, inst.id(1)))
            });
        }
    };
    constituent(cx, inst, 3, element)
}

/// The type that literal indexes select from a type.
fn walk(cx: &mut Cx<'_>, inst: Inst<'_>, from: Id, first: usize) -> Checked<Id> {
    let m = cx.m;
    let indexes = inst.tail(first);
    cx.check(!indexes.is_empty(), &INDEX_COUNT, inst, || "there is no index")?;
    cx.check(indexes.len() <= 255, &INDEX_COUNT, inst, || {
        format!("there are {} indexes, more than 255", indexes.len())
    })?;
    let mut ty = from;
    for (i, index) in indexes.iter().enumerate() {
        let range = |cx: &mut Cx<'_>, count: Option<u64>| {
            cx.check_at(count.is_none_or(|c| u64::from(*index) < c), &INDEX_RANGE, inst, first + i, || {
                format!("index {index} into {}, which has {}", describe(m, ty), count.unwrap_or(0))
            })
        };
        ty = match m.ty(ty).ok_or(Failed)? {
            Type::Vector { component: next, count } | Type::Matrix { column: next, count } => {
                range(cx, Some(u64::from(count)))?;
                next
            }
            Type::VectorId { component, count } => {
                range(cx, m.fixed_u32(count).map(u64::from))?;
                component
            }
            Type::Array { element, length } => {
                range(cx, m.int_constant(length).filter(|c| !c.spec).and_then(|c| c.as_unsigned()))?;
                element
            }
            Type::Struct { members } => {
                range(cx, Some(members.len() as u64))?;
                Id(members.get(*index as usize).copied().ok_or(Failed)?)
            }
            Type::RuntimeArray { element } => element,
            Type::CooperativeMatrix { component, .. } => component,
            Type::Other(of) if of.op() == Op::TypeCooperativeMatrixNV => of.id(2),
            _ => {
                cx.fail_at(&INDEX_TYPE, inst, first + i, || {
                    format!("index {index} leads into {}, which is no composite", describe(m, ty))
                })?;
                return Err(Failed);
            }
        };
    }
    Ok(ty)
}

pub(crate) fn extract(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let from = cx.type_at(inst, 3)?;
    let got = walk(cx, inst, from, 4)?;
    cx.check_at(got == inst.id(1), &INDEX_RESULT, inst, 1, || {
        format!("the Result Type is {}, but the indexes select {}", describe(m, inst.id(1)), describe(m, got))
    })?;
    Ok(())
}

pub(crate) fn insert(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let (object, composite) = (cx.type_at(inst, 3)?, cx.type_at(inst, 4)?);
    cx.check_at(composite == inst.id(1), &INSERT_RESULT, inst, 1, || {
        format!("the Result Type is {}, but the composite has {}", describe(m, inst.id(1)), describe(m, composite))
    })?;
    let got = walk(cx, inst, composite, 5)?;
    cx.check_at(got == object, &INDEX_RESULT, inst, 3, || {
        format!("the object has type {}, but the indexes select {}", describe(m, object), describe(m, got))
    })?;
    Ok(())
}

fn copy(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = cx.type_at(inst, 3)?;
    cx.check_at(ty == inst.id(1), &COPY, inst, 1, || {
        format!("the Result Type is {}, but the operand has {}", describe(m, inst.id(1)), describe(m, ty))
    })?;
    let void = cx.result_key(inst)?.shape() == Shape::Void;
    cx.check_at(!void, &COPY, inst, 1, || "the Result Type is void")?;
    not_opaque(cx, inst)
}

/// Handles of images and samplers go from where they are loaded to where they are used.
fn not_opaque(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let bindless = cx.has(spirula_grammar::Capability::BindlessTextureNV);
    let handle = matches!(m.info(inst.id(1)).op, Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage);
    cx.check_at(bindless || !handle, &OPAQUE, inst, 3, || {
        format!("{} is {}, which only image instructions take", inst.id(3), describe(m, inst.id(1)))
    })
}

fn copy_logical(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = cx.type_at(inst, 3)?;
    cx.check_at(ty != inst.id(1), &COPY_LOGICAL, inst, 1, || {
        format!("the Result Type is that of the operand, {}; OpCopyObject copies those", describe(m, ty))
    })?;
    cx.check_at(match_logically(cx, inst.id(1), ty), &COPY_LOGICAL, inst, 3, || {
        format!("{} does not match {} logically", describe(m, ty), describe(m, inst.id(1)))
    })
}

/// How many pairs of types are compared before two types count as matching.
const MOST: usize = 1 << 12;

/// Whether two aggregates differ in decorations and type ids only (§2.16.1, "logically match").
pub(crate) fn match_logically(cx: &Cx<'_>, a: Id, b: Id) -> bool {
    let m = cx.m;
    let mut todo = cx.collect([(a, b, true)]);
    let mut left = MOST;
    while let Some((a, b, top)) = todo.pop() {
        if left == 0 {
            return true;
        }
        left -= 1;
        if a == b && !top {
            continue;
        }
        match (m.ty(a), m.ty(b)) {
            (Some(Type::Array { element: a, length: x }), Some(Type::Array { element: b, length: y })) => {
                if x != y {
                    return false;
                }
                todo.push((a, b, false));
            }
            (Some(Type::Struct { members: a }), Some(Type::Struct { members: b })) => {
                if a.len() != b.len() {
                    return false;
                }
                todo.extend(a.iter().zip(b).take(left).map(|(a, b)| (Id(*a), Id(*b), false)));
            }
            _ => return false,
        }
    }
    true
}

fn transpose(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = cx.type_at(inst, 3)?;
    let (to, from) = (cx.result_key(inst)?, cx.key(ty)?);
    let matrix = |k: spirula_module::TypeKey| k.shape() == Shape::Matrix && k.component_class() != Scalar::None;
    cx.check_at(matrix(to), &TRANSPOSE, inst, 1, || {
        format!("the Result Type is {}, not a matrix", describe(m, inst.id(1)))
    })?;
    cx.check_at(matrix(from), &TRANSPOSE, inst, 3, || {
        format!("{} has type {}, not a matrix", inst.id(3), describe(m, ty))
    })?;
    let fits = to.component() == from.component() && to.count() == from.rows() && to.rows() == from.count();
    cx.check_at(fits, &TRANSPOSE, inst, 3, || {
        format!("{} is not the transpose of {}", describe(m, inst.id(1)), describe(m, ty))
    })?;
    Ok(())
}
