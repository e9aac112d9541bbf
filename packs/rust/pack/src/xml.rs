//! XML on quick-xml's reader and writer, laid out as Jackson lays it out: an element for each field, items of a list in
//! elements of its name inside one of its name, null as `xsi:nil`, keys that are no names of XML in base64.

use std::borrow::Cow;
use std::fmt::Display;

use quick_xml::events::attributes::Attribute;
use quick_xml::events::{BytesEnd, BytesStart, BytesText, Event};
use quick_xml::name::QName;
use quick_xml::{Reader, Writer};
use serde::de::{self, DeserializeSeed, Visitor};
use serde::ser::{self, Impossible, Serialize};
use serde::{Deserialize, Deserializer, Serializer};
use wirelab_pack_runtime::{Base64, Failure, Serde};

use crate::generated::model::{Message, ROOT};

const SCHEMA_INSTANCE: (&str, &str) = ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance");
const NIL: (&str, &str) = ("xsi:nil", "true");
const CODED: &str = "base64_tag_";

pub struct QuickXml;

impl Serde for QuickXml {
    type Native = Message;

    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    #[inline]
    fn write(&mut self, native: &Message, buffer: &mut Vec<u8>) -> Result<(), Failure> {
        let mut out = Writer::new(buffer);
        native.serialize(Element { out: &mut out, name: &named(ROOT) })?;
        Ok(())
    }

    #[inline]
    fn read(&mut self, bytes: &[u8]) -> Result<Message, Failure> {
        let mut xml = Reader::from_str(std::str::from_utf8(bytes)?);
        xml.config_mut().expand_empty_elements = true;
        let Event::Start(start) = xml.read_event()? else {
            return Err("a message begins with its element".into());
        };
        let is_nil = is_nil(&start)?;
        let message = Message::deserialize(Content { xml: &mut xml, is_nil })?;
        match xml.read_event()? {
            Event::Eof => Ok(message),
            _ => Err("something stands after the message".into()),
        }
    }
}

#[derive(Debug)]
pub struct Error(String);

impl Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl ser::Error for Error {
    fn custom<T: Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

impl de::Error for Error {
    fn custom<T: Display>(why: T) -> Self {
        Self(why.to_string())
    }
}

fn broken(why: impl Display) -> Error {
    Error(why.to_string())
}

/// A key as the name of an element.
fn named(key: &str) -> Cow<'_, str> {
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let is_first = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let is_name = key.bytes().next().is_some_and(is_first) && key.bytes().all(is_inner);
    if is_name && !key.starts_with(CODED) {
        return Cow::Borrowed(key);
    }
    let text = Base64(key.as_bytes().to_vec()).to_string().replace('+', "-").replace('/', "_");
    Cow::Owned(format!("{CODED}{}", text.trim_end_matches('=')))
}

/// The key behind the name of an element.
fn key(name: QName<'_>) -> Result<String, Error> {
    let name = name.0;
    let Some(coded) = name.strip_prefix(CODED) else {
        return Ok(name.to_owned());
    };
    let padded = coded.replace('-', "+").replace('_', "/") + &"==="[..coded.len().wrapping_neg() & 3];
    let bytes = Base64::parse(&padded).ok_or_else(|| Error(format!("{name} is no name of a key")))?;
    String::from_utf8(bytes.0).map_err(broken)
}

/// Text as it stands between tags; a parser would make a line feed of a carriage return that is not escaped.
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
            _ => return Err(Error(format!("XML cannot hold the character U+{:04X}", u32::from(sign)))),
        }
    }
    Ok(Cow::Owned(out))
}

fn is_nil(start: &BytesStart<'_>) -> Result<bool, Error> {
    for attribute in start.attributes() {
        let Attribute { key, value } = attribute.map_err(broken)?;
        if key.0 == NIL.0 && value == NIL.1 {
            return Ok(true);
        }
    }
    Ok(false)
}

type Out<'a> = Writer<&'a mut Vec<u8>>;

/// Writes one value as an element of this name.
struct Element<'a, 'b> {
    out: &'a mut Out<'b>,
    name: &'a str,
}

impl<'a, 'b> Element<'a, 'b> {
    fn text(self, text: &str) -> Result<(), Error> {
        let text = escaped(text)?;
        self.out.write_event(Event::Start(BytesStart::new(self.name))).map_err(broken)?;
        self.out.write_event(Event::Text(BytesText::from_escaped(text))).map_err(broken)?;
        self.out.write_event(Event::End(BytesEnd::new(self.name))).map_err(broken)
    }

    fn open(self) -> Result<Parts<'a, 'b>, Error> {
        self.out.write_event(Event::Start(BytesStart::new(self.name))).map_err(broken)?;
        Ok(Parts { out: self.out, name: self.name, key: String::new() })
    }
}

struct Parts<'a, 'b> {
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
        value.serialize(Element { out: self.out, name: self.name })
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
        value.serialize(Element { out: self.out, name: &self.key })
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
        value.serialize(Element { out: self.out, name: &named(key) })
    }
    fn end(self) -> Result<(), Error> {
        self.close()
    }
}

