//! Locations and components of interfaces (Vulkan specification, "Shader Input and Output Interfaces").

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, Rule, Site, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, ExecutionModel as Model, Op, StorageClass};
use spirula_module::{EntryPoint, Module, Scalar, Shape, Type};

use crate::cx::{Cx, List, msg};
use crate::id_set::IdSet;
use crate::rules::vulkan::builtins::without_arrays;

rules! {
    group "interfaces";
    /// Two inputs of an entry point cannot have the same component of the same location.
    INPUT_OVERLAP: "location-input-overlap", vuid "VUID-StandaloneSpirv-OpEntryPoint-08721";
    /// Two outputs of an entry point cannot have the same component of the same location.
    OUTPUT_OVERLAP: "location-output-overlap", vuid "VUID-StandaloneSpirv-OpEntryPoint-08722";
    /// An input or output that is no block and no built-in must have a location.
    MISSING: "location-missing", vuid "VUID-StandaloneSpirv-Location-04917";
    /// A structure whose variable has a location cannot have members with locations.
    MEMBERS: "location-members", vuid "VUID-StandaloneSpirv-Location-04918";
    /// Each member of a block without location must have a location.
    MEMBER_MISSING: "location-member-missing", vuid "VUID-StandaloneSpirv-Location-04919";
    /// Only numbers, and vectors, matrices, arrays and structures of them, have locations.
    TYPE: "location-type", environment "Vulkan: Location and Component Assignment";
    /// Fragment shaders write numbers of 32 bits, or of 16 where the device stores such in interfaces.
    OUTPUT_WIDTH: "fragment-output-width", warn environment "Vulkan: Fragment Output Interface";
    /// Two outputs of a fragment shader in one location go to one attachment, and so both are floats, or both signed or
    /// both unsigned integers.
    OUTPUT_KIND: "fragment-output-kind", environment "Vulkan: Fragment Output Interface";
    /// Inputs of a vertex shader that share a location have components of one width.
    VERTEX_WIDTH: "vertex-input-width", warn environment "Vulkan: Vertex Input Attributes";
    /// Inputs of a fragment shader that share a location are interpolated alike.
    ALIKE: "input-location-interpolation", vuid "VUID-StandaloneSpirv-Input-10604";
    /// `Index` is for outputs of fragment shaders.
    INDEX: "index-fragment-output", environment "Vulkan: Fragment Output Interface";
    /// A built-in occurs once in the input interface of an entry point.
    BUILTIN_INPUT: "interface-builtin-input-twice", vuid "VUID-StandaloneSpirv-OpEntryPoint-09658";
    /// A built-in occurs once in the output interface of an entry point.
    BUILTIN_OUTPUT: "interface-builtin-output-twice", vuid "VUID-StandaloneSpirv-OpEntryPoint-09659";
    /// Pointers to physical storage buffers cannot be handed from stage to stage.
    POINTER: "interface-physical-pointer", vuid "VUID-StandaloneSpirv-Input-09557";
    /// Numbers encoded as bfloat16 are neither inputs nor outputs.
    BFLOAT: "interface-bfloat16", vuid "VUID-StandaloneSpirv-OpTypeFloat-10370";
    /// Integers of 8 bits are neither inputs nor outputs.
    INT8: "interface-int8", warn vuid "VUID-RuntimeSpirv-None-10980";
    /// Numbers in 8-bit and smaller encodings are neither inputs nor outputs.
    FLOAT8: "interface-float8", vuid "VUID-StandaloneSpirv-OpTypeFloat-10823";
}

/// No device has as many locations; longer arrays are not followed further.
const MOST_LOCATIONS: u32 = 4096;

/// Judges the interfaces of all entry points.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.env.is_vulkan() {
        return;
    }
    for variable in cx.m.global_variables() {
        let class = StorageClass(variable.word(3));
        if matches!(class, StorageClass::Input | StorageClass::Output) && variable.op() == Op::Variable {
            contents(cx, variable).ok();
        }
    }
    let mut judged = IdSet::default();
    for entry in cx.m.entry_points() {
        let mut slots = cx.list();
        let mut builtins = cx.list();
        // Before SPIR-V 1.4 a variable may be listed twice.
        let listed = cx.listed(entry.interface);
        for id in listed {
            let Some(variable) = cx.m.def(id).filter(|v| v.op() == Op::Variable) else { continue };
            let class = StorageClass(variable.word(3));
            if !matches!(class, StorageClass::Input | StorageClass::Output) {
                continue;
            }
            collect_builtins(cx.m, variable, class, &mut builtins);
            if let Err(Failed) = locations(cx, &entry, variable, class, &mut slots, &judged) {
                judged.insert(id, cx.m.ids());
            }
        }
        overlaps(cx, &entry, slots);
        repeated(cx, &entry, builtins);
    }
}

