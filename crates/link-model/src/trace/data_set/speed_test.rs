//! Speed tests: speedtest-cli (`--json`) and Ookla's client (`--format=json`), also as they print,
//! M-Lab's ndt7-client (`-format=json -quiet`). One test is one link.

use serde_json::Value;

use super::{Content, DataSet, Sample, Settings, push_loss, short};
use crate::error::BadLink;
use crate::trace::unit::Unit;

const NAME: &str = "speed test";

pub(super) const DATA_SET: DataSet = DataSet {
    name: NAME,
    matches: |sample| Test::of_sample(sample).is_some(),
    read: |sample, _| {
        let test = Test::of_sample(sample);
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
    fn of_sample(sample: &Sample) -> Option<Self> {
        match &sample.json {
            Some(json) => Test::of(json),
            None => Test::of_text(sample.text),
        }
    }

    /// What clients print: `Download: 93.21 Mbit/s`.
    fn of_text(text: &str) -> Option<Self> {
        let lines = || text.lines().take(100).map(str::trim_start);
        let rate = |key: &str| {
            let rest = lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
            let mut words = rest.split_whitespace();
            let number: f64 = words.next()?.parse().ok().filter(|n| (0.0..=1e6).contains(n))?;
            match Unit::parse(words.next()?) {
                Ok(Unit::Rate(factor)) => Some(number * factor),
                _ => None,
            }
        };
        let ms = |line: &str| {
            let (before, _) = line.split_once(" ms")?;
            before.rsplit([' ', ':']).next()?.parse().ok()
        };
        let is_ping = |line: &&str| ["Ping:", "Idle Latency:", "Latency:", "Hosted by"].iter().any(|key| line.starts_with(key));
        let percent = |line: &str| line.strip_prefix("Packet Loss:")?.trim().strip_suffix('%')?.parse().ok();
        let loss: Option<f64> = lines().find_map(percent);
        Some(Self {
            down: rate("Download")?,
            up: rate("Upload")?,
            rtt_ms: lines().filter(is_ping).find_map(ms),
            loss: loss.unwrap_or(0.0) / 100.0,
        })
    }

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
