//! The checksum that proves that every field was read; equal for the same message in every format.
//!
//! Absent and null have the same checksum, because some formats cannot distinguish them; the round
//! trip checks that. Text contributes its length and up to eight bytes at each end: enough to touch
//! the string without hashing all of it.

use std::collections::BTreeMap;

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15; // 2^64 / golden ratio, Knuth's multiplicative hash

/// A running checksum: one rotate, one XOR and one multiplication per value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum(u64);

impl Checksum {
    /// The checksum of everything added so far.
    pub fn value(self) -> u64 {
        self.0
    }

    /// Adds one word.
    #[inline(always)]
    pub fn word(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(MULTIPLIER);
    }

    /// Adds a 64-bit float; -0 counts as 0, because some formats drop the sign.
    #[inline(always)]
    pub fn float(&mut self, value: f64) {
        self.word((value + 0.0).to_bits());
    }

    /// Adds the length and the ends of a byte string.
    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
            (Some(head), Some(tail)) => {
                self.word(u64::from_le_bytes(*head));
                self.word(u64::from_le_bytes(*tail));
            }
            _ => {
                let mut word = [0; 8];
                word[..bytes.len()].copy_from_slice(bytes);
                self.word(u64::from_le_bytes(word));
            }
        }
    }

    /// Adds a value that may be missing.
    #[inline(always)]
    pub fn option<T: Fold + ?Sized>(&mut self, value: Option<&T>) {
        match value {
            Some(value) => value.fold_present(self),
            None => self.missing(),
        }
    }

    /// Adds a missing value.
    #[inline(always)]
    pub fn missing(&mut self) {
        self.word(0);
    }

    /// Adds a list that may be missing: an empty one counts like a missing one.
    #[inline(always)]
    pub fn list<T: Fold>(&mut self, items: impl ExactSizeIterator<Item = T>) {
        self.word(items.len() as u64);
        for item in items {
            item.fold(self);
        }
    }
}

/// A value whose fields can all be read into a [`Checksum`].
pub trait Fold {
    /// Reads all fields.
    fn fold(&self, sum: &mut Checksum);

    /// Reads a present value that could have been missing. Lists and maps override it: empty counts
    /// like missing, because not every format distinguishes them.
    #[inline(always)]
    fn fold_present(&self, sum: &mut Checksum) {
        sum.word(1);
        self.fold(sum);
    }
}

impl<T: Fold + ?Sized> Fold for Box<T> {
    #[inline]
    fn fold(&self, sum: &mut Checksum) {
        (**self).fold(sum);
    }
}

impl<T: Fold + ?Sized> Fold for &T {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        (**self).fold(sum);
    }

    #[inline(always)]
    fn fold_present(&self, sum: &mut Checksum) {
        (**self).fold_present(sum);
    }
}

/// Adds a map whose keys are not text, as the map of their texts in the order of those.
pub fn fold_keyed<K: ToString, V: Fold>(map: &BTreeMap<K, V>, sum: &mut Checksum) {
    let mut pairs: Vec<_> = map.iter().map(|(key, value)| (key.to_string(), value)).collect();
    pairs.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    sum.word(pairs.len() as u64);
    for (key, value) in pairs {
        sum.bytes(key.as_bytes());
        value.fold(sum);
    }
}

macro_rules! fold_integers {
    ($($integer:ty),*) => {$(
        impl Fold for $integer {
            #[inline(always)]
            fn fold(&self, sum: &mut Checksum) {
                sum.word(*self as u64);
            }
        }
    )*};
}
fold_integers!(bool, i32, u32, i64, u64);

impl Fold for f32 {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.float(f64::from(*self));
    }
}

impl Fold for f64 {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.float(*self);
    }
}

impl Fold for str {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(self.as_bytes());
    }
}

impl Fold for String {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(self.as_bytes());
    }
}

impl Fold for Vec<u8> {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.bytes(self);
    }
}

impl<T: Fold> Fold for Option<T> {
    #[inline(always)]
    fn fold(&self, sum: &mut Checksum) {
        sum.option(self.as_ref());
    }

    #[inline(always)]
    fn fold_present(&self, sum: &mut Checksum) {
        // Null in a field that may also be absent.
        self.fold(sum);
    }
}

impl<T: Fold> Fold for Vec<T> {
    #[inline]
    fn fold(&self, sum: &mut Checksum) {
        sum.list(self.iter());
    }

    #[inline]
    fn fold_present(&self, sum: &mut Checksum) {
        self.fold(sum);
    }
}

impl<K: Fold, T: Fold> Fold for BTreeMap<K, T> {
    #[inline]
    fn fold(&self, sum: &mut Checksum) {
        sum.word(self.len() as u64);
        for (key, value) in self {
            key.fold(sum);
            value.fold(sum);
        }
    }

    #[inline]
    fn fold_present(&self, sum: &mut Checksum) {
        self.fold(sum);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum<T: Fold + ?Sized>(value: &T) -> u64 {
        let mut sum = Checksum::default();
        value.fold(&mut sum);
        sum.value()
    }

    #[test]
    fn a_change_in_any_field_changes_the_checksum() {
        assert_ne!(sum(&vec![1_i64, 2]), sum(&vec![2_i64, 1]));
        assert_ne!(sum("abc"), sum("abd"));
        assert_ne!(sum(&Some(0_i64)), sum(&None::<i64>));
        assert_ne!(sum("0123456789"), sum("012345678_"));
    }

    #[test]
    fn what_some_format_cannot_tell_apart_folds_alike() {
        assert_eq!(sum(&None::<Vec<i64>>), sum(&Some(Vec::<i64>::new())));
        assert_eq!(sum(&None::<Option<i64>>), sum(&Some(None::<i64>)));
        assert_eq!(sum(&Some(Some(3_i64))), sum(&Some(3_i64)));
    }

    #[test]
    fn the_width_of_a_number_does_not_change_the_checksum() {
        assert_eq!(sum(&-3_i32), sum(&-3_i64));
        assert_eq!(sum(&200_u32), sum(&200_i64));
        assert_eq!(sum(&0.5_f32), sum(&0.5_f64));
        assert_eq!(sum(&-0.0_f64), sum(&0.0_f64));
    }
}
