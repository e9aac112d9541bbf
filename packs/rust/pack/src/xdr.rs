//! XDR (RFC 4506), own implementation: big-endian in units of four bytes, fields in the order of
//! the schema.

use serde::de::{self, DeserializeSeed, Visitor};
use serde::ser::{self, Serialize};
use serde::{Deserialize, Deserializer, Serializer};
use wirelab_pack_runtime::error::{Error, broken, unused};
use wirelab_pack_runtime::{Failure, Serde};

use crate::generated::model::Message;

pub struct Rfc4506;

impl Serde for Rfc4506 {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(native.serialize(Writer::<false>(buffer))?)
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut reader = Reader(bytes);
        let message = Message::deserialize(&mut reader)?;
        match reader.0.len() {
            0 => Ok(message),
            left => Err(format!("{left} bytes after the end of the message").into()),
        }
    }
}

/// Writes one value. `OPTION`: the value may be absent or null, so it is preceded by 1 or 0
/// (section 4.19). A null inside an optional field shares that flag.
pub struct Writer<'a, const OPTION: bool>(&'a mut Vec<u8>);

impl<'a, const OPTION: bool> Writer<'a, OPTION> {
    #[inline(always)]
    fn put<const N: usize>(self, bytes: [u8; N]) -> Result<(), Error> {
        self.begin().extend_from_slice(&bytes);
        Ok(())
    }

    #[inline(always)]
    fn begin(self) -> &'a mut Vec<u8> {
        if OPTION {
            self.0.extend_from_slice(&[0, 0, 0, 1]);
        }
        self.0
    }

    /// Variable-length opaque (section 4.10): length, bytes, zero padding to a multiple of four.
    #[inline]
    fn opaque(self, bytes: &[u8]) -> Result<(), Error> {
        let length = length(bytes.len())?;
        let out = self.begin();
        out.extend_from_slice(&length);
        out.extend_from_slice(bytes);
        out.extend_from_slice(&[0; 3][..padding(bytes.len())]);
        Ok(())
    }

    #[inline]
    fn array(self, items: Option<usize>) -> Result<Items<'a>, Error> {
        let length = length(items.ok_or_else(|| broken("an array of unknown length"))?)?;
        let out = self.begin();
        out.extend_from_slice(&length);
        Ok(Items(out))
    }
}

#[inline(always)]
fn padding(length: usize) -> usize {
    length.wrapping_neg() & 3
}

#[inline(always)]
fn length(items: usize) -> Result<[u8; 4], Error> {
    u32::try_from(items).map(u32::to_be_bytes).map_err(|_| broken(format_args!("{items} is beyond XDR's lengths")))
}

pub struct Items<'a>(&'a mut Vec<u8>);

impl Items<'_> {
    #[inline(always)]
    fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Writer::<false>(self.0))
    }
}

macro_rules! items {
    ($($kind:ident, $function:ident $(, $key:ident)?;)*) => {$(
        impl ser::$kind for Items<'_> {
            type Ok = ();
            type Error = Error;
            $(
                #[inline(always)]
                fn $key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
                    self.put(key)
                }
            )?
            #[inline(always)]
            fn $function<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.put(value)
            }
            #[inline(always)]
            fn end(self) -> Result<(), Error> {
                Ok(())
            }
        }
    )*};
}
items! {
    SerializeSeq, serialize_element;
    SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field;
    SerializeMap, serialize_value, serialize_key;
}

impl ser::SerializeStruct for Items<'_> {
    type Ok = ();
    type Error = Error;
    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Error> {
        self.put(value)
    }
    #[inline(always)]
    fn end(self) -> Result<(), Error> {
        Ok(())
    }
}

macro_rules! numbers {
    ($($function:ident $number:ty as $wide:ty;)*) => {$(
        #[inline(always)]
        fn $function(self, value: $number) -> Result<(), Error> {
            self.put(<$wide>::from(value).to_be_bytes())
        }
    )*};
}

type Never = ser::Impossible<(), Error>;

impl<'a, const OPTION: bool> Serializer for Writer<'a, OPTION> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Never;
    type SerializeMap = Items<'a>;
    type SerializeStruct = Items<'a>;
    type SerializeStructVariant = Never;

    numbers! {
        serialize_bool bool as u32;
        serialize_i8 i8 as i32; serialize_i16 i16 as i32; serialize_i32 i32 as i32; serialize_i64 i64 as i64;
        serialize_u8 u8 as u32; serialize_u16 u16 as u32; serialize_u32 u32 as u32; serialize_u64 u64 as u64;
        serialize_f32 f32 as f32; serialize_f64 f64 as f64;
    }

    #[inline]
    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.opaque(text.as_bytes())
    }
    #[inline]
    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Error> {
        self.opaque(bytes)
    }
    #[inline(always)]
    fn serialize_none(self) -> Result<(), Error> {
        self.0.extend_from_slice(&[0; 4]);
        Ok(())
    }
    #[inline(always)]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(Writer::<true>(self.0))
    }
    #[inline]
    fn serialize_seq(self, items: Option<usize>) -> Result<Items<'a>, Error> {
        self.array(items)
    }
    #[inline]
    fn serialize_map(self, items: Option<usize>) -> Result<Items<'a>, Error> {
        self.array(items)
    }
    #[inline(always)]
    fn serialize_struct(self, _: &'static str, fields: usize) -> Result<Items<'a>, Error> {
        let out = self.begin();
        if fields == 0 {
            // XDR has no empty struct: the emitted schema has one unused int instead.
            out.extend_from_slice(&[0; 4]);
        }
        Ok(Items(out))
    }

    fn serialize_char(self, _: char) -> Result<(), Error> {
        unused()
    }
    fn serialize_unit(self) -> Result<(), Error> {
        unused()
    }
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Error> {
        unused()
    }
    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<(), Error> {
        unused()
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }
    /// Discriminated union (section 4.15): the alternative's number, then its value.
    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let out = self.begin();
        out.extend_from_slice(&index.to_be_bytes());
        value.serialize(Writer::<false>(out))
    }
    fn serialize_tuple(self, _: usize) -> Result<Items<'a>, Error> {
        unused()
    }
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Items<'a>, Error> {
        unused()
    }
    fn serialize_tuple_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Never, Error> {
        unused()
    }
    fn serialize_struct_variant(self, _: &'static str, _: u32, _: &'static str, _: usize) -> Result<Never, Error> {
        unused()
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

pub struct Reader<'de>(&'de [u8]);

