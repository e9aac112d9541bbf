//! The JSON Schemas in `docs/contracts`, generated from the types of this crate.
//!
//! To update them after a change: `UPDATE_SCHEMAS=1 cargo test -p wirelab-contract`.

use std::path::Path;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};

use crate::{Command, Event, Ready};

/// The rule that at least one of `count` and `duration_ns` is a number.
pub(crate) fn one_bound() -> Value {
    let bound = |key: &str| json!({"required": [key], "properties": {key: {"type": "integer"}}});
    json!([bound("count"), bound("duration_ns")])
}

/// The published schema of `T`; the settings select the accepted or the written form of values.
fn published<T: JsonSchema>(name: &str, settings: SchemaSettings) -> Value {
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    let id = format!("urn:wirelab:contract:{}:{name}", crate::CONTRACT);
    schema.insert("$id".into(), id.into());
    schema.to_value()
}

fn check(name: &str, generated: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/contracts")
        .join(name);
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, format!("{generated:#}\n")).unwrap();
    }
    let current = std::fs::read_to_string(&path).unwrap_or_default();
    let current: Value = serde_json::from_str(&current).unwrap_or_default();
    assert!(
        current == *generated,
        "docs/contracts/{name} is out of date: run UPDATE_SCHEMAS=1 cargo test -p wirelab-contract"
    );
}

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let accepted = SchemaSettings::draft2020_12;
    let written = || SchemaSettings::draft2020_12().for_serialize();
    let name = "command.schema.json";
    check(name, &published::<Command>(name, accepted()));
    let name = "event.schema.json";
    check(name, &published::<Event>(name, written()));
    let name = "ready.schema.json";
    check(name, &published::<Ready>(name, written()));
}
