//! google.protobuf.Value, Struct and ListValue (google/protobuf/struct.proto) as prost's structs.

use std::collections::BTreeMap;

use wirelab_pack_runtime::{Any, Buffered, Checksum, Failure, Fold};

#[derive(Clone, PartialEq, prost::Message)]
pub struct Value {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6")]
    kind: Option<Kind>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Kind {
    /// The enum NullValue, which has the number 0 alone.
    #[prost(int32, tag = "1")]
    Null(i32),
    #[prost(double, tag = "2")]
    Number(f64),
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(bool, tag = "4")]
    Bool(bool),
    #[prost(message, tag = "5")]
    Struct(Struct),
    #[prost(message, tag = "6")]
    List(List),
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Struct {
    #[prost(btree_map = "string, message", tag = "1")]
    fields: BTreeMap<String, Value>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct List {
    #[prost(message, repeated, tag = "1")]
    values: Vec<Value>,
}

/// A message for a native value of any type.
pub trait Free: Sized {
    /// The message. A value of another type than the message's has none, so it is empty.
    fn of(value: &Buffered) -> Self;
    /// The native value.
    fn into_value(self) -> Result<Buffered, Failure>;

    fn populate(native: &Any) -> Self {
        Self::of(native.value())
    }
    fn convert(self) -> Result<Any, Failure> {
        Ok(Any::of(self.into_value()?))
    }
}

impl Free for Value {
    fn of(value: &Buffered) -> Self {
        let kind = match value {
            Buffered::Null | Buffered::Bytes(_) => Kind::Null(0),
            Buffered::Bool(value) => Kind::Bool(*value),
            Buffered::Signed(value) => Kind::Number(*value as f64),
            Buffered::Unsigned(value) => Kind::Number(*value as f64),
            Buffered::Float(value) => Kind::Number(*value),
            Buffered::Text(value) => Kind::Text(value.clone()),
            Buffered::List(_) => Kind::List(List::of(value)),
            Buffered::Object(_) => Kind::Struct(Struct::of(value)),
        };
        Self { kind: Some(kind) }
    }
    fn into_value(self) -> Result<Buffered, Failure> {
        Ok(match self.kind.ok_or("a google.protobuf.Value has no kind")? {
            Kind::Null(_) => Buffered::Null,
            Kind::Bool(value) => Buffered::Bool(value),
            Kind::Number(value) => Buffered::Float(value),
            Kind::Text(value) => Buffered::Text(value),
            Kind::Struct(value) => value.into_value()?,
            Kind::List(value) => value.into_value()?,
        })
    }
}

impl Free for Struct {
    fn of(value: &Buffered) -> Self {
        let Buffered::Object(entries) = value else {
            return Self::default();
        };
        Self { fields: entries.iter().map(|(key, value)| (key.clone(), Value::of(value))).collect() }
    }
    fn into_value(self) -> Result<Buffered, Failure> {
        let entries = self.fields.into_iter().map(|(key, value)| Ok((key, value.into_value()?)));
        Ok(Buffered::Object(entries.collect::<Result<_, Failure>>()?))
    }
}

impl Free for List {
    fn of(value: &Buffered) -> Self {
        let Buffered::List(items) = value else {
            return Self::default();
        };
        Self { values: items.iter().map(Value::of).collect() }
    }
    fn into_value(self) -> Result<Buffered, Failure> {
        Ok(Buffered::List(self.values.into_iter().map(Free::into_value).collect::<Result<_, _>>()?))
    }
}

impl Fold for Value {
    fn fold(&self, sum: &mut Checksum) {
        match &self.kind {
            None | Some(Kind::Null(_)) => sum.missing(),
            Some(Kind::Bool(value)) => sum.free_bool(*value),
            Some(Kind::Number(value)) => sum.free_number(*value),
            Some(Kind::Text(value)) => sum.free_text(value),
            Some(Kind::Struct(value)) => value.fold(sum),
            Some(Kind::List(value)) => value.fold(sum),
        }
    }
}

impl Fold for Struct {
    fn fold(&self, sum: &mut Checksum) {
        let mut all = 0;
        for (key, value) in &self.fields {
            all = Checksum::with_entry(all, key, |own| value.fold(own));
        }
        sum.free_object(all);
    }
}

impl Fold for List {
    fn fold(&self, sum: &mut Checksum) {
        sum.free_list(self.values.len());
        self.values.iter().for_each(|value| value.fold(sum));
    }
}
