//! What this peer can do.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};

use crate::fast;

/// Options and their defaults; docs/protocols/dds.md explains each.
const OPTIONS: [(&str, &str); 10] = [
    ("durability", "volatile"),
    ("flow_controller", "none"),
    ("flow_period_ms", "100"),
    ("heartbeat_ms", "3000"),
    ("history", "all"),
    // What a participant has that announces none (DDSI-RTPS 2.3, PID_PARTICIPANT_LEASE_DURATION). Fast DDS announces 20 s.
    ("lease_s", "100"),
    ("lifespan_ms", "0"),
    ("max_samples", "5000"),
    ("packet_bytes", "14720"),
    ("transport", "unicast"),
];

pub fn dds() -> Described {
    Described {
        contract: CONTRACT,
        name: "dds-fastdds".into(),
        protocol: "dds".into(),
        library: "fastdds".into(),
        version: fast::version(),
        language: "c++".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("best-effort", Delivery::BestEffort, false),
            Qos::new("reliable", Delivery::AtMostOnce, false),
        ],
        ordered: true,
        max_message: 0,
        servers: vec!["publisher".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}
