//! Ping results of RIPE Atlas (atlas.ripe.net), one result or a list.

use serde_json::Value;

use super::{DataSet, Probes};

pub(super) const DATA_SET: DataSet = DataSet {
    name: "RIPE Atlas ping",
    matches: |sample| {
        let json = sample.json.as_ref();
        json.is_some_and(|json| results(json).next().is_some_and(is_ping))
    },
    read: |sample, _| {
        let mut probes = Probes::default();
        for result in sample.json.iter().flat_map(results).filter(|result| is_ping(result)) {
            for packet in result["result"].as_array().into_iter().flatten() {
                probes.sent += 1;
                match packet["rtt"].as_f64() {
                    Some(rtt) => probes.rtts_ms.push(rtt),
                    None => probes.lost += 1,
                }
            }
        }
        probes.settings("RIPE Atlas ping")
    },
};

fn results(json: &Value) -> impl Iterator<Item = &Value> {
    let many = json.as_array().map(Vec::as_slice);
    many.unwrap_or(std::slice::from_ref(json)).iter()
}

fn is_ping(result: &Value) -> bool {
    result["type"] == "ping" && result.get("msm_id").is_some() && result["result"].is_array()
}
