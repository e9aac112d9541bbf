//! `iperf3 --json` and `--json-stream` (software.es.net/iperf): the rate of all streams in each
//! interval.

use serde_json::Value;

use super::iperf_text::udp_note;
use super::{Content, DataSet};
use crate::error::BadLink;
use crate::trace::rate_table::Choices;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "iperf3 JSON",
    matches: |sample| {
        sample.json.as_ref().is_some_and(|json| {
            let is_report = json.get("intervals").is_some_and(Value::is_array);
            let is_failed = json.get("error").is_some() && json.get("start").is_some();
            let is_stream = json.get("event").is_some() && json.get("data").is_some();
            is_report || is_failed || is_stream
        })
    },
    read: |sample, choices| {
        let lines = sample.text.lines().filter(|line| !line.trim().is_empty());
        let all: Vec<Value> = match serde_json::from_str(sample.text) {
            Ok(whole) => vec![whole],
            Err(_) => lines
                .map(serde_json::from_str)
                .collect::<Result<_, _>>()
                .map_err(|e| BadLink::new(format!("iperf3's JSON is damaged: {e}")))?,
        };
        read(&all, choices)
    },
};

fn read(all: &[Value], choices: &Choices) -> Result<Content, BadLink> {
    let of_event = |name: &'static str| {
        all.iter().filter(move |json| json.get("event").is_some_and(|event| event == name)).map(|json| &json["data"])
    };
    let reports = all.iter().filter_map(|json| json.get("intervals")?.as_array()).flatten();
    let intervals: Vec<&Value> = reports.chain(of_event("interval")).collect();
    if intervals.is_empty() {
        let error = all.iter().find_map(|json| json.get("error")?.as_str()).unwrap_or("no interval is in it");
        let short: String = error.chars().take(80).collect();
        return Err(BadLink::new(format!("iperf3 measured nothing: {}", short.escape_debug())));
    }
    let column = choices.column.as_deref().unwrap_or("sum");
    let mut notes = vec![format!("rates: '{column}' of each interval, bit/s, as iperf3 says")];
    let mut pieces = Vec::new();
    let mut end_ns = 0;
    for (number, interval) in intervals.iter().enumerate() {
        let found = interval.get(column).ok_or_else(|| {
            let has: Vec<&String> = interval.as_object().map_or(vec![], |all| {
                all.iter().filter(|(_, value)| value.get("bits_per_second").is_some()).map(|(name, _)| name).collect()
            });
            BadLink::new(format!("interval {number} has no '{column}'; it has: {has:?}"))
        })?;
        if found.get("omitted").and_then(Value::as_bool) == Some(true) {
            continue;
        }
        let number = |key: &str| {
            found.get(key).and_then(Value::as_f64).filter(|n| *n >= 0.0).ok_or_else(|| {
                BadLink::new(format!("interval {number} has no {key} of zero or more"))
            })
        };
        let [start, end] = [number("start")?, number("end")?].map(|s| (s * 1e9).round() as u64);
        if start > end_ns && !pieces.is_empty() {
            pieces.push((start - end_ns, 0));
        }
        pieces.push((end.saturating_sub(start), number("bits_per_second")?.round() as u64));
        end_ns = end;
    }
    let start = all.iter().map(|json| &json["start"]).chain(of_event("start"));
    let tests = start.filter_map(|start| start.get("test_start"));
    let flag = |key: &str| tests.clone().any(|test| test.get(key).and_then(Value::as_u64) == Some(1));
    let is_udp = tests.clone().any(|test| test["protocol"] == "UDP");
    if is_udp && column == "sum" && !flag("reverse") {
        let ends = all.iter().map(|json| &json["end"]).chain(of_event("end"));
        let lost = ends.filter_map(|end| end.pointer("/sum/lost_percent")?.as_f64()).next();
        notes.push(udp_note(lost));
    }
    if flag("reverse") {
        notes.push("the server sent (--reverse): the rates are of the direction down".into());
    }
    if flag("bidir") {
        notes.push("other direction, by --column: sum_bidir_reverse".into());
    }
    Ok(Content::Pieces(pieces, notes))
}
