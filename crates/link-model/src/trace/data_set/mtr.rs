//! `mtr --report` (bitwizard.nl/mtr), as text or `--json`: the delay and loss of the last hop.

use serde_json::Value;

use super::{DataSet, Probes, Summary};

const NAME: &str = "mtr report";

pub(super) const DATA_SET: DataSet = DataSet {
    name: NAME,
    matches: |sample| last_hub(sample.json.as_ref()).is_some() || last_hop(sample.text).is_some(),
    read: |sample, _| {
        let found = last_hub(sample.json.as_ref()).or_else(|| last_hop(sample.text));
        let hop = found.unwrap_or_default();
        let answered = (hop.sent as f64 * (1.0 - hop.loss)).round() as usize;
        let summary = Summary { answered, mean_ms: hop.mean_ms, deviation_ms: hop.deviation_ms };
        let probes = Probes {
            sent: hop.sent,
            lost: hop.sent - answered,
            summary: (answered > 0).then_some(summary),
            notes: vec!["the last hop counts".into()],
            ..Probes::default()
        };
        probes.settings(NAME)
    },
};

#[derive(Default)]
struct Hop {
    sent: usize,
    loss: f64,
    mean_ms: f64,
    deviation_ms: f64,
}

impl Hop {
    fn of(sent: f64, percent: f64, mean_ms: f64, deviation_ms: f64) -> Option<Hop> {
        let is_valid = (1.0..1e9).contains(&sent) && (0.0..=100.0).contains(&percent);
        let hop = Hop { sent: sent as usize, loss: percent / 100.0, mean_ms, deviation_ms };
        (is_valid && mean_ms >= 0.0 && deviation_ms >= 0.0).then_some(hop)
    }
}

fn last_hub(json: Option<&Value>) -> Option<Hop> {
    let hub = json?.pointer("/report/hubs")?.as_array()?.last()?;
    let number = |key: &str| hub.get(key).and_then(Value::as_f64);
    Hop::of(number("Snt")?, number("Loss%")?, number("Avg")?, number("StDev")?)
}

/// The last line such as `  4.|-- 1.1.1.1  10.0%  10  12.1  13.0  11.8  20.4  2.6`.
fn last_hop(text: &str) -> Option<Hop> {
    let names: Vec<&str> = text.lines().find(|line| line.contains("Loss%"))?.split_whitespace().collect();
    let line = text.lines().rev().find(|line| line.contains(".|--"))?;
    let fields: Vec<&str> = line.split_whitespace().collect();
    // Columns are counted from the end of both lines, since a host may have any name.
    let number = |name: &str| {
        let from_end = names.len() - names.iter().position(|own| *own == name)?;
        fields.get(fields.len().checked_sub(from_end)?)?.trim_end_matches('%').parse().ok()
    };
    Hop::of(number("Snt")?, number("Loss%")?, number("Avg")?, number("StDev")?)
}
