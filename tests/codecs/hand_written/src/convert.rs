//! Between the application's messages and the objects that prost, Thrift and the ASN.1 schema have
//! for them.

use thrift::OrderedFloat;

use crate::message::*;
use crate::schemas::{prost, thrift as thrift_objects};
use crate::uper_schema::{self, Scaled};

/// A value that a library holds as a `T`.
pub trait HeldAs<T>: Sized {
    fn theirs(&self) -> T;
    fn ours(theirs: T) -> Self;
}

macro_rules! held_alike {
    ($($type:ident)*) => {$(
        impl HeldAs<$type> for $type {
            #[inline]
            fn theirs(&self) -> $type {
                self.clone()
            }

            #[inline]
            fn ours(theirs: $type) -> Self {
                theirs
            }
        }
    )*};
}
held_alike!(bool u32 f64 String);

/// Thrift has no unsigned integers.
impl HeldAs<i32> for u32 {
    #[inline]
    fn theirs(&self) -> i32 {
        *self as i32
    }

    #[inline]
    fn ours(theirs: i32) -> Self {
        theirs as u32
    }
}

impl HeldAs<OrderedFloat<f64>> for f64 {
    #[inline]
    fn theirs(&self) -> OrderedFloat<f64> {
        (*self).into()
    }

    #[inline]
    fn ours(theirs: OrderedFloat<f64>) -> Self {
        theirs.into_inner()
    }
}

impl HeldAs<Scaled> for f64 {
    #[inline]
    fn theirs(&self) -> Scaled {
        (*self).into()
    }

    #[inline]
    fn ours(theirs: Scaled) -> Self {
        (&theirs).into()
    }
}

impl<T, A: HeldAs<T>> HeldAs<Vec<T>> for Vec<A> {
    fn theirs(&self) -> Vec<T> {
        self.iter().map(A::theirs).collect()
    }

    fn ours(theirs: Vec<T>) -> Self {
        theirs.into_iter().map(A::ours).collect()
    }
}

impl<T, A: HeldAs<T>> HeldAs<Option<T>> for Option<A> {
    fn theirs(&self) -> Option<T> {
        self.as_ref().map(A::theirs)
    }

    fn ours(theirs: Option<T>) -> Self {
        theirs.map(A::ours)
    }
}

/// Protobuf cannot tell an empty list from none.
impl<T, A: HeldAs<T>> HeldAs<Vec<T>> for Option<Vec<A>> {
    fn theirs(&self) -> Vec<T> {
        self.iter().flatten().map(A::theirs).collect()
    }

    fn ours(theirs: Vec<T>) -> Self {
        if theirs.is_empty() { None } else { Some(HeldAs::ours(theirs)) }
    }
}

macro_rules! held_in {
    ($module:ident $($name:ident { $($field:ident $(: $type:ident)?,)* })*) => {$(
        impl HeldAs<$module::$name> for $name {
            #[inline]
            fn theirs(&self) -> $module::$name {
                $module::$name { $($field: self.$field.theirs(),)* }
            }

            #[inline]
            fn ours(theirs: $module::$name) -> Self {
                Self { $($field: HeldAs::ours(theirs.$field),)* }
            }
        }
    )*};
}
flat_tables!(held_in prost);
nested_tables!(held_in prost);
flat_tables!(held_in thrift_objects);
nested_tables!(held_in thrift_objects);
flat_tables!(held_in uper_schema);
nested_tables!(held_in uper_schema);

/// prost has no tables that are always there.
macro_rules! held_as_option {
    ($($name:ident)*) => {$(
        impl HeldAs<Option<prost::$name>> for $name {
            #[inline]
            fn theirs(&self) -> Option<prost::$name> {
                Some(HeldAs::theirs(self))
            }

            #[inline]
            fn ours(theirs: Option<prost::$name>) -> Self {
                HeldAs::ours(theirs.unwrap_or_default())
            }
        }
    )*};
}
held_as_option!(CurrentGeographicalPosition TelltaleIndicatorStates TrailerSwitchStates);
