//! The description of the mock.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

/// Options and their defaults; docs/reference/protocols/mock.md explains them.
const OPTIONS: [(&str, &str); 9] = [
    ("seed", "1"),
    ("latency_ns", "1000000"),
    ("jitter_ns", "0"),
    ("loss", "0"),
    ("duplicate", "0"),
    ("reorder", "0"),
    ("flood_gap_ns", "1000"),
    ("time", "real"),
    ("lie", "none"),
];

pub fn mock() -> Described {
    Described {
        contract: CONTRACT,
        name: "mock".into(),
        protocol: "mock".into(),
        library: "none".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("plain", Delivery::BestEffort, false),
            Qos::new("acknowledged", Delivery::AtLeastOnce, true),
        ],
        ordered: true,
        max_message: 0,
        servers: vec![],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}
