//! The JSON of speed tests: speedtest-cli (`--json`), Ookla's client (`--format=json`), M-Lab's
//! ndt7-client (`-format=json -quiet`). One test is one link.

use serde_json::Value;

use super::{Content, DataSet, Settings, push_loss, short};
use crate::error::BadLink;

const NAME: &str = "speed test JSON";

pub(super) const DATA_SET: DataSet = DataSet {
    name: NAME,
    matches: |sample| sample.json.as_ref().is_some_and(|json| Test::of(json).is_some()),
    read: |sample, _| {
        let test = sample.json.as_ref().and_then(Test::of);
        test.ok_or_else(|| BadLink::new("the speed test has no rates"))?.settings()
    },
};

/// Rates in bit/s, the round-trip time of the idle link in ms, the share of packets lost.
#[derive(Default)]
struct Test {
    up: f64,
    down: f64,
    rtt_ms: Option<f64>,
    loss: f64,
}

impl Test {
    fn of(json: &Value) -> Option<Self> {
        let number = |at: &str| json.pointer(at).and_then(Value::as_f64);
        if let (Some(down), Some(up), Some(_)) = (number("/download"), number("/upload"), json.get("server")) {
            return Some(Self { up, down, rtt_ms: number("/ping"), loss: 0.0 });
        }
        if let (Some(down), Some(up)) = (number("/download/bandwidth"), number("/upload/bandwidth")) {
            let loss = number("/packetLoss").unwrap_or(0.0) / 100.0;
            return Some(Self { up: 8.0 * up, down: 8.0 * down, rtt_ms: number("/ping/latency"), loss });
        }
        let (down, up) = (measure(json, "Download")?, measure(json, "Upload")?);
        let rtt_ms = number("/Download/Latency/Value").or(number("/MinRTT/Value"));
        Some(Self { up, down, rtt_ms, loss: 0.0 })
    }

    fn settings(self) -> Result<Content, BadLink> {
        let mut link = Vec::new();
        let mut notes = Vec::new();
        for (side, rate) in [("up", self.up), ("down", self.down)] {
            if rate > 0.0 {
                link.push(format!("{side}.rate={}bit/s", rate.round()));
            } else {
                notes.push(format!("{side}: no rate was measured"));
            }
        }
        if link.is_empty() {
            return Err(BadLink::new("the speed test measured no rate"));
        }
        if let Some(rtt) = self.rtt_ms.filter(|ms| *ms > 0.0) {
            link.push(format!("rtt={}ms", short(rtt)));
        }
        if self.loss > 0.0 && self.loss < 1.0 {
            push_loss(self.loss, &mut link, &mut notes);
        }
        notes.push("rates: what TCP carried in one test; they do not vary".into());
        Ok(Content::Settings(Settings { format: NAME, link: link.join(","), notes }))
    }
}

/// A rate of ndt7-client, which has it in Mbit/s, under `Throughput` in newer versions.
fn measure(json: &Value, side: &str) -> Option<f64> {
    let whole = json.get(side)?;
    let found = whole.get("Throughput").unwrap_or(whole);
    let is_mbit = found.get("Unit").and_then(Value::as_str) == Some("Mbit/s");
    found.get("Value").and_then(Value::as_f64).filter(|_| is_mbit).map(|mbit| mbit * 1e6)
}
