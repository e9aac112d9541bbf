//! The description of this peer.

use std::collections::BTreeMap;

use wirelab_peer::{CONTRACT, Delivery, Described, Qos, Role};
use wirelab_transport::{MAX_MESSAGE, tls};

/// The version that the workspace pins; a test keeps both equal.
const TONIC: &str = "0.14.9";

pub fn grpc() -> Described {
    let options = [("inflight", "100")].into_iter().chain(tls::OPTIONS);
    Described {
        contract: CONTRACT,
        name: "grpc-tonic".into(),
        protocol: "grpc".into(),
        library: "tonic".into(),
        version: TONIC.into(),
        language: "rust".into(),
        roles: vec![Role::Publisher, Role::Subscriber],
        qos: vec![
            Qos::new("stream", Delivery::AtMostOnce, false),
            Qos::new("unary", Delivery::AtMostOnce, true),
        ],
        // True for `stream`; concurrent calls are not ordered.
        ordered: false,
        max_message: MAX_MESSAGE as u64,
        servers: vec!["grpc".into()],
        options: options
            .map(|(name, value)| (name.into(), value.into()))
            .collect::<BTreeMap<_, _>>(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_described_version_is_the_built_one() {
        let pinned = format!("tonic = {{ version = \"={}\"", super::TONIC);
        assert!(include_str!("../../../Cargo.toml").contains(&pinned));
    }
}