impl<'de> Reader<'de> {
    #[inline(always)]
    fn take<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let (head, rest) = self.0.split_first_chunk().ok_or_else(|| broken("the message ends too early"))?;
        self.0 = rest;
        Ok(*head)
    }

    #[inline(always)]
    fn flag(&mut self) -> Result<bool, Error> {
        match u32::from_be_bytes(self.take()?) {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(broken(format_args!("{other} where 0 or 1 must stand"))),
        }
    }

    #[inline]
    fn opaque(&mut self) -> Result<&'de [u8], Error> {
        let length = u32::from_be_bytes(self.take()?) as usize;
        let padded = length + padding(length);
        if padded > self.0.len() {
            return Err(broken("the message ends inside a string"));
        }
        let (whole, rest) = self.0.split_at(padded);
        self.0 = rest;
        let (bytes, zeros) = whole.split_at(length);
        if zeros.iter().any(|byte| *byte != 0) {
            return Err(broken("a string is not padded with zeros"));
        }
        Ok(bytes)
    }

    #[inline]
    fn text(&mut self) -> Result<&'de str, Error> {
        std::str::from_utf8(self.opaque()?).map_err(broken)
    }

    #[inline]
    fn items(&mut self) -> Result<Counted<'_, 'de>, Error> {
        let left = u32::from_be_bytes(self.take()?) as usize;
        // Every item takes at least four bytes, so a length cannot request more memory than the
        // message justifies.
        if left > self.0.len() / 4 {
            return Err(broken(format_args!("{left} items cannot stand in the bytes that are left")));
        }
        Ok(Counted { reader: self, left })
    }
}

struct Counted<'a, 'de> {
    reader: &'a mut Reader<'de>,
    left: usize,
}

impl<'de> de::SeqAccess<'de> for Counted<'_, 'de> {
    type Error = Error;

    #[inline(always)]
    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> de::MapAccess<'de> for Counted<'_, 'de> {
    type Error = Error;

    #[inline(always)]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        de::SeqAccess::next_element_seed(self, seed)
    }

    #[inline(always)]
    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(&mut *self.reader)
    }
}

macro_rules! read {
    ($($function:ident $visit:ident $wide:ty;)*) => {$(
        #[inline(always)]
        fn $function<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            visitor.$visit(<$wide>::from_be_bytes(self.take()?))
        }
    )*};
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Error;

    read! {
        deserialize_i8 visit_i32 i32; deserialize_i16 visit_i32 i32;
        deserialize_i32 visit_i32 i32; deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u32 u32; deserialize_u16 visit_u32 u32;
        deserialize_u32 visit_u32 u32; deserialize_u64 visit_u64 u64;
        deserialize_f32 visit_f32 f32; deserialize_f64 visit_f64 f64;
    }

    #[inline(always)]
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(self.flag()?)
    }
    #[inline]
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }
    #[inline]
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.text()?)
    }
    #[inline]
    fn deserialize_bytes<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_bytes(self.opaque()?)
    }
    #[inline]
    fn deserialize_byte_buf<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_bytes(self.opaque()?)
    }
    #[inline(always)]
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.flag()? { visitor.visit_some(self) } else { visitor.visit_none() }
    }
    #[inline]
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(self.items()?)
    }
    #[inline]
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(self.items()?)
    }
    #[inline(always)]
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        if fields.is_empty() && u32::from_be_bytes(self.take()?) != 0 {
            return Err(broken("the unused int of an empty struct is not 0"));
        }
        visitor.visit_seq(Counted { reader: self, left: fields.len() })
    }
    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }
    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        unused()
    }
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self)
    }
    serde::forward_to_deserialize_any! { char unit unit_struct tuple tuple_struct identifier ignored_any }
    fn is_human_readable(&self) -> bool {
        false
    }
}

impl<'de> de::EnumAccess<'de> for &mut Reader<'de> {
    type Error = Error;
    type Variant = Self;

    #[inline]
    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Error> {
        let index = u32::from_be_bytes(self.take()?);
        Ok((seed.deserialize(de::value::U32Deserializer::<Error>::new(index))?, self))
    }
}

impl<'de> de::VariantAccess<'de> for &mut Reader<'de> {
    type Error = Error;

    #[inline]
    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }
    fn unit_variant(self) -> Result<(), Error> {
        unused()
    }
    fn tuple_variant<V: Visitor<'de>>(self, _: usize, _: V) -> Result<V::Value, Error> {
        unused()
    }
    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], _: V) -> Result<V::Value, Error> {
        unused()
    }
}
