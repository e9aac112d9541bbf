//! Traces of AlphaRTC and OpenNetLab (github.com/OpenNetLab): pieces of ms and kbit/s for each
//! direction.

use serde_json::Value;

use super::{Content, DataSet};
use crate::error::BadLink;

const SIDES: [&str; 2] = ["uplink", "downlink"];

pub(super) const DATA_SET: DataSet = DataSet {
    name: "AlphaRTC trace",
    matches: |sample| {
        let json = sample.json.as_ref();
        json.is_some_and(|json| SIDES.iter().any(|side| pattern(json, side).is_some()))
    },
    read: |sample, choices| {
        let json = sample.json.as_ref().unwrap_or(&Value::Null);
        let has = |side: &&str| pattern(json, side).is_some_and(|steps| !steps.is_empty());
        let given = choices.column.as_deref();
        let side = SIDES.into_iter().filter(has).find(|side| given.is_none_or(|column| column == *side));
        let side = side.ok_or_else(|| BadLink::new("it has no steps of that direction; give --column uplink or downlink"))?;
        let mut notes = vec![format!("rates: capacity of '{side}' in kbit/s over its duration in ms")];
        let mut pieces = Vec::new();
        let mut has_loss = false;
        for step in pattern(json, side).into_iter().flatten() {
            let number = |key: &str| {
                step[key].as_f64().filter(|number| (0.0..=864e6).contains(number)).ok_or_else(|| {
                    BadLink::new(format!("a step of {side} has no {key} of zero or more"))
                })
            };
            has_loss |= ["loss", "jitter"].iter().any(|key| step[*key].as_f64().is_some_and(|value| value > 0.0));
            pieces.push(((number("duration")? * 1e6).round() as u64, (number("capacity")? * 1e3).round() as u64));
        }
        if has_loss {
            notes.push("not in a trace: loss, jitter; a link has loss=, loss-trace=, jitter=".into());
        }
        if SIDES.iter().filter(|side| has(side)).count() > 1 && given.is_none() {
            notes.push("other direction, by --column: downlink".into());
        }
        Ok(Content::Pieces(pieces, notes))
    },
};

fn pattern<'a>(json: &'a Value, side: &str) -> Option<&'a Vec<Value>> {
    json.get(side)?.get("trace_pattern")?.as_array()
}
