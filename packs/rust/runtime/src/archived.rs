//! Archived types of rkyv for native objects, and their checksum.

use rkyv::boxed::ArchivedBox;
use rkyv::collections::btree_map::ArchivedBTreeMap;
use rkyv::option::ArchivedOption;
use rkyv::rancor::Fallible;
use rkyv::rend::{f32_le, f64_le, i32_le, i64_le, u32_le, u64_le};
use rkyv::string::ArchivedString;
use rkyv::traits::ArchivePointee;
use rkyv::vec::ArchivedVec;
use rkyv::{Archive, Archived, Deserialize, Place, Serialize};

use crate::base64::ArchivedBase64;
use crate::checksum::{Checksum, Fold};
use crate::decimal::ArchivedDecimal;
use crate::real::ArchivedReal;
use crate::timestamp::Timestamp;
use crate::unsigned::ArchivedUnsigned;

/// A timestamp is archived as its instant.
impl Archive for Timestamp {
    type Archived = Instant;
    type Resolver = ();

    #[inline]
    fn resolve(&self, (): (), out: Place<Self::Archived>) {
        rkyv::munge::munge!(let Instant(nanos) = out);
        self.nanos().resolve((), nanos);
    }
}

/// Nanoseconds since 1970.
#[derive(rkyv::Portable, rkyv::bytecheck::CheckBytes)]
#[bytecheck(crate = rkyv::bytecheck)]
#[repr(transparent)]
pub struct Instant(Archived<i64>);

impl<S: Fallible + ?Sized> Serialize<S> for Timestamp {
    #[inline]
    fn serialize(&self, _: &mut S) -> Result<(), S::Error> {
        Ok(())
    }
}

impl<D: Fallible + ?Sized> Deserialize<Timestamp, D> for Instant {
    #[inline]
    fn deserialize(&self, _: &mut D) -> Result<Timestamp, D::Error> {
        Ok(Timestamp::from_nanos(self.0.to_native()))
    }
}

impl Fold for Instant {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        self.0.fold(sum);
    }
}

macro_rules! fold_native {
    ($($archived:ty),*) => {$(
        impl Fold for $archived {
            #[inline(always)]
            fn fold(&self, sum: &mut Checksum) {
                self.to_native().fold(sum);
            }
        }
    )*};
}
fold_native!(i32_le, u32_le, i64_le, u64_le, f32_le, f64_le);

impl Fold for ArchivedUnsigned {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        self.0.fold(sum);
    }
}

impl<T: Archive<Archived: Fold>> Fold for ArchivedReal<T> {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        self.0.fold(sum);
    }
}

impl Fold for ArchivedDecimal {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(self.0.as_bytes());
    }
}

impl Fold for ArchivedBase64 {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(&self.0);
    }
}

impl Fold for ArchivedString {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(self.as_bytes());
    }
}

impl<T: Fold> Fold for ArchivedOption<T> {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.option(self.as_ref());
    }

    #[inline(always)]
    fn fold_present(&self, sum: &mut Checksum) {
        self.fold(sum);
    }
}

impl<T: ArchivePointee + Fold> Fold for ArchivedBox<T> {
    #[inline]
    fn fold(&self, sum: &mut Checksum) {
        self.get().fold(sum);
    }
}

impl<T: Fold> Fold for ArchivedVec<T> {
    #[inline]
    fn fold(&self, sum: &mut Checksum) {
        sum.list(self.iter());
    }

    #[inline]
    fn fold_present(&self, sum: &mut Checksum) {
        self.fold(sum);
    }
}

impl<T: Fold> Fold for ArchivedBTreeMap<ArchivedString, T> {
    #[inline]
    fn fold(&self, sum: &mut Checksum) {
        sum.word(self.len() as u64);
        for (key, value) in self.iter() {
            key.fold(sum);
            value.fold(sum);
        }
    }

    #[inline]
    fn fold_present(&self, sum: &mut Checksum) {
        self.fold(sum);
    }
}
