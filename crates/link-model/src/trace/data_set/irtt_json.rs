//! `irtt client -o` (github.com/heistp/irtt), also the raw part of LENS: round trips of small
//! packets.

use serde_json::Value;

use super::{DataSet, Probes};
use crate::error::BadLink;

pub(super) const DATA_SET: DataSet = DataSet {
    name: "irtt JSON",
    matches: |sample| {
        let json = sample.json.as_ref();
        json.is_some_and(|json| json.get("round_trips").is_some() || json["version"].get("irtt").is_some())
    },
    read: |sample, _| {
        let json = sample.json.as_ref();
        let round_trips = json.and_then(|json| json["round_trips"].as_array()).ok_or_else(|| {
            BadLink::new("irtt's JSON has no round_trips; write it by irtt client -o FILE")
        })?;
        let mut probes = Probes { sent: round_trips.len(), ..Probes::default() };
        for (number, round_trip) in round_trips.iter().enumerate() {
            // A word, or a boolean in older versions.
            match &round_trip["lost"] {
                Value::String(lost) if lost == "true_up" => probes.lost_up += 1,
                Value::String(lost) if lost == "true_down" => probes.lost_down += 1,
                Value::String(lost) if lost == "true" => probes.lost += 1,
                Value::Bool(true) => probes.lost += 1,
                _ => {
                    let rtt = round_trip["delay"]["rtt"].as_f64().filter(|ns| *ns >= 0.0);
                    probes.rtts_ms.push(rtt.map(|ns| ns / 1e6).ok_or_else(|| {
                        BadLink::new(format!("irtt's round trip {number} has no delay"))
                    })?);
                }
            }
        }
        probes.lost += if probes.lost > 0 { probes.lost_up + probes.lost_down } else { 0 };
        probes.settings("irtt JSON")
    },
};
