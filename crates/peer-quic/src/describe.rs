//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};
use wirelab_transport::{MAX_MESSAGE, quic};

/// The version that the workspace pins; a test keeps both equal.
const QUINN: &str = "0.11.12";

pub fn quic() -> Described {
    // docs/reference/protocols/quic.md explains them.
    let options = quic::OPTIONS.into_iter().chain([("streams", "1000")]);
    Described {
        contract: CONTRACT,
        name: "quic-quinn".into(),
        protocol: "quic".into(),
        library: "quinn".into(),
        version: QUINN.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("stream", Delivery::AtMostOnce, false),
            Qos::new("streams", Delivery::AtMostOnce, false),
            Qos::new("datagram", Delivery::BestEffort, false),
        ],
        // True for `stream` only.
        ordered: false,
        max_message: MAX_MESSAGE as u64,
        servers: vec!["quic".into()],
        options: options
            .map(|(name, value)| (name.into(), value.into()))
            .collect::<BTreeMap<_, _>>(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("quinn = {{ version = \"={}\"", super::QUINN);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
