//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};
use wirelab_transport::{MAX_MESSAGE, quic};

/// The version that Cargo.toml pins; a test keeps both equal.
const H3: &str = "0.0.8";

pub fn http3() -> Described {
    // docs/reference/protocols/http3.md explains them. RFC 9114, 6.1: at least 100 requests.
    let options = quic::OPTIONS.into_iter().chain([("inflight", "100")]);
    Described {
        contract: CONTRACT,
        name: "http3-h3".into(),
        protocol: "http3".into(),
        library: "h3".into(),
        version: H3.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![Qos::new("request", Delivery::AtMostOnce, true)],
        // Concurrent requests overtake each other.
        ordered: false,
        max_message: MAX_MESSAGE as u64,
        servers: vec!["http3".into()],
        options: options
            .map(|(name, value)| (name.into(), value.into()))
            .collect::<BTreeMap<_, _>>(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("h3 = \"={}\"", super::H3);
        assert!(include_str!("../Cargo.toml").contains(&pinned));
    }
}