fn unused<T>() -> Result<T, Error> {
    Err(Error("schemas have no such type".into()))
}

/// What both serializers leave out: types that schemas do not have.
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
        fn serialize_newtype_variant<T: Serialize + ?Sized>(
            self,
            _: &'static str,
            _: u32,
            _: &'static str,
            _: &T,
        ) -> Result<$ok, Error> {
            unused()
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

/// Takes the text of a map's key.
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

/// Reads what stands in an element whose start has been read, and its end.
struct Content<'a, 'de> {
    xml: &'a mut Reader<&'de [u8]>,
    is_nil: bool,
}

impl<'de> Content<'_, 'de> {
    fn text(self) -> Result<Cow<'de, str>, Error> {
        let mut text = Cow::Borrowed("");
        loop {
            match self.xml.read_event().map_err(broken)? {
                Event::Text(part) => append(&mut text, part.xml10_content()),
                Event::GeneralRef(part) => append(&mut text, Cow::Owned(resolved(&part)?.to_string())),
                Event::End(_) => return Ok(text),
                other => return Err(Error(format!("{other:?} where text must stand"))),
            }
        }
    }

    /// The next element inside this one; none at its end.
    fn next(&mut self) -> Result<Option<BytesStart<'de>>, Error> {
        match self.xml.read_event().map_err(broken)? {
            Event::Start(start) => Ok(Some(start)),
            Event::End(_) => Ok(None),
            other => Err(Error(format!("{other:?} where an element must stand"))),
        }
    }
}

fn append<'de>(text: &mut Cow<'de, str>, part: Cow<'de, str>) {
    if text.is_empty() {
        *text = part;
    } else {
        text.to_mut().push_str(&part);
    }
}

fn resolved(reference: &quick_xml::events::BytesRef<'_>) -> Result<char, Error> {
    if let Some(sign) = reference.resolve_char_ref().map_err(broken)? {
        return Ok(sign);
    }
    match &**reference {
        "amp" => Ok('&'),
        "lt" => Ok('<'),
        "gt" => Ok('>'),
        "quot" => Ok('"'),
        "apos" => Ok('\''),
        _ => Err(Error("an entity that XML does not define".into())),
    }
}

struct Children<'a, 'de> {
    content: Content<'a, 'de>,
    is_nil: bool,
}

impl<'de> de::SeqAccess<'de> for Children<'_, 'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some(start) = self.content.next()? else {
            return Ok(None);
        };
        let is_nil = is_nil(&start)?;
        seed.deserialize(Content { xml: self.content.xml, is_nil }).map(Some)
    }
}

impl<'de> de::MapAccess<'de> for Children<'_, 'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let Some(start) = self.content.next()? else {
            return Ok(None);
        };
        self.is_nil = is_nil(&start)?;
        let key = key(start.name())?;
        seed.deserialize(de::value::StringDeserializer::<Error>::new(key)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Content { xml: self.content.xml, is_nil: self.is_nil })
    }
}

macro_rules! read_numbers {
    ($($function:ident $visit:ident $number:ty;)*) => {$(
        fn $function<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            let text = self.text()?;
            visitor.$visit(text.parse::<$number>().map_err(|error| Error(format!("'{text}': {error}")))?)
        }
    )*};
}

impl<'de> Deserializer<'de> for Content<'_, 'de> {
    type Error = Error;

    read_numbers! {
        deserialize_bool visit_bool bool;
        deserialize_i8 visit_i8 i8; deserialize_i16 visit_i16 i16;
        deserialize_i32 visit_i32 i32; deserialize_i64 visit_i64 i64;
        deserialize_u8 visit_u8 u8; deserialize_u16 visit_u16 u16;
        deserialize_u32 visit_u32 u32; deserialize_u64 visit_u64 u64;
        deserialize_f32 visit_f32 f32; deserialize_f64 visit_f64 f64;
    }
    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }
    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_str(visitor)
    }
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if !self.is_nil {
            return visitor.visit_some(self);
        }
        match self.text()?.len() {
            0 => visitor.visit_none(),
            _ => Err(Error("something stands in an element that is null".into())),
        }
    }
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Children { content: self, is_nil: false })
    }
    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Children { content: self, is_nil: false })
    }
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }
    fn deserialize_ignored_any<V: Visitor<'de>>(mut self, visitor: V) -> Result<V::Value, Error> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.xml.read_event().map_err(broken)? {
                Event::Start(_) => depth += 1,
                Event::End(_) => depth -= 1,
                Event::Eof => return Err(Error("the message ends inside an element".into())),
                _ => {}
            }
        }
        self.is_nil = false;
        visitor.visit_unit()
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
        _: V,
    ) -> Result<V::Value, Error> {
        unused()
    }
    serde::forward_to_deserialize_any! { char bytes byte_buf unit unit_struct tuple tuple_struct identifier }
}
