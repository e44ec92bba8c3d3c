//! The signatures, in the order of the specification.

use spirula_grammar::Op;

use super::{Con, Signature};

/// `IAdd ISub => Int: Like, Like;`, with `cooperative` in front where cooperative matrices and vectors are taken too.
macro_rules! signatures {
    ($($(#$coop:ident)? $($op:ident)+ => $result:ident $(: $($con:ident),+)?;)*) => {
        &[$((
            &[$(Op::$op),+],
            Signature { result: Con::$result, operands: &[$($(Con::$con),+)?], cooperative: signatures!(@$($coop)?) },
        )),*]
    };
    (@) => { false };
    (@cooperative) => { true };
}

static TABLE: &[(&[Op], Signature)] = signatures! {
    // §3.3.13 Arithmetic
    #cooperative SNegate => Int: Like;
    #cooperative FNegate => Float: Same;
    #cooperative IAdd ISub IMul UDiv SDiv => Int: Like, Like;
    UMod SRem SMod => Int: Like, Like;
    #cooperative FAdd FSub FMul FDiv => Float: Same, Same;
    FRem FMod => Float: Same, Same;
};

pub(super) const fn by_row() -> [Option<&'static Signature>; Op::COUNT] {
    let mut all = [None; Op::COUNT];
    let rows = Op::all();
    let mut t = 0;
    while t < TABLE.len() {
        let mut i = 0;
        while i < TABLE[t].0.len() {
            let mut row = 0;
            while rows[row].op.0 != TABLE[t].0[i].0 {
                row += 1;
            }
            assert!(all[row].is_none(), "an instruction has two signatures");
            all[row] = Some(&TABLE[t].1);
            i += 1;
        }
        t += 1;
    }
    all
}