/// One component of one location that a variable takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Slot {
    output: bool,
    /// Stream of geometry shaders, index of fragment shaders.
    set: u32,
    location: u32,
    component: u32,
    variable: Id,
    /// What variables in one location have in common: of inputs of fragment shaders, how they are interpolated, of
    /// outputs, the kind of number, of inputs of vertex shaders, its width.
    kind: u8,
}

fn overlaps(cx: &mut Cx<'_>, entry: &EntryPoint<'_>, mut slots: List<'_, Slot>) {
    slots.sort_unstable();
    let mut told = [false; 2];
    for pair in slots.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if (a.location, a.output, a.set) != (b.location, b.output, b.set) {
            continue;
        }
        if a.component == b.component && !core::mem::replace(&mut told[usize::from(a.output)], true) {
            let (rule, what) = if a.output { (&OUTPUT_OVERLAP, "outputs") } else { (&INPUT_OVERLAP, "inputs") };
            let m = cx.m;
            let text = || {
                let place = format!("component {} of location {}", a.component, a.location);
                msg(format!("the {what} {} and {} both take {place}", a.variable, b.variable)).declared(m, b.variable)
            };
            cx.fail(rule, entry.inst, text).ok();
        }
        if a.kind != b.kind && a.variable != b.variable {
            unlike(cx, entry.model, a, b).ok();
        }
    }
}

/// Two variables share a location, but not what they would have to.
#[cold]
fn unlike(cx: &mut Cx<'_>, model: Model, a: Slot, b: Slot) -> Checked {
    let at = cx.def(a.variable.max(b.variable))?;
    let (rule, what): (&'static Rule, _) = match model {
        Model::Vertex => (&VERTEX_WIDTH, "have numbers of different widths"),
        _ if a.output => (&OUTPUT_KIND, "have different kinds of numbers"),
        _ => (&ALIKE, "are not interpolated alike"),
    };
    cx.fail(rule, at, || format!("{} and {} share the location {}, but {what}", a.variable, b.variable, a.location))
}

fn collect_builtins(m: Module<'_>, variable: Inst<'_>, class: StorageClass, all: &mut List<'_, (bool, u32, Id, u32)>) {
    let (id, output) = (variable.id(2), class == StorageClass::Output);
    if let Some(d) = m.decoration(id, Decoration::BuiltIn) {
        all.push((output, d.operand(), id, 0));
        return;
    }
    let Some((_, pointee)) = m.pointer(variable.id(1)) else { return };
    let block = without_arrays(m, pointee);
    for d in m.decorations(block).filter(|d| d.member.is_some() && d.decoration == Decoration::BuiltIn) {
        all.push((output, d.operand(), id, d.member.unwrap_or(0)));
    }
}

fn repeated(cx: &mut Cx<'_>, entry: &EntryPoint<'_>, mut builtins: List<'_, (bool, u32, Id, u32)>) {
    builtins.sort_unstable();
    for pair in builtins.windows(2) {
        if (pair[0].0, pair[0].1) == (pair[1].0, pair[1].1) && pair[0] != pair[1] {
            let rule = if pair[0].0 { &BUILTIN_OUTPUT } else { &BUILTIN_INPUT };
            let text = || format!("{} and {} are both the built-in {}", pair[0].2, pair[1].2, BuiltIn(pair[0].1));
            cx.fail(rule, entry.inst, text).ok();
        }
    }
}

