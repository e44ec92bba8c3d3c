//! Vulkan's built-in variables as data: who may use them, in which storage class, and with which type.

use spirula_diag::{Cite, Rule, Severity};
use spirula_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, StorageClass};

use super::types::Ty;
use super::{Demand, Row, What};

static I32: Ty = Ty::Int32;
static F32: Ty = Ty::Float32;
static INT: Ty = Ty::Int;
static BOOL: Ty = Ty::Bool;
static V2I32: Ty = Ty::Vector(2, &I32);
static V3I32: Ty = Ty::Vector(3, &I32);
static V4I32: Ty = Ty::Vector(4, &I32);
static V2F32: Ty = Ty::Vector(2, &F32);
static V3F32: Ty = Ty::Vector(3, &F32);
static V4F32: Ty = Ty::Vector(4, &F32);
static V2OR3F32: Ty = Ty::Either(&V2F32, &V3F32);
static V2OR3I32: Ty = Ty::Either(&V2I32, &V3I32);
static MAT4X3: Ty = Ty::Matrix4x3;
static ARRAY2_F32: Ty = Ty::Array(&ARRAY_F32, None);
static ARRAY_F32: Ty = Ty::Array(&F32, None);
static ARRAY_F32_2: Ty = Ty::Array(&F32, Some(2));
static ARRAY_F32_4: Ty = Ty::Array(&F32, Some(4));
static ARRAY_I32: Ty = Ty::Array(&I32, None);
static ARRAY_V2I32: Ty = Ty::Array(&V2I32, None);
static ARRAY_V3I32: Ty = Ty::Array(&V3I32, None);
static ARRAY_V4F32: Ty = Ty::Array(&V4F32, None);
static ARRAY_V3F32_2: Ty = Ty::Array(&V3F32, Some(2));
static ARRAY_V3F32_3: Ty = Ty::Array(&V3F32, Some(3));

