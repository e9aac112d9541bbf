//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};
use wirelab_transport::{MAX_MESSAGE, tls};

/// The version that the workspace pins; a test keeps both equal.
const TUNGSTENITE: &str = "0.29.0";

pub fn websocket() -> Described {
    Described {
        contract: CONTRACT,
        name: "websocket-tungstenite".into(),
        protocol: "websocket".into(),
        library: "tungstenite".into(),
        version: TUNGSTENITE.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![Qos::new("message", Delivery::AtMostOnce, false)],
        ordered: true,
        max_message: MAX_MESSAGE as u64,
        servers: vec!["websocket".into()],
        options: BTreeMap::from(tls::OPTIONS.map(|(name, value)| (name.into(), value.into()))),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("tungstenite = {{ version = \"={}\"", super::TUNGSTENITE);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