/// Types that no input or output contains.
fn contents(cx: &mut Cx<'_>, variable: Inst<'_>) -> Checked {
    let m = cx.m;
    let Some((_, pointee)) = m.pointer(variable.id(1)) else { return Ok(()) };
    let id = variable.id(2);
    let builtin = m.is_decorated(id, Decoration::BuiltIn);
    // Bounded: a type may be cyclic, and very large ones are not worth the time.
    let mut work = cx.collect([(pointee, builtin)]);
    let mut budget = 4096;
    while let Some((ty, builtin)) = work.pop() {
        budget -= 1;
        if budget == 0 {
            break;
        }
        match m.ty(ty) {
            Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => work.push((element, builtin)),
            Some(Type::Vector { component, .. }) => work.push((component, builtin)),
            Some(Type::Matrix { column, .. }) => work.push((column, builtin)),
            Some(Type::Struct { members }) => {
                for (index, member) in members.iter().enumerate().take(1024) {
                    let own = m.member_decoration(ty, index as u32, Decoration::BuiltIn).is_some();
                    work.push((Id(*member), builtin || own));
                }
            }
            Some(Type::Pointer { class: StorageClass::PhysicalStorageBuffer, .. }) if !builtin => {
                return cx.fail(&POINTER, variable, || {
                    format!("{id} is an interface variable, but contains a pointer of PhysicalStorageBuffer")
                });
            }
            Some(Type::Int { width: 8, .. }) => {
                return cx
                    .fail(&INT8, variable, || format!("{id} is an interface variable, but contains 8-bit integers"));
            }
            Some(Type::Float(number)) if matches!(number.kind, spirula_binary::NumberKind::Encoded(_)) => {
                let (rule, width) = if number.width == 16 { (&BFLOAT, 16) } else { (&FLOAT8, number.width) };
                return cx.fail(rule, variable, || {
                    format!(
                        "{id} is an interface variable, but contains {width}-bit floats in an encoding of their own"
                    )
                });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether variables of the stage have one array level more, for the vertices.
pub(crate) fn is_arrayed(m: Module<'_>, model: Model, id: Id, class: StorageClass, patch: bool) -> bool {
    let output = class == StorageClass::Output;
    match model {
        Model::TessellationControl => !patch,
        Model::TessellationEvaluation => !patch && !output,
        Model::Geometry => !output,
        Model::Fragment => !output && m.is_decorated(id, Decoration::PerVertexKHR),
        Model::MeshNV | Model::MeshEXT => output,
        _ => false,
    }
}

/// What a variable takes, and whether its locations are well given. `judged` holds variables whose faults are told.
fn locations<'a>(
    cx: &mut Cx<'a>,
    entry: &EntryPoint<'_>,
    variable: Inst<'a>,
    class: StorageClass,
    slots: &mut List<'a, Slot>,
    judged: &IdSet,
) -> Checked {
    let m = cx.m;
    let id = variable.id(2);
    if judged.contains(id, m.ids()) || m.is_decorated(id, Decoration::BuiltIn) {
        return Ok(());
    }
    let Some((_, mut ty)) = m.pointer(variable.id(1)) else { return Ok(()) };
    let patch = m.is_decorated(id, Decoration::Patch);
    if is_arrayed(m, entry.model, id, class, patch)
        && let Some(Type::Array { element, .. } | Type::RuntimeArray { element }) = m.ty(ty)
    {
        ty = element;
    }
    let output = class == StorageClass::Output;
    let value = |decoration| m.decoration(id, decoration).map(|d| d.operand());
    let index = value(Decoration::Index);
    let model = entry.model;
    cx.check(index.is_none() || output && model == Model::Fragment, &INDEX, variable, || {
        format!(
            "{id} is decorated with Index, but is used by the execution model {model}, not as an output of Fragment"
        )
    })?;
    let streams = output && entry.model == Model::Geometry && m.has(Capability::GeometryStreams);
    let set = match () {
        () if output && entry.model == Model::Fragment => index.unwrap_or(0),
        () if streams => value(Decoration::Stream).unwrap_or(0),
        // Locations of a patch are apart from those of its vertices.
        () => u32::from(patch),
    };
    let location = value(Decoration::Location);
    let inner = without_arrays(m, ty);
    let members = match m.ty(inner) {
        Some(Type::Struct { members }) => members,
        _ => &[],
    };
    let has = |member: u32, decoration| m.member_decoration(inner, member, decoration).map(|d| d.operand());
    let is_struct = m.info(inner).op == Op::TypeStruct;
    let kind = if model == Model::Fragment && !output { interpolation(|d| m.is_decorated(id, d)) } else { 0 };
    let mut take = Take { m, output, set, variable: id, kind, model, wide: None, slots, work: cx.list() };
    if let Some(location) = location {
        no_member_located(cx, variable, inner)?;
        let component = value(Decoration::Component).unwrap_or(0);
        return match take.value(ty, location, component) {
            Ok(_) => width(cx, take.wide, variable),
            Err(bad) => bad_type(cx, bad, id),
        };
    }
    let per_task = m.is_decorated(id, Decoration::PerTaskNV);
    if per_task || (0..members.len() as u32).any(|i| has(i, Decoration::PerTaskNV).is_some()) {
        return Ok(()); // Laid out by offsets.
    }
    let block = m.is_decorated(inner, Decoration::Block);
    let any_builtin = (0..members.len() as u32).any(|i| has(i, Decoration::BuiltIn).is_some());
    if is_struct && any_builtin && block {
        return cx.check(ty == inner, &MISSING, variable, || {
            format!("{id} is an array of blocks with built-ins, but {model} has one of them, and it has no location")
        });
    }
    if !is_struct || (!block && !any_builtin) {
        // Any variable of a block is judged by its members.
        return cx.fail(&MISSING, variable, || format!("{id} is neither a built-in nor a block, but has no location"));
    }
    block_members(cx, inner, members, any_builtin, &mut take)?;
    width(cx, take.wide, variable)
}

/// Where a variable has a location, nothing in it has one.
fn no_member_located(cx: &mut Cx<'_>, variable: Inst<'_>, ty: Id) -> Checked {
    let Some((of, member)) = located_member(cx, ty) else { return Ok(()) };
    let (id, at) = (variable.id(2), cx.def(of)?);
    cx.fail(&MEMBERS, at, || {
        msg(format!("member {member} of {of} has a location, but the variable {id} has one too"))
            .note(Site::at(variable.offset()), "declared here")
    })
}

/// What decides how an input is interpolated.
fn interpolation(has: impl Fn(Decoration) -> bool) -> u8 {
    let kinds = [
        Decoration::PerVertexKHR,
        Decoration::Flat,
        Decoration::NoPerspective,
        Decoration::Sample,
        Decoration::Centroid,
    ];
    kinds.iter().enumerate().fold(0, |bits, (i, d)| bits | u8::from(has(*d)) << i)
}

/// A member with a location in a structure or in those nested in it. Bounded, since types may be cyclic.
fn located_member(cx: &Cx<'_>, ty: Id) -> Option<(Id, u32)> {
    let m = cx.m;
    if m.info(ty).op != Op::TypeStruct {
        return None;
    }
    let mut work = cx.collect([ty]);
    for _ in 0..64 {
        let ty = work.pop()?;
        let Some(Type::Struct { members }) = m.ty(ty) else { continue };
        if let Some(d) = m.decorations(ty).find(|d| d.member.is_some() && d.decoration == Decoration::Location) {
            return Some((ty, d.member.unwrap_or(0)));
        }
        work.extend(members.iter().take(256).map(|t| without_arrays(m, Id(*t))));
    }
    None
}

fn width(cx: &mut Cx<'_>, wide: Option<Id>, variable: Inst<'_>) -> Checked {
    let Some(ty) = wide else { return Ok(()) };
    let m = cx.m;
    cx.fail(&OUTPUT_WIDTH, variable, || {
        let ty = crate::signature::describe(m, ty);
        format!("{} is an output of a fragment shader, but contains {ty}, neither of 32 bits nor of 16", variable.id(2))
    })
}

/// A block without location: each member has its own.
fn block_members(cx: &mut Cx<'_>, ty: Id, members: &[u32], builtins: bool, take: &mut Take<'_, '_>) -> Checked {
    let m = cx.m;
    for (index, member) in members.iter().enumerate() {
        let index = index as u32;
        let value = |decoration| m.member_decoration(ty, index, decoration).map(|d| d.operand());
        let Some(location) = value(Decoration::Location) else {
            let at = cx.def(ty)?;
            return cx.fail_at(&MEMBER_MISSING, at, index as usize + 2, || {
                let why = if builtins { ", and the structure with built-ins is no Block" } else { "" };
                format!("member {index} of {ty} has no location{why}")
            });
        };
        let component = value(Decoration::Component).unwrap_or(0);
        if let Some((nested, inner)) = located_member(cx, without_arrays(m, Id(*member))) {
            let at = cx.def(nested)?;
            return cx.fail(&MEMBERS, at, || {
                format!(
                    "member {inner} of {nested} has a location, but so has member {index} of {ty}, which contains it"
                )
            });
        }
        let own = take.kind;
        if take.model == Model::Fragment && !take.output {
            take.kind |= interpolation(|d| m.member_decoration(ty, index, d).is_some());
        }
        let taken = take.value(Id(*member), location, component);
        take.kind = own;
        if let Err(bad) = taken {
            return bad_type(cx, bad, take.variable);
        }
    }
    Ok(())
}

fn bad_type(cx: &mut Cx<'_>, ty: Id, variable: Id) -> Checked {
    let (m, at) = (cx.m, cx.def(ty)?);
    cx.fail(&TYPE, at, || {
        let ty = crate::signature::describe(m, ty);
        format!("{variable} has a location, but contains {ty}, which cannot have one")
    })
}

/// Gives out locations.
struct Take<'m, 's> {
    m: Module<'m>,
    output: bool,
    set: u32,
    variable: Id,
    kind: u8,
    model: Model,
    /// In an output of a fragment shader, a type of another width than 32 and 16.
    wide: Option<Id>,
    slots: &'s mut List<'m, Slot>,
    /// What is still to be taken.
    work: List<'m, Id>,
}

impl Take<'_, '_> {
    fn slot(&mut self, location: u32, component: u32) {
        let (output, set, variable, kind) = (self.output, self.set, self.variable, self.kind);
        self.slots.push(Slot { output, set, location, component, variable, kind });
    }

    /// Takes what a value of the type needs, from `location` on. Gives the next location, or a type that cannot have
    /// one. An explicit stack in place of recursion: types may be deep.
    fn value(&mut self, ty: Id, location: u32, component: u32) -> Result<u32, Id> {
        let mut next = location;
        self.work.clear();
        self.work.push(ty);
        let mut steps = 0;
        while let Some(ty) = self.work.pop() {
            steps += 1;
            if next.saturating_sub(location) > MOST_LOCATIONS || steps > MOST_LOCATIONS {
                break;
            }
            match self.m.ty(ty) {
                Some(Type::Array { element, length }) => {
                    // An array that is sized by specialisation has one element at least.
                    let count = self.m.fixed_u32(length).unwrap_or(1);
                    self.work.extend((0..count.min(MOST_LOCATIONS)).map(|_| element));
                }
                Some(Type::RuntimeArray { element }) => self.work.push(element),
                Some(Type::VectorId { component: c, count }) => {
                    let count = self.m.fixed_u32(count).unwrap_or(1);
                    next = self.components(c, count.min(MOST_LOCATIONS), next, component)?;
                }
                Some(Type::Matrix { column, count }) => self.work.extend((0..count.min(16)).map(|_| column)),
                Some(Type::Struct { members }) => {
                    self.work.extend(members.iter().rev().take(MOST_LOCATIONS as usize).map(|t| Id(*t)));
                }
                Some(Type::Bool) => next += 1,
                Some(Type::Pointer { .. }) => next += 1,
                _ => next = self.scalars(ty, next, component)?,
            }
        }
        Ok(next)
    }

    /// Takes a scalar or vector.
    fn scalars(&mut self, ty: Id, location: u32, component: u32) -> Result<u32, Id> {
        let key = self.m.key(ty);
        if !matches!(key.shape(), Shape::Scalar | Shape::Vector) {
            return Err(ty);
        }
        self.components(ty, key.count(), location, component)
    }

    /// Takes so many components of the type `ty`, or that the vector `ty` has.
    fn components(&mut self, ty: Id, count: u32, location: u32, component: u32) -> Result<u32, Id> {
        let key = self.m.key(ty);
        if key.width() == 0 {
            return Err(ty);
        }
        if self.model == Model::Vertex && !self.output {
            self.kind = key.width() as u8;
        }
        if self.model == Model::Fragment && self.output {
            self.kind = if key.component_class() == Scalar::Int { 1 + u8::from(key.is_signed()) } else { 0 };
            if !matches!(key.width(), 16 | 32) {
                self.wide = Some(ty);
            }
        }
        let each = if key.width() == 64 { 2 } else { 1 };
        let (mut at, mut component) = (location, component);
        for _ in 0..count.saturating_mul(each) {
            if component > 3 {
                at = at.saturating_add(1);
                component = 0;
            }
            self.slot(at, component);
            component += 1;
        }
        Ok(at.saturating_add(1))
    }
}