/// `Name "name-of-its-rules": demand "what-it-is" "the VUID's end" (arguments), …;`
macro_rules! builtins {
    ($($builtin:ident $name:literal: $($kind:ident $what:literal $vuid:literal ($($arg:tt)*)),+;)*) => {
        /// All built-ins of the Vulkan specification that the grammar knows.
        pub(super) static TABLE: [Row; COUNT] = [$(Row {
            builtin: BuiltIn::$builtin,
            demands: &[$(Demand {
                rule: &Rule {
                    name: concat!("builtin-", $name, "-", $what),
                    group: "builtins",
                    cite: Cite::Vuid(concat!("VUID-", stringify!($builtin), "-", $vuid)),
                    severity: Severity::Error,
                    doc: builtins!(@doc $kind $builtin $($arg)*),
                },
                what: builtins!(@$kind $($arg)*),
            }),+],
        }),*];
        const COUNT: usize = [$($name),*].len();
    };
    (@models [$($m:ident),*]) => { What::Models(&[$(ExecutionModel::$m),*]) };
    (@class [$($m:ident),*] [$($c:ident),*]) => {
        What::Class(&[$(ExecutionModel::$m),*], &[$(StorageClass::$c),*])
    };
    (@ty $ty:ident) => { What::Type(&$ty) };
    (@mesh $ty:ident) => { What::MeshType(&$ty) };
    (@with [$($m:ident),*] $d:ident) => { What::With(&[$(ExecutionModel::$m),*], Decoration::$d) };
    (@mode $mode:ident) => { What::Mode(ExecutionMode::$mode) };
    (@size $block:ident) => { What::Size { block: $block } };
    (@doc models $b:ident [$($m:ident),*]) => {
        concat!("`", stringify!($b), "` can be used only by entry points with one of the execution models",
            $(" `", stringify!($m), "`",)* ", and by functions that only those call.\n")
    };
    (@doc class $b:ident [$($m:ident),*] [$($c:ident),*]) => {
        concat!("A variable decorated with `", stringify!($b), "` must have the storage class",
            $(" `", stringify!($c), "`",)* " (where one of these execution models uses it, if any is listed:",
            $(" ", stringify!($m),)* ").\n")
    };
    (@doc ty $b:ident $ty:ident) => {
        concat!("What is decorated with `", stringify!($b), "` must be ", builtins!(@name $ty), ".
")
    };
    (@doc mesh $b:ident $($arg:tt)*) => {
        concat!("In a mesh shader `", stringify!($b), "` decorates a scalar member of a block, or an array of scalars.\n")
    };
    (@doc with $b:ident [$($m:ident),*] $d:ident) => {
        concat!("What is decorated with `", stringify!($b), "` must be decorated with `", stringify!($d), "` too.\n")
    };
    (@doc mode $b:ident $mode:ident) => {
        concat!("`", stringify!($b), "` needs an entry point with the execution mode `", stringify!($mode), "`.\n")
    };
    (@name I32) => { "a 32-bit integer" };
    (@name F32) => { "a 32-bit float" };
    (@name INT) => { "an integer" };
    (@name BOOL) => { "a Boolean" };
    (@name V2I32) => { "a vector of 2 32-bit integers" };
    (@name V3I32) => { "a vector of 3 32-bit integers" };
    (@name V4I32) => { "a vector of 4 32-bit integers" };
    (@name V2F32) => { "a vector of 2 32-bit floats" };
    (@name V3F32) => { "a vector of 3 32-bit floats" };
    (@name V4F32) => { "a vector of 4 32-bit floats" };
    (@name V2OR3F32) => { "a vector of 3 32-bit floats, or of 2, which compilers declare" };
    (@name V2OR3I32) => { "a vector of 2 32-bit integers, or of 3, which compilers declare" };
    (@name MAT4X3) => { "a matrix of 4 columns of 3 32-bit floats" };
    (@name ARRAY_F32) => { "an array of 32-bit floats" };
    (@name ARRAY2_F32) => { "an array of arrays of 32-bit floats" };
    (@name ARRAY_F32_2) => { "an array of 2 32-bit floats" };
    (@name ARRAY_F32_4) => { "an array of 4 32-bit floats" };
    (@name ARRAY_I32) => { "an array of 32-bit integers" };
    (@name ARRAY_V2I32) => { "an array of vectors of 2 32-bit integers" };
    (@name ARRAY_V3I32) => { "an array of vectors of 3 32-bit integers" };
    (@name ARRAY_V4F32) => { "an array of vectors of 4 32-bit floats" };
    (@name ARRAY_V3F32_2) => { "an array of 2 vectors of 3 32-bit floats" };
    (@name ARRAY_V3F32_3) => { "an array of 3 vectors of 3 32-bit floats" };
    (@doc size $b:ident $block:ident) => {
        concat!("The array of `", stringify!($b), "` must have as many elements as `OutputPrimitivesEXT` says.\n")
    };
}

#[rustfmt::skip]
builtins! {
    BaryCoordKHR "bary-coord-khr":
        models "model" "BaryCoordKHR-04154" ([Fragment]),
        class "storage-class" "BaryCoordKHR-04155" ([] [Input]),
        ty "type" "BaryCoordKHR-04156" (V3F32);
    BaryCoordNoPerspAMD "bary-coord-no-persp-amd":
        models "model" "BaryCoordNoPerspAMD-04157" ([Fragment]),
        class "storage-class" "BaryCoordNoPerspAMD-04158" ([] [Input]),
        ty "type" "BaryCoordNoPerspAMD-04159" (V2F32);
    BaryCoordNoPerspKHR "bary-coord-no-persp-khr":
        models "model" "BaryCoordNoPerspKHR-04160" ([Fragment]),
        class "storage-class" "BaryCoordNoPerspKHR-04161" ([] [Input]),
        ty "type" "BaryCoordNoPerspKHR-04162" (V3F32);
    BaryCoordNoPerspCentroidAMD "bary-coord-no-persp-centroid-amd":
        models "model" "BaryCoordNoPerspCentroidAMD-04163" ([Fragment]),
        class "storage-class" "BaryCoordNoPerspCentroidAMD-04164" ([] [Input]),
        ty "type" "BaryCoordNoPerspCentroidAMD-04165" (V2OR3F32);
    BaryCoordNoPerspSampleAMD "bary-coord-no-persp-sample-amd":
        models "model" "BaryCoordNoPerspSampleAMD-04166" ([Fragment]),
        class "storage-class" "BaryCoordNoPerspSampleAMD-04167" ([] [Input]),
        ty "type" "BaryCoordNoPerspSampleAMD-04168" (V2F32);
    BaryCoordPullModelAMD "bary-coord-pull-model-amd":
        models "model" "BaryCoordPullModelAMD-04169" ([Fragment]),
        class "storage-class" "BaryCoordPullModelAMD-04170" ([] [Input]),
        ty "type" "BaryCoordPullModelAMD-04171" (V3F32);
    BaryCoordSmoothAMD "bary-coord-smooth-amd":
        models "model" "BaryCoordSmoothAMD-04172" ([Fragment]),
        class "storage-class" "BaryCoordSmoothAMD-04173" ([] [Input]),
        ty "type" "BaryCoordSmoothAMD-04174" (V2F32);
    BaryCoordSmoothCentroidAMD "bary-coord-smooth-centroid-amd":
        models "model" "BaryCoordSmoothCentroidAMD-04175" ([Fragment]),
        class "storage-class" "BaryCoordSmoothCentroidAMD-04176" ([] [Input]),
        ty "type" "BaryCoordSmoothCentroidAMD-04177" (V2F32);
    BaryCoordSmoothSampleAMD "bary-coord-smooth-sample-amd":
        models "model" "BaryCoordSmoothSampleAMD-04178" ([Fragment]),
        class "storage-class" "BaryCoordSmoothSampleAMD-04179" ([] [Input]),
        ty "type" "BaryCoordSmoothSampleAMD-04180" (V2F32);
    BaseInstance "base-instance":
        models "model" "BaseInstance-04181" ([Vertex]),
        class "storage-class" "BaseInstance-04182" ([] [Input]),
        ty "type" "BaseInstance-04183" (I32);
    BaseVertex "base-vertex":
        models "model" "BaseVertex-04184" ([Vertex]),
        class "storage-class" "BaseVertex-04185" ([] [Input]),
        ty "type" "BaseVertex-04186" (I32);
    ClipDistance "clip-distance":
        models "model" "ClipDistance-04187" ([MeshEXT, MeshNV, Vertex, Fragment, TessellationControl, TessellationEvaluation, Geometry]),
        class "storage-class-output" "ClipDistance-04188" ([MeshEXT, MeshNV, Vertex] [Output]),
        class "storage-class-fragment" "ClipDistance-04189" ([Fragment] [Input]),
        class "storage-class-tess" "ClipDistance-04190" ([TessellationControl, TessellationEvaluation, Geometry] [Input, Output]),
        ty "type" "ClipDistance-04191" (ARRAY_F32);
    ClipDistancePerViewNV "clip-distance-per-view-nv":
        models "model" "ClipDistancePerViewNV-04192" ([MeshNV]),
        class "storage-class" "ClipDistancePerViewNV-04193" ([] [Output]),
        ty "type" "ClipDistancePerViewNV-04195" (ARRAY2_F32),
        with "per-view" "ClipDistancePerViewNV-04194" ([] PerViewNV);
    CullDistance "cull-distance":
        models "model" "CullDistance-04196" ([MeshEXT, MeshNV, Vertex, Fragment, TessellationControl, TessellationEvaluation, Geometry]),
        class "storage-class-output" "CullDistance-04197" ([MeshEXT, MeshNV, Vertex] [Output]),
        class "storage-class-fragment" "CullDistance-04198" ([Fragment] [Input]),
        class "storage-class-tess" "CullDistance-04199" ([TessellationControl, TessellationEvaluation, Geometry] [Input, Output]),
        ty "type" "CullDistance-04200" (ARRAY_F32);
    CullDistancePerViewNV "cull-distance-per-view-nv":
        models "model" "CullDistancePerViewNV-04201" ([MeshNV]),
        class "storage-class" "CullDistancePerViewNV-04202" ([] [Output]),
        ty "type" "CullDistancePerViewNV-04204" (ARRAY2_F32),
        with "per-view" "CullDistancePerViewNV-04203" ([] PerViewNV);
    CullPrimitiveEXT "cull-primitive-ext":
        models "model" "CullPrimitiveEXT-07034" ([MeshEXT]),
        class "storage-class" "CullPrimitiveEXT-07035" ([] [Output]),
        with "per-primitive" "CullPrimitiveEXT-07038" ([MeshEXT] PerPrimitiveEXT),
        mesh "mesh-type" "CullPrimitiveEXT-07036" (BOOL),
        size "array-size" "CullPrimitiveEXT-10589" (false),
        size "block-array-size" "CullPrimitiveEXT-10590" (true);
    CullMaskKHR "cull-mask-khr":
        models "model" "CullMaskKHR-06735" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR]),
        class "storage-class" "CullMaskKHR-06736" ([] [Input]),
        ty "type" "CullMaskKHR-06737" (I32);
    CurrentRayTimeNV "current-ray-time-nv":
        models "model" "CurrentRayTimeNV-04942" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR]),
        class "storage-class" "CurrentRayTimeNV-04943" ([] [Input]),
        ty "type" "CurrentRayTimeNV-04944" (F32);
    DeviceIndex "device-index":
        class "storage-class" "DeviceIndex-04205" ([] [Input]),
        ty "type" "DeviceIndex-04206" (I32);
    DrawIndex "draw-index":
        models "model" "DrawIndex-04207" ([Vertex, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        class "storage-class" "DrawIndex-04208" ([] [Input]),
        ty "type" "DrawIndex-04209" (I32);
    FragCoord "frag-coord":
        models "model" "FragCoord-04210" ([Fragment]),
        class "storage-class" "FragCoord-04211" ([] [Input]),
        ty "type" "FragCoord-04212" (V4F32);
    FragDepth "frag-depth":
        models "model" "FragDepth-04213" ([Fragment]),
        class "storage-class" "FragDepth-04214" ([] [Output]),
        ty "type" "FragDepth-04215" (F32);
    FragInvocationCountEXT "frag-invocation-count-ext":
        models "model" "FragInvocationCountEXT-04217" ([Fragment]),
        class "storage-class" "FragInvocationCountEXT-04218" ([] [Input]),
        ty "type" "FragInvocationCountEXT-04219" (I32);
    FragSizeEXT "frag-size-ext":
        models "model" "FragSizeEXT-04220" ([Fragment]),
        class "storage-class" "FragSizeEXT-04221" ([] [Input]),
        ty "type" "FragSizeEXT-04222" (V2I32);
    FragStencilRefEXT "frag-stencil-ref-ext":
        models "model" "FragStencilRefEXT-04223" ([Fragment]),
        class "storage-class" "FragStencilRefEXT-04224" ([] [Output]),
        ty "type" "FragStencilRefEXT-04225" (INT);
    FrontFacing "front-facing":
        models "model" "FrontFacing-04229" ([Fragment]),
        class "storage-class" "FrontFacing-04230" ([] [Input]),
        ty "type" "FrontFacing-04231" (BOOL);
    FullyCoveredEXT "fully-covered-ext":
        models "model" "FullyCoveredEXT-04232" ([Fragment]),
        class "storage-class" "FullyCoveredEXT-04233" ([] [Input]),
        ty "type" "FullyCoveredEXT-04234" (BOOL);
    GlobalInvocationId "global-invocation-id":
        models "model" "GlobalInvocationId-04236" ([GLCompute, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        class "storage-class" "GlobalInvocationId-04237" ([] [Input]),
        ty "type" "GlobalInvocationId-04238" (V3I32);
    HelperInvocation "helper-invocation":
        models "model" "HelperInvocation-04239" ([Fragment]),
        class "storage-class" "HelperInvocation-04240" ([] [Input]),
        ty "type" "HelperInvocation-04241" (BOOL);
    HitKindKHR "hit-kind-khr":
        models "model" "HitKindKHR-04242" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitKindKHR-04243" ([] [Input]),
        ty "type" "HitKindKHR-04244" (I32);
    HitTNV "hit-t-nv":
        models "model" "HitTNV-04245" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitTNV-04246" ([] [Input]),
        ty "type" "HitTNV-04247" (F32);
    HitTriangleVertexPositionsKHR "hit-triangle-vertex-positions-khr":
        models "model" "HitTriangleVertexPositionsKHR-08747" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitTriangleVertexPositionsKHR-08748" ([] [Input]),
        ty "type" "HitTriangleVertexPositionsKHR-08749" (ARRAY_V3F32_3);
    IncomingRayFlagsKHR "incoming-ray-flags-khr":
        models "model" "IncomingRayFlagsKHR-04248" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR]),
        class "storage-class" "IncomingRayFlagsKHR-04249" ([] [Input]),
        ty "type" "IncomingRayFlagsKHR-04250" (I32);
    InstanceCustomIndexKHR "instance-custom-index-khr":
        models "model" "InstanceCustomIndexKHR-04251" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "InstanceCustomIndexKHR-04252" ([] [Input]),
        ty "type" "InstanceCustomIndexKHR-04253" (I32);
    InstanceId "instance-id":
        models "model" "InstanceId-04254" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "InstanceId-04255" ([] [Input]),
        ty "type" "InstanceId-04256" (I32);
    InvocationId "invocation-id":
        models "model" "InvocationId-04257" ([TessellationControl, Geometry]),
        class "storage-class" "InvocationId-04258" ([] [Input]),
        ty "type" "InvocationId-04259" (I32);
    InstanceIndex "instance-index":
        models "model" "InstanceIndex-04263" ([Vertex]),
        class "storage-class" "InstanceIndex-04264" ([] [Input]),
        ty "type" "InstanceIndex-04265" (I32);
    LaunchIdKHR "launch-id-khr":
        models "model" "LaunchIdKHR-04266" ([RayGenerationKHR, IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR, CallableKHR]),
        class "storage-class" "LaunchIdKHR-04267" ([] [Input]),
        ty "type" "LaunchIdKHR-04268" (V3I32);
    LaunchSizeKHR "launch-size-khr":
        models "model" "LaunchSizeKHR-04269" ([RayGenerationKHR, IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR, CallableKHR]),
        class "storage-class" "LaunchSizeKHR-04270" ([] [Input]),
        ty "type" "LaunchSizeKHR-04271" (V3I32);
    Layer "layer":
        models "model" "Layer-04272" ([MeshEXT, MeshNV, Vertex, TessellationEvaluation, Geometry, Fragment]),
        class "storage-class-output" "Layer-04274" ([MeshEXT, MeshNV, Vertex, TessellationEvaluation, Geometry] [Output]),
        class "storage-class-fragment" "Layer-04275" ([Fragment] [Input]),
        ty "type" "Layer-04276" (I32),
        with "per-primitive" "Layer-07039" ([MeshEXT] PerPrimitiveEXT),
        mesh "mesh-type" "Layer-10592" (I32),
        size "array-size" "Layer-10593" (false),
        size "block-array-size" "Layer-10594" (true);
    LayerPerViewNV "layer-per-view-nv":
        models "model" "LayerPerViewNV-04277" ([MeshNV]),
        class "storage-class" "LayerPerViewNV-04278" ([] [Output]),
        ty "type" "LayerPerViewNV-04280" (ARRAY_I32),
        with "per-view" "LayerPerViewNV-04279" ([] PerViewNV);
    LocalInvocationId "local-invocation-id":
        models "model" "LocalInvocationId-04281" ([GLCompute, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        class "storage-class" "LocalInvocationId-04282" ([] [Input]),
        ty "type" "LocalInvocationId-04283" (V3I32);
    LocalInvocationIndex "local-invocation-index":
        models "model" "LocalInvocationIndex-04284" ([GLCompute, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        class "storage-class" "LocalInvocationIndex-04285" ([] [Input]),
        ty "type" "LocalInvocationIndex-04286" (I32);
    MeshViewCountNV "mesh-view-count-nv":
        models "model" "MeshViewCountNV-04287" ([MeshNV, TaskNV]),
        class "storage-class" "MeshViewCountNV-04288" ([] [Input]),
        ty "type" "MeshViewCountNV-04289" (I32);
    MeshViewIndicesNV "mesh-view-indices-nv":
        models "model" "MeshViewIndicesNV-04290" ([MeshNV, TaskNV]),
        class "storage-class" "MeshViewIndicesNV-04291" ([] [Input]),
        ty "type" "MeshViewIndicesNV-04292" (ARRAY_I32);
    NumSubgroups "num-subgroups":
        models "model" "NumSubgroups-04293" ([GLCompute, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        class "storage-class" "NumSubgroups-04294" ([] [Input]),
        ty "type" "NumSubgroups-04295" (I32);
    NumWorkgroups "num-workgroups":
        models "model" "NumWorkgroups-04296" ([GLCompute, MeshEXT, TaskEXT]),
        class "storage-class" "NumWorkgroups-04297" ([] [Input]),
        ty "type" "NumWorkgroups-04298" (V3I32);
    ObjectRayDirectionKHR "object-ray-direction-khr":
        models "model" "ObjectRayDirectionKHR-04299" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "ObjectRayDirectionKHR-04300" ([] [Input]),
        ty "type" "ObjectRayDirectionKHR-04301" (V3F32);
    ObjectRayOriginKHR "object-ray-origin-khr":
        models "model" "ObjectRayOriginKHR-04302" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "ObjectRayOriginKHR-04303" ([] [Input]),
        ty "type" "ObjectRayOriginKHR-04304" (V3F32);
    ObjectToWorldKHR "object-to-world-khr":
        models "model" "ObjectToWorldKHR-04305" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "ObjectToWorldKHR-04306" ([] [Input]),
        ty "type" "ObjectToWorldKHR-04307" (MAT4X3);
    PatchVertices "patch-vertices":
        models "model" "PatchVertices-04308" ([TessellationControl, TessellationEvaluation]),
        class "storage-class" "PatchVertices-04309" ([] [Input]),
        ty "type" "PatchVertices-04310" (I32);
    PointCoord "point-coord":
        models "model" "PointCoord-04311" ([Fragment]),
        class "storage-class" "PointCoord-04312" ([] [Input]),
        ty "type" "PointCoord-04313" (V2F32);
    PointSize "point-size":
        models "model" "PointSize-04314" ([MeshEXT, MeshNV, Vertex, TessellationControl, TessellationEvaluation, Geometry]),
        class "storage-class-output" "PointSize-04315" ([MeshEXT, MeshNV, Vertex] [Output]),
        class "storage-class-tess" "PointSize-04316" ([TessellationControl, TessellationEvaluation, Geometry] [Input, Output]),
        ty "type" "PointSize-04317" (F32);
    Position "position":
        models "model" "Position-04318" ([MeshEXT, MeshNV, Vertex, TessellationControl, TessellationEvaluation, Geometry]),
        class "storage-class-output" "Position-04319" ([MeshEXT, MeshNV, Vertex] [Output]),
        class "storage-class-tess" "Position-04320" ([TessellationControl, TessellationEvaluation, Geometry] [Input, Output]),
        ty "type" "Position-04321" (V4F32);
    PositionPerViewNV "position-per-view-nv":
        models "model" "PositionPerViewNV-04322" ([MeshNV, Vertex, TessellationControl, TessellationEvaluation, Geometry]),
        class "storage-class-output" "PositionPerViewNV-04323" ([Vertex, MeshNV] [Output]),
        class "storage-class-tess" "PositionPerViewNV-04324" ([TessellationControl, TessellationEvaluation, Geometry] [Input, Output]),
        ty "type" "PositionPerViewNV-04325" (ARRAY_V4F32);
    PrimitiveCountNV "primitive-count-nv":
        models "model" "PrimitiveCountNV-04327" ([MeshNV]),
        class "storage-class" "PrimitiveCountNV-04328" ([] [Output]),
        ty "type" "PrimitiveCountNV-04329" (I32);
    PrimitiveId "primitive-id":
        models "model" "PrimitiveId-04330" ([MeshEXT, MeshNV, IntersectionKHR, AnyHitKHR, ClosestHitKHR, TessellationControl, TessellationEvaluation, Geometry, Fragment]),
        class "storage-class-tess" "PrimitiveId-04334" ([TessellationControl, TessellationEvaluation, Fragment, IntersectionKHR, AnyHitKHR, ClosestHitKHR] [Input]),
        class "storage-class-geometry" "PrimitiveId-04335" ([Geometry] [Input, Output]),
        class "storage-class-output" "PrimitiveId-04336" ([MeshEXT, MeshNV] [Output]),
        ty "type" "PrimitiveId-04337" (I32),
        with "per-primitive" "PrimitiveId-07040" ([MeshEXT] PerPrimitiveEXT),
        mesh "mesh-type" "PrimitiveId-10595" (I32),
        size "array-size" "PrimitiveId-10596" (false),
        size "block-array-size" "PrimitiveId-10597" (true);
    PrimitiveIndicesNV "primitive-indices-nv":
        models "model" "PrimitiveIndicesNV-04338" ([MeshNV]),
        class "storage-class" "PrimitiveIndicesNV-04339" ([] [Output]),
        ty "type" "PrimitiveIndicesNV-04340" (ARRAY_I32);
    PrimitivePointIndicesEXT "primitive-point-indices-ext":
        models "model" "PrimitivePointIndicesEXT-07041" ([MeshEXT]),
        class "storage-class" "PrimitivePointIndicesEXT-07043" ([] [Output]),
        ty "type" "PrimitivePointIndicesEXT-07044" (ARRAY_I32),
        mode "mode" "PrimitivePointIndicesEXT-07042" (OutputPoints),
        size "array-size" "PrimitivePointIndicesEXT-07046" (false);
    PrimitiveLineIndicesEXT "primitive-line-indices-ext":
        models "model" "PrimitiveLineIndicesEXT-07047" ([MeshEXT]),
        class "storage-class" "PrimitiveLineIndicesEXT-07049" ([] [Output]),
        ty "type" "PrimitiveLineIndicesEXT-07050" (ARRAY_V2I32),
        mode "mode" "PrimitiveLineIndicesEXT-07048" (OutputLinesEXT),
        size "array-size" "PrimitiveLineIndicesEXT-07052" (false);
    PrimitiveTriangleIndicesEXT "primitive-triangle-indices-ext":
        models "model" "PrimitiveTriangleIndicesEXT-07053" ([MeshEXT]),
        class "storage-class" "PrimitiveTriangleIndicesEXT-07055" ([] [Output]),
        ty "type" "PrimitiveTriangleIndicesEXT-07056" (ARRAY_V3I32),
        mode "mode" "PrimitiveTriangleIndicesEXT-07054" (OutputTrianglesEXT),
        size "array-size" "PrimitiveTriangleIndicesEXT-07058" (false);
    PrimitiveShadingRateKHR "primitive-shading-rate-khr":
        models "model" "PrimitiveShadingRateKHR-04484" ([MeshEXT, MeshNV, Vertex, Geometry]),
        class "storage-class" "PrimitiveShadingRateKHR-04485" ([] [Output]),
        ty "type" "PrimitiveShadingRateKHR-04486" (I32),
        with "per-primitive" "PrimitiveShadingRateKHR-07059" ([MeshEXT] PerPrimitiveEXT),
        mesh "mesh-type" "PrimitiveShadingRateKHR-10598" (I32),
        size "array-size" "PrimitiveShadingRateKHR-10599" (false),
        size "block-array-size" "PrimitiveShadingRateKHR-10600" (true);
    RayGeometryIndexKHR "ray-geometry-index-khr":
        models "model" "RayGeometryIndexKHR-04345" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "RayGeometryIndexKHR-04346" ([] [Input]),
        ty "type" "RayGeometryIndexKHR-04347" (I32);
    RayTmaxKHR "ray-tmax-khr":
        models "model" "RayTmaxKHR-04348" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR]),
        class "storage-class" "RayTmaxKHR-04349" ([] [Input]),
        ty "type" "RayTmaxKHR-04350" (F32);
    RayTminKHR "ray-tmin-khr":
        models "model" "RayTminKHR-04351" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR]),
        class "storage-class" "RayTminKHR-04352" ([] [Input]),
        ty "type" "RayTminKHR-04353" (F32);
    SampleId "sample-id":
        models "model" "SampleId-04354" ([Fragment]),
        class "storage-class" "SampleId-04355" ([] [Input]),
        ty "type" "SampleId-04356" (I32);
    SampleMask "sample-mask":
        models "model" "SampleMask-04357" ([Fragment]),
        class "storage-class" "SampleMask-04358" ([] [Input, Output]),
        ty "type" "SampleMask-04359" (ARRAY_I32);
    SamplePosition "sample-position":
        models "model" "SamplePosition-04360" ([Fragment]),
        class "storage-class" "SamplePosition-04361" ([] [Input]),
        ty "type" "SamplePosition-04362" (V2F32);
    ShadingRateKHR "shading-rate-khr":
        models "model" "ShadingRateKHR-04490" ([Fragment]),
        class "storage-class" "ShadingRateKHR-04491" ([] [Input]),
        ty "type" "ShadingRateKHR-04492" (I32);
    SMCountNV "sm-count-nv":
        class "storage-class" "SMCountNV-04363" ([] [Input]),
        ty "type" "SMCountNV-04364" (I32);
    SMIDNV "sm-id-nv":
        class "storage-class" "SMIDNV-04365" ([] [Input]),
        ty "type" "SMIDNV-04366" (I32);
    SubgroupId "subgroup-id":
        models "model" "SubgroupId-04367" ([GLCompute, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        class "storage-class" "SubgroupId-04368" ([] [Input]),
        ty "type" "SubgroupId-04369" (I32);
    SubgroupEqMask "subgroup-eq-mask":
        class "storage-class" "SubgroupEqMask-04370" ([] [Input]),
        ty "type" "SubgroupEqMask-04371" (V4I32);
    SubgroupGeMask "subgroup-ge-mask":
        class "storage-class" "SubgroupGeMask-04372" ([] [Input]),
        ty "type" "SubgroupGeMask-04373" (V4I32);
    SubgroupGtMask "subgroup-gt-mask":
        class "storage-class" "SubgroupGtMask-04374" ([] [Input]),
        ty "type" "SubgroupGtMask-04375" (V4I32);
    SubgroupLeMask "subgroup-le-mask":
        class "storage-class" "SubgroupLeMask-04376" ([] [Input]),
        ty "type" "SubgroupLeMask-04377" (V4I32);
    SubgroupLtMask "subgroup-lt-mask":
        class "storage-class" "SubgroupLtMask-04378" ([] [Input]),
        ty "type" "SubgroupLtMask-04379" (V4I32);
    SubgroupLocalInvocationId "subgroup-local-invocation-id":
        class "storage-class" "SubgroupLocalInvocationId-04380" ([] [Input]),
        ty "type" "SubgroupLocalInvocationId-04381" (I32);
    SubgroupSize "subgroup-size":
        class "storage-class" "SubgroupSize-04382" ([] [Input]),
        ty "type" "SubgroupSize-04383" (I32);
    TaskCountNV "task-count-nv":
        models "model" "TaskCountNV-04384" ([TaskNV]),
        class "storage-class" "TaskCountNV-04385" ([] [Output]),
        ty "type" "TaskCountNV-04386" (I32);
    TessCoord "tess-coord":
        models "model" "TessCoord-04387" ([TessellationEvaluation]),
        class "storage-class" "TessCoord-04388" ([] [Input]),
        ty "type" "TessCoord-04389" (V3F32);
    TessLevelOuter "tess-level-outer":
        models "model" "TessLevelOuter-04390" ([TessellationControl, TessellationEvaluation]),
        class "storage-class-tess" "TessLevelOuter-04391" ([TessellationControl] [Output]),
        class "storage-class-tess-eval" "TessLevelOuter-04392" ([TessellationEvaluation] [Input]),
        ty "type" "TessLevelOuter-04393" (ARRAY_F32_4);
    TessLevelInner "tess-level-inner":
        models "model" "TessLevelInner-04394" ([TessellationControl, TessellationEvaluation]),
        class "storage-class-tess" "TessLevelInner-04395" ([TessellationControl] [Output]),
        class "storage-class-tess-eval" "TessLevelInner-04396" ([TessellationEvaluation] [Input]),
        ty "type" "TessLevelInner-04397" (ARRAY_F32_2);
    TileOffsetQCOM "tile-offset-qcom":
        models "model" "TileOffsetQCOM-10626" ([Fragment, GLCompute]),
        class "storage-class" "TileOffsetQCOM-10627" ([] [Input]),
        ty "type" "TileOffsetQCOM-10628" (V2I32);
    TileDimensionQCOM "tile-dimension-qcom":
        models "model" "TileDimensionQCOM-10629" ([Fragment, GLCompute]),
        class "storage-class" "TileDimensionQCOM-10630" ([] [Input]),
        ty "type" "TileDimensionQCOM-10631" (V2OR3I32);
    TileApronSizeQCOM "tile-apron-size-qcom":
        models "model" "TileApronSizeQCOM-10632" ([Fragment, GLCompute]),
        class "storage-class" "TileApronSizeQCOM-10633" ([] [Input]),
        ty "type" "TileApronSizeQCOM-10634" (V2I32);
    VertexIndex "vertex-index":
        models "model" "VertexIndex-04398" ([Vertex]),
        class "storage-class" "VertexIndex-04399" ([] [Input]),
        ty "type" "VertexIndex-04400" (I32);
    ViewIndex "view-index":
        models "model" "ViewIndex-04401" ([MeshEXT, Vertex, Geometry, TessellationControl, TessellationEvaluation, Fragment]),
        class "storage-class" "ViewIndex-04402" ([] [Input]),
        ty "type" "ViewIndex-04403" (I32);
    ViewportIndex "viewport-index":
        models "model" "ViewportIndex-04404" ([MeshEXT, MeshNV, Vertex, TessellationEvaluation, Geometry, Fragment]),
        class "storage-class-output" "ViewportIndex-04406" ([MeshEXT, MeshNV, Vertex, TessellationEvaluation, Geometry] [Output]),
        class "storage-class-fragment" "ViewportIndex-04407" ([Fragment] [Input]),
        ty "type" "ViewportIndex-04408" (I32),
        with "per-primitive" "ViewportIndex-07060" ([MeshEXT] PerPrimitiveEXT),
        mesh "mesh-type" "ViewportIndex-10601" (I32),
        size "array-size" "ViewportIndex-10602" (false),
        size "block-array-size" "ViewportIndex-10603" (true);
    ViewportMaskNV "viewport-mask-nv":
        models "model" "ViewportMaskNV-04409" ([Vertex, MeshNV, TessellationEvaluation, Geometry]),
        class "storage-class" "ViewportMaskNV-04410" ([] [Output]),
        ty "type" "ViewportMaskNV-04411" (ARRAY_I32);
    ViewportMaskPerViewNV "viewport-mask-per-view-nv":
        models "model" "ViewportMaskPerViewNV-04412" ([Vertex, MeshNV, TessellationControl, TessellationEvaluation, Geometry]),
        class "storage-class" "ViewportMaskPerViewNV-04413" ([] [Output]),
        ty "type" "ViewportMaskPerViewNV-04414" (ARRAY_I32);
    WarpsPerSMNV "warps-per-sm-nv":
        class "storage-class" "WarpsPerSMNV-04418" ([] [Input]),
        ty "type" "WarpsPerSMNV-04419" (I32);
    WarpIDNV "warp-id-nv":
        class "storage-class" "WarpIDNV-04420" ([] [Input]),
        ty "type" "WarpIDNV-04421" (I32);
    WorkgroupId "workgroup-id":
        models "model" "WorkgroupId-04422" ([GLCompute, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        class "storage-class" "WorkgroupId-04423" ([] [Input]),
        ty "type" "WorkgroupId-04424" (V3I32);
    WorkgroupSize "workgroup-size":
        models "model" "WorkgroupSize-04425" ([GLCompute, MeshEXT, TaskEXT, MeshNV, TaskNV]),
        ty "type" "WorkgroupSize-04427" (V3I32);
    WorldRayDirectionKHR "world-ray-direction-khr":
        models "model" "WorldRayDirectionKHR-04428" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR]),
        class "storage-class" "WorldRayDirectionKHR-04429" ([] [Input]),
        ty "type" "WorldRayDirectionKHR-04430" (V3F32);
    WorldRayOriginKHR "world-ray-origin-khr":
        models "model" "WorldRayOriginKHR-04431" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR, MissKHR]),
        class "storage-class" "WorldRayOriginKHR-04432" ([] [Input]),
        ty "type" "WorldRayOriginKHR-04433" (V3F32);
    WorldToObjectKHR "world-to-object-khr":
        models "model" "WorldToObjectKHR-04434" ([IntersectionKHR, AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "WorldToObjectKHR-04435" ([] [Input]),
        ty "type" "WorldToObjectKHR-04436" (MAT4X3);
    HitIsSphereNV "hit-is-sphere-nv":
        models "model" "HitIsSphereNV-10513" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitIsSphereNV-10514" ([] [Input]),
        ty "type" "HitIsSphereNV-10515" (BOOL);
    HitIsLSSNV "hit-is-lss-nv":
        models "model" "HitIsLSSNV-10516" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitIsLSSNV-10517" ([] [Input]),
        ty "type" "HitIsLSSNV-10518" (BOOL);
    HitSpherePositionNV "hit-sphere-position-nv":
        models "model" "HitSpherePositionNV-10519" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitSpherePositionNV-10520" ([] [Input]),
        ty "type" "HitSpherePositionNV-10521" (V3F32);
    HitSphereRadiusNV "hit-sphere-radius-nv":
        models "model" "HitSphereRadiusNV-10522" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitSphereRadiusNV-10523" ([] [Input]),
        ty "type" "HitSphereRadiusNV-10524" (F32);
    HitLSSPositionsNV "hit-lss-positions-nv":
        models "model" "HitLSSPositionsNV-10525" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitLSSPositionsNV-10526" ([] [Input]),
        ty "type" "HitLSSPositionsNV-10527" (ARRAY_V3F32_2);
    HitLSSRadiiNV "hit-lss-radii-nv":
        models "model" "HitLSSRadiiNV-10528" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "HitLSSRadiiNV-10529" ([] [Input]),
        ty "type" "HitLSSRadiiNV-10530" (ARRAY_F32_2);
    CoreCountARM "core-count-arm":
        class "storage-class" "CoreCountARM-07595" ([] [Input]),
        ty "type" "CoreCountARM-07596" (I32);
    CoreMaxIDARM "core-max-id-arm":
        class "storage-class" "CoreMaxIDARM-07597" ([] [Input]),
        ty "type" "CoreMaxIDARM-07598" (I32);
    CoreIDARM "core-id-arm":
        class "storage-class" "CoreIDARM-07599" ([] [Input]),
        ty "type" "CoreIDARM-07600" (I32);
    WarpMaxIDARM "warp-max-id-arm":
        class "storage-class" "WarpMaxIDARM-07601" ([] [Input]),
        ty "type" "WarpMaxIDARM-07602" (I32);
    WarpIDARM "warp-id-arm":
        class "storage-class" "WarpIDARM-07603" ([] [Input]),
        ty "type" "WarpIDARM-07604" (I32);
    ShaderIndexAMDX "shader-index-amdx":
        class "storage-class" "ShaderIndexAMDX-09175" ([] [Input]),
        ty "type" "ShaderIndexAMDX-09176" (I32);
    ClusterIDNV "cluster-id-nv":
        models "model" "ClusterIDNV-10531" ([AnyHitKHR, ClosestHitKHR]),
        class "storage-class" "ClusterIDNV-10532" ([] [Input]),
        ty "type" "ClusterIDNV-10533" (I32);
}

const RULE_COUNT: usize = 355;

/// The rules of the table.
pub(crate) static RULES: [&Rule; RULE_COUNT] = {
    let mut all = [TABLE[0].demands[0].rule; RULE_COUNT];
    let (mut row, mut n) = (0, 0);
    while row < TABLE.len() {
        let mut d = 0;
        while d < TABLE[row].demands.len() {
            all[n] = TABLE[row].demands[d].rule;
            n += 1;
            d += 1;
        }
        row += 1;
    }
    assert!(n == RULE_COUNT, "RULE_COUNT is the number of lines of the table");
    all
};
