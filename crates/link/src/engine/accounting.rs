//! The JSON form of the counters (docs/contracts/lab.md).

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use serde::Serialize;
use wirelab_link_model::FlowKey;

use super::counters::{DropCounts, FlowTotals, Totals};
use super::histogram::Histogram;

/// A copy of all counters, taken by the timing thread and formatted by another thread.
pub struct Snapshot {
    pub epoch_ns: i64,
    pub now_ns: u64,
    pub realtime: bool,
    pub own_drops: u64,
    pub cpu_ns: u64,
    pub lateness: Histogram,
    pub hosts: Vec<HostSnapshot>,
    /// Counters of the segment, if the lab has one.
    pub segment: Option<DirectionCounters>,
}

/// Counters of one direction.
pub type DirectionCounters = (Totals, Vec<FlowTotals>);

/// Counters of one host.
pub struct HostSnapshot {
    pub name: String,
    pub up: DirectionCounters,
    pub down: DirectionCounters,
}

#[derive(Serialize)]
struct AccountingJson<'a> {
    epoch_ns: i64,
    now_ns: u64,
    realtime: bool,
    own_drops: u64,
    cpu_ns: u64,
    lateness: LatenessJson,
    hosts: BTreeMap<&'a str, HostJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    segment: Option<DirectionJson>,
    flows: Vec<FlowJson<'a>>,
}

#[derive(Serialize)]
struct LatenessJson {
    packets: u64,
    p50_ns: u64,
    p99_ns: u64,
    p999_ns: u64,
    max_ns: u64,
    /// Largest value in ns and count of every bucket that is not empty.
    histogram: Vec<(u64, u32)>,
}

#[derive(Serialize)]
struct HostJson {
    up: DirectionJson,
    down: DirectionJson,
}

#[derive(Serialize)]
struct DirectionJson {
    packets: u64,
    l2_bytes: u64,
    l3_bytes: u64,
    payload_bytes: u64,
    data_l2_bytes: u64,
    delivered: u64,
    dropped: DropCounts,
    duplicated: u64,
    corrupted: u64,
    reordered: u64,
    retransmissions: u64,
    queue_mean_bytes: u64,
    queue_max_bytes: u64,
    sojourn_mean_ns: u64,
    sojourn_max_ns: u64,
}

#[derive(Serialize)]
struct FlowJson<'a> {
    host: &'a str,
    direction: &'static str,
    protocol: String,
    source: String,
    destination: String,
    #[serde(flatten)]
    counters: DirectionJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    lateness: Option<LatenessJson>,
}

impl Snapshot {
    /// The counters as one line of JSON.
    pub fn to_json(&self) -> String {
        let accounting = AccountingJson {
            epoch_ns: self.epoch_ns,
            now_ns: self.now_ns,
            realtime: self.realtime,
            own_drops: self.own_drops,
            cpu_ns: self.cpu_ns,
            lateness: lateness(&self.lateness),
            hosts: self
                .hosts
                .iter()
                .map(|host| {
                    (
                        host.name.as_str(),
                        HostJson {
                            up: direction_json(&host.up.0),
                            down: direction_json(&host.down.0),
                        },
                    )
                })
                .collect(),
            segment: self
                .segment
                .as_ref()
                .map(|(totals, _)| direction_json(totals)),
            flows: self.flows(),
        };
        serde_json::to_string(&accounting).expect("numbers and names are JSON")
    }

    /// All flows in the order of their index.
    fn flows(&self) -> Vec<FlowJson<'_>> {
        let hosts = self.hosts.iter().flat_map(|host| {
            let name = host.name.as_str();
            [(name, "up", &host.up), (name, "down", &host.down)]
        });
        let segment = self
            .segment
            .iter()
            .map(|counters| ("", "segment", counters));
        let mut flows: Vec<(u32, FlowJson)> = hosts
            .chain(segment)
            .flat_map(|(host, direction, counters)| {
                let flows = counters.1.iter();
                flows.map(move |f| (f.index, flow_json(host, direction, f)))
            })
            .collect();
        flows.sort_by_key(|(index, _)| *index);
        flows.into_iter().map(|(_, flow)| flow).collect()
    }
}

fn lateness(late: &Histogram) -> LatenessJson {
    LatenessJson {
        packets: late.total(),
        p50_ns: late.quantile(0.5),
        p99_ns: late.quantile(0.99),
        p999_ns: late.quantile(0.999),
        max_ns: late.max(),
        histogram: late.buckets().collect(),
    }
}

fn direction_json(totals: &Totals) -> DirectionJson {
    DirectionJson {
        packets: totals.packets,
        l2_bytes: totals.l2_bytes,
        l3_bytes: totals.l3_bytes,
        payload_bytes: totals.payload_bytes,
        data_l2_bytes: totals.data_l2_bytes,
        delivered: totals.delivered,
        dropped: totals.dropped,
        duplicated: totals.duplicated,
        corrupted: totals.corrupted,
        reordered: totals.reordered,
        retransmissions: totals.retransmissions,
        queue_mean_bytes: totals.queue_bytes.mean(),
        queue_max_bytes: totals.queue_bytes.max,
        sojourn_mean_ns: totals.sojourn_ns.mean(),
        sojourn_max_ns: totals.sojourn_ns.max,
    }
}

fn flow_json<'a>(host: &'a str, direction: &'static str, flow: &FlowTotals) -> FlowJson<'a> {
    let key = &flow.key;
    let sent = flow.lateness.total() > 0;
    FlowJson {
        host,
        direction,
        protocol: protocol(key),
        source: format_endpoint(key, key.source, key.source_port),
        destination: format_endpoint(key, key.destination, key.destination_port),
        counters: direction_json(&flow.totals),
        lateness: sent.then(|| lateness(&flow.lateness)),
    }
}

fn protocol(key: &FlowKey) -> String {
    match (key.protocol, key.destination_port) {
        (1, _) => "icmp".into(),
        (2, _) => "igmp".into(),
        (6, _) => "tcp".into(),
        (17, _) => "udp".into(),
        (0, 0x0806) => "arp".into(),
        (0, 0x86dd) => "ipv6".into(),
        (0, ethertype) => format!("ethertype-{ethertype:04x}"),
        (number, _) => format!("ip-{number}"),
    }
}

fn format_endpoint(key: &FlowKey, address: [u8; 4], port: u16) -> String {
    match key.protocol {
        0 => String::new(),
        6 | 17 => format!("{}:{port}", Ipv4Addr::from(address)),
        _ => Ipv4Addr::from(address).to_string(),
    }
}
