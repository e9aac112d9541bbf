"""Values of any type in Google's crate: the messages of google/protobuf/struct.proto."""

from __future__ import annotations

from wirelab.codecs.rust.field_paths import FAILURE, RESULT, SUM
from wirelab.codecs.rust.model import RUNTIME
from wirelab.schema.emitters.common import Layout

_ANY, _VALUE = f"{RUNTIME}::Any", f"{RUNTIME}::Buffered"


def functions(plan: Layout) -> str:
    """`build`, `fold` and `convert` of the three messages, for native values of any type."""
    names = {table.role: table.name for table in plan.tables}
    value, struct, items = names["value"], names["struct"], names["list"]
    return "".join(
        [
            _entrance(value, "put_value(out, native.value())?", "get_value"),
            _entrance(struct, _only("Object", "put_struct"), "get_struct"),
            _entrance(items, _only("List", "put_list"), "get_list"),
            _put(value, struct, items),
            _fold(value, struct, items),
            _get(value, struct, items),
        ]
    )


def _only(kind: str, put: str) -> str:
    """The statement that builds a message from values of one kind."""
    wrong = 'return Err("a value of another type".into())'
    return f"match native.value() {{ {_VALUE}::{kind}(v) => {put}(out, v)?, _ => {wrong} }}"


def _entrance(name: str, put: str, get: str) -> str:
    return f"""
pub fn build_{name}(out: structs_proto::{name}Mut<'_>, native: &{_ANY}) -> {RESULT}<(), {FAILURE}> {{
    {put};
    Ok(())
}}
pub fn convert_{name}(view: structs_proto::{name}View<'_>) -> {RESULT}<{_ANY}, {FAILURE}> {{
    Ok({_ANY}::of({get}(view)?))
}}
"""


def _put(value: str, struct: str, items: str) -> str:
    entries = "&[(::std::string::String, ::wirelab_pack_runtime::Buffered)]"
    return f"""
fn put_value(mut out: structs_proto::{value}Mut<'_>, native: &{_VALUE}) -> {RESULT}<(), {FAILURE}> {{
    match native {{
        {_VALUE}::Null => out.set_null_value(0),
        {_VALUE}::Bool(v) => out.set_bool_value(*v),
        {_VALUE}::Signed(v) => out.set_number_value(*v as f64),
        {_VALUE}::Unsigned(v) => out.set_number_value(*v as f64),
        {_VALUE}::Float(v) => out.set_number_value(*v),
        {_VALUE}::Text(v) => out.set_string_value(v.as_str()),
        {_VALUE}::Bytes(_) => return Err("google.protobuf.Value has no bytes".into()),
        {_VALUE}::List(v) => put_list(out.list_value_mut(), v)?,
        {_VALUE}::Object(v) => put_struct(out.struct_value_mut(), v)?,
    }}
    Ok(())
}}
fn put_struct(mut out: structs_proto::{struct}Mut<'_>, native: {entries}) -> {RESULT}<(), {FAILURE}> {{
    let mut map = out.fields_mut();
    for (key, value) in native {{
        let mut made = structs_proto::{value}::new();
        put_value(made.as_mut(), value)?;
        map.insert(key.as_str(), made);
    }}
    Ok(())
}}
fn put_list(mut out: structs_proto::{items}Mut<'_>, native: &[{_VALUE}]) -> {RESULT}<(), {FAILURE}> {{
    let mut list = out.values_mut();
    for item in native {{
        put_value(list.push_default(), item)?;
    }}
    Ok(())
}}
"""


def _fold(value: str, struct: str, items: str) -> str:
    return f"""
pub fn fold_{value}(view: structs_proto::{value}View<'_>, {SUM}) -> {RESULT}<(), {FAILURE}> {{
    if view.has_number_value() {{
        sum.free_number(view.number_value());
    }} else if view.has_string_value() {{
        sum.free_text(view.string_value().to_str()?);
    }} else if view.has_bool_value() {{
        sum.free_bool(view.bool_value());
    }} else if view.has_struct_value() {{
        fold_{struct}(view.struct_value(), sum)?;
    }} else if view.has_list_value() {{
        fold_{items}(view.list_value(), sum)?;
    }} else {{
        sum.missing();
    }}
    Ok(())
}}
pub fn fold_{struct}(view: structs_proto::{struct}View<'_>, {SUM}) -> {RESULT}<(), {FAILURE}> {{
    let mut all = 0;
    for (key, value) in view.fields().iter() {{
        let mut done = Ok(());
        all = {RUNTIME}::Checksum::with_entry(all, key.to_str()?, |own| done = fold_{value}(value, own));
        done?;
    }}
    sum.free_object(all);
    Ok(())
}}
pub fn fold_{items}(view: structs_proto::{items}View<'_>, {SUM}) -> {RESULT}<(), {FAILURE}> {{
    let all = view.values();
    sum.free_list(all.len());
    for item in all.iter() {{
        fold_{value}(item, sum)?;
    }}
    Ok(())
}}
"""


def _get(value: str, struct: str, items: str) -> str:
    return f"""
fn get_value(view: structs_proto::{value}View<'_>) -> {RESULT}<{_VALUE}, {FAILURE}> {{
    Ok(if view.has_number_value() {{
        {_VALUE}::Float(view.number_value())
    }} else if view.has_string_value() {{
        {_VALUE}::Text(view.string_value().to_str()?.to_owned())
    }} else if view.has_bool_value() {{
        {_VALUE}::Bool(view.bool_value())
    }} else if view.has_struct_value() {{
        get_struct(view.struct_value())?
    }} else if view.has_list_value() {{
        get_list(view.list_value())?
    }} else if view.has_null_value() {{
        {_VALUE}::Null
    }} else {{
        return Err("a google.protobuf.Value has no kind".into());
    }})
}}
fn get_struct(view: structs_proto::{struct}View<'_>) -> {RESULT}<{_VALUE}, {FAILURE}> {{
    let mut found = ::std::vec::Vec::new();
    for (key, value) in view.fields().iter() {{
        found.push((key.to_str()?.to_owned(), get_value(value)?));
    }}
    Ok({_VALUE}::Object(found))
}}
fn get_list(view: structs_proto::{items}View<'_>) -> {RESULT}<{_VALUE}, {FAILURE}> {{
    let mut found = ::std::vec::Vec::new();
    for item in view.values().iter() {{
        found.push(get_value(item)?);
    }}
    Ok({_VALUE}::List(found))
}}
"""
