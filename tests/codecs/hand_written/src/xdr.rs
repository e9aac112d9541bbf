//! XDR (RFC 4506), written field after field.

use crate::codec::{Codec, Failure};
use crate::message::*;

trait Item: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut &[u8]) -> Result<Self, Failure>;
}

macro_rules! number {
    ($($number:ident)*) => {$(
        impl Item for $number {
            #[inline]
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_be_bytes());
            }

            #[inline]
            fn take(from: &mut &[u8]) -> Result<Self, Failure> {
                let (head, rest) = from.split_first_chunk().ok_or("the message ends too early")?;
                *from = rest;
                Ok(Self::from_be_bytes(*head))
            }
        }
    )*};
}
number!(u32 f64);

impl Item for bool {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        u32::from(*self).put(out);
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        match u32::take(from)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err("neither 0 nor 1".into()),
        }
    }
}

impl Item for String {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        out.extend_from_slice(self.as_bytes());
        out.extend_from_slice(&[0; 3][..self.len().wrapping_neg() & 3]);
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        let length = u32::take(from)? as usize;
        let (text, rest) = from.split_at_checked(length.next_multiple_of(4)).ok_or("the message ends too early")?;
        *from = rest;
        Ok(str::from_utf8(&text[..length])?.to_owned())
    }
}

impl<T: Item> Item for Option<T> {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        if bool::take(from)? { T::take(from).map(Some) } else { Ok(None) }
    }
}

impl<T: Item> Item for Vec<T> {
    #[inline]
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u32).put(out);
        self.iter().for_each(|item| item.put(out));
    }

    #[inline]
    fn take(from: &mut &[u8]) -> Result<Self, Failure> {
        let count = u32::take(from)?;
        (0..count).map(|_| T::take(from)).collect()
    }
}

macro_rules! records {
    ($($name:ident { $($field:ident $(: $type:ident)?,)* })*) => {$(
        impl Item for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(from: &mut &[u8]) -> Result<Self, Failure> {
                Ok(Self { $($field: Item::take(from)?),* })
            }
        }
    )*};
}
flat_tables!(records);
nested_tables!(records);

pub struct Xdr(Vec<u8>);

impl Codec for Xdr {
    type Message = VehicleStatus;

    fn new() -> Result<Self, Failure> {
        Ok(Self(Vec::new()))
    }

    #[inline]
    fn serialize(&mut self, message: &VehicleStatus) -> Result<&[u8], Failure> {
        self.0.clear();
        message.put(&mut self.0);
        Ok(&self.0)
    }

    #[inline]
    fn deserialize(&mut self, bytes: &[u8]) -> Result<VehicleStatus, Failure> {
        VehicleStatus::take(&mut &bytes[..])
    }
}
