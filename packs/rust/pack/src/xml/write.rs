//! Writes native objects as elements.

use std::borrow::Cow;

use quick_xml::Writer;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use serde::Serializer;
use serde::ser::{self, Impossible, Serialize};

use wirelab_pack_runtime::error::{Error, broken, unused};

use super::{ALTERNATIVE, NIL, named};

const SCHEMA_INSTANCE: (&str, &str) = ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");

/// Escapes text. An unescaped carriage return would be normalised to a line feed by a parser.
fn escaped(text: &str) -> Result<Cow<'_, str>, Error> {
    let is_special = |sign: char| matches!(sign, '&' | '<' | '>') || (sign < ' ' && sign != '\n' && sign != '\t');
    if !text.contains(|sign: char| is_special(sign) || sign >= '\u{fffe}') {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len() + 16);
    for sign in text.chars() {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\r' => out.push_str("&#xd;"),
            '\n' | '\t' | ' '..='\u{fffd}' | '\u{10000}'.. => out.push(sign),
            _ => return Err(broken(format_args!("XML cannot hold the character U+{:04X}", u32::from(sign)))),
        }
    }
    Ok(Cow::Owned(out))
}

pub type Out<'a> = Writer<&'a mut Vec<u8>>;

/// Apart, so that elements of no union are written by as little code as possible.
#[cold]
fn alternative_start<'a>(name: &'a str, alternative: &str) -> BytesStart<'a> {
    BytesStart::new(name).with_attributes([(ALTERNATIVE, alternative)])
}

/// Writes one value as an element with this name, and the alternative of a union that it is as an
/// attribute.
pub struct Element<'a, 'b> {
    pub out: &'a mut Out<'b>,
    pub name: &'a str,
    pub alternative: Option<&'static str>,
}

impl<'a, 'b> Element<'a, 'b> {
    fn text(self, text: &str) -> Result<(), Error> {
        let text = escaped(text)?;
        self.out.write_event(Event::Start(self.start())).map_err(broken)?;
        self.out.write_event(Event::Text(BytesText::from_escaped(text))).map_err(broken)?;
        self.out.write_event(Event::End(BytesEnd::new(self.name))).map_err(broken)
    }

    #[inline]
    fn start(&self) -> BytesStart<'a> {
        match self.alternative {
            None => BytesStart::new(self.name),
            Some(name) => alternative_start(self.name, name),
        }
    }

    fn open(self) -> Result<Parts<'a, 'b>, Error> {
        self.out.write_event(Event::Start(self.start())).map_err(broken)?;
        Ok(Parts { out: self.out, name: self.name, key: String::new() })
    }
}

pub struct Parts<'a, 'b> {
    out: &'a mut Out<'b>,
    name: &'a str,
    key: String,
}

impl Parts<'_, '_> {
    fn close(self) -> Result<(), Error> {
        self.out.write_event(Event::End(BytesEnd::new(self.name))).map_err(broken)
    }
}

impl ser::SerializeSeq for Parts<'_, '_> {
    type Ok = ();
    type Error = Error;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Element { out: self.out, name: self.name, alternative: None })
    }
    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl ser::SerializeMap for Parts<'_, '_> {
    type Ok = ();
    type Error = Error;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = named(&key.serialize(KeyText)?).into_owned();
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Element { out: self.out, name: &self.key, alternative: None })
    }
    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

impl ser::SerializeStruct for Parts<'_, '_> {
    type Ok = ();
    type Error = Error;
    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(Element { out: self.out, name: &named(key), alternative: None })
    }
    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

/// The part that both serializers do not support: types that schemas do not have.
macro_rules! no_such_types {
    ($ok:ty) => {
        type SerializeTuple = Impossible<$ok, Error>;
        type SerializeTupleStruct = Impossible<$ok, Error>;
        type SerializeTupleVariant = Impossible<$ok, Error>;
        type SerializeStructVariant = Impossible<$ok, Error>;
        fn serialize_char(self, _: char) -> Result<$ok, Error> {
            unused()
        }
        fn serialize_bytes(self, _: &[u8]) -> Result<$ok, Error> {
            unused()
        }
        fn serialize_unit(self) -> Result<$ok, Error> {
            unused()
        }
        fn serialize_unit_struct(self, _: &'static str) -> Result<$ok, Error> {
            unused()
        }
        fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Result<$ok, Error> {
            unused()
        }
        fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<$ok, Error> {
            value.serialize(self)
        }
        fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Error> {
            unused()
        }
        fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeTuple, Error> {
            unused()
        }
        fn serialize_tuple_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTuple, Error> {
            unused()
        }
        fn serialize_struct_variant(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: usize,
        ) -> Result<Self::SerializeTuple, Error> {
            unused()
        }
    };
}

macro_rules! write_numbers {
    ($($function:ident $number:ty, $format:literal;)*) => {$(
        fn $function(self, value: $number) -> Result<(), Error> {
            self.text(&format!($format, value))
        }
    )*};
}

impl<'a, 'b> Serializer for Element<'a, 'b> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Parts<'a, 'b>;
    type SerializeMap = Parts<'a, 'b>;
    type SerializeStruct = Parts<'a, 'b>;
    no_such_types!(());

    write_numbers! {
        serialize_bool bool, "{}";
        serialize_i8 i8, "{}"; serialize_i16 i16, "{}"; serialize_i32 i32, "{}"; serialize_i64 i64, "{}";
        serialize_u8 u8, "{}"; serialize_u16 u16, "{}"; serialize_u32 u32, "{}"; serialize_u64 u64, "{}";
        serialize_f32 f32, "{:?}"; serialize_f64 f64, "{:?}";
    }
    fn serialize_str(self, text: &str) -> Result<(), Error> {
        self.text(text)
    }
    fn serialize_none(self) -> Result<(), Error> {
        let start = BytesStart::new(self.name).with_attributes([SCHEMA_INSTANCE, NIL]);
        self.out.write_event(Event::Empty(start)).map_err(broken)
    }
    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        value.serialize(Element { alternative: Some(name), ..self })
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a, 'b>, Error> {
        self.open()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a, 'b>, Error> {
        self.open()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Parts<'a, 'b>, Error> {
        self.open()
    }
}

/// Serializes the text of a map key.
struct KeyText;

macro_rules! no_key {
    ($($function:ident $number:ty;)*) => {$(
        fn $function(self, _: $number) -> Result<String, Error> {
            unused()
        }
    )*};
}

impl Serializer for KeyText {
    type Ok = String;
    type Error = Error;
    type SerializeSeq = Impossible<String, Error>;
    type SerializeMap = Impossible<String, Error>;
    type SerializeStruct = Impossible<String, Error>;
    no_such_types!(String);

    no_key! {
        serialize_bool bool; serialize_i8 i8; serialize_i16 i16; serialize_i32 i32; serialize_i64 i64;
        serialize_u8 u8; serialize_u16 u16; serialize_u32 u32; serialize_u64 u64; serialize_f32 f32; serialize_f64 f64;
    }
    fn serialize_str(self, text: &str) -> Result<String, Error> {
        Ok(text.to_owned())
    }
    fn serialize_none(self) -> Result<String, Error> {
        unused()
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<String, Error> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<String, Error> {
        unused()
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        unused()
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, Error> {
        unused()
    }
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self::SerializeStruct, Error> {
        unused()
    }
}
