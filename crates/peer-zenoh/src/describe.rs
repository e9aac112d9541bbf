//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Reconnect, Role};

/// The version that the workspace pins; a test keeps both equal.
const ZENOH: &str = "1.10.2";

/// Receivers accept no larger message by default (`transport/link/rx/max_message_size`).
const MAX_MESSAGE: u64 = 1 << 30;

/// Options and their defaults; docs/reference/protocols/zenoh.md explains them.
const OPTIONS: [(&str, &str); 6] = [
    ("authority", ""),
    ("express", "false"),
    ("priority", "data"),
    Reconnect::OPTION,
    ("reliability", "reliable"),
    ("transport", "tcp"),
];

/// The QoS level at which a message blocks under congestion.
pub const BLOCK: &str = "block";

pub fn zenoh() -> Described {
    Described {
        contract: CONTRACT,
        name: "zenoh".into(),
        protocol: "zenoh".into(),
        library: "zenoh".into(),
        version: ZENOH.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("drop", Delivery::BestEffort, false),
            Qos::new(BLOCK, Delivery::AtMostOnce, false),
        ],
        ordered: true,
        max_message: MAX_MESSAGE,
        servers: vec!["zenoh".into()],
        options: BTreeMap::from(OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("zenoh = {{ version = \"={}\"", super::ZENOH);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
