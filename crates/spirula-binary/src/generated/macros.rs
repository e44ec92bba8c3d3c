//! Turns the generated lines into view types.

/// `Name { field: Type = word, … ; tail = word }`: a struct with the fixed operands, and the words after them.
macro_rules! views {
    ($($name:ident { $($field:ident: $ty:ty = $word:literal,)* $(; $tail:ident = $from:literal)? })*) => {
        use spirula_grammar as g;

        #[allow(unused_imports)]
        use crate::{Id, Inst};

        $(
            #[doc = concat!("Operands of `Op", stringify!($name), "`.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $name<'w> {
                $(pub $field: $ty,)*
                $(pub $tail: &'w [u32],)?
                #[doc(hidden)]
                pub _words: core::marker::PhantomData<&'w [u32]>,
            }

            impl<'w> $name<'w> {
                #[doc = concat!("Reads the words of an `Op", stringify!($name), "`; missing ones read as 0.")]
                #[inline]
                #[allow(unused_variables)]
                pub fn of(inst: Inst<'w>) -> Self {
                    $name {
                        $($field: <$ty>::from(inst.word($word)),)*
                        $($tail: inst.tail($from),)?
                        _words: core::marker::PhantomData,
                    }
                }
            }
        )*
    };
}

pub(crate) use views;
