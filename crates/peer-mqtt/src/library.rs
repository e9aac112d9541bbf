//! One interface to the library's two clients, for MQTT 3.1.1 and 5.

use bytes::Bytes;
use rumqttc::v5::mqttbytes::v5 as packets;
use rumqttc::{NetworkOptions, QoS, v5};
use wirelab_peer::{Fault, Setup};

use crate::Version;
use crate::describe::MAX_MESSAGE;
use crate::events::Events;
use crate::settings::Settings;

/// Maximum packet size: message, topic and packet identifier.
const MAX_PACKET: u32 = (MAX_MESSAGE + 65_539) as u32;

/// An event that the publisher or subscriber handles.
pub enum ClientEvent {
    /// The server accepted the connection. `resumed`: it still has the session; `window`: how many
    /// QoS 1 and 2 publications it accepts at once, if it says so.
    Connected { resumed: bool, window: Option<u16> },
    /// Answer to a subscription: the QoS level granted, or the reason for a refusal.
    Subscribed(Result<QoS, String>),
    /// A publication was written to the socket under this packet identifier, for the first time.
    Written(u16),
    /// The server acknowledged a publication.
    Acknowledged(u16),
    /// The server refused a publication.
    Refused(u16),
    /// A message arrived.
    Arrived(Arrived),
    /// Our DISCONNECT has left.
    Left,
    /// The server closed the connection.
    Closed(String),
    /// An event without significance.
    Nothing,
}

/// A message that arrived; `duplicate` is the DUP flag.
pub struct Arrived {
    pub topic: Bytes,
    pub message: Bytes,
    pub duplicate: bool,
}

/// The client half, which takes requests.
#[derive(Clone)]
pub enum Client {
    V3(rumqttc::Client),
    V5(v5::Client, Option<packets::PublishProperties>),
}

/// The client half of a connection that makes only a few requests.
pub enum ShortLivedClient {
    V3(rumqttc::AsyncClient),
    V5(v5::AsyncClient),
}

/// A client that connects when its events are polled.
///
/// # Errors
/// A fatal fault that names an option.
pub fn open(version: Version, setup: &Setup) -> Result<(Client, Events), Fault> {
    let settings = Settings::read(setup)?;
    let (queue, inflight) = (settings.queue, settings.inflight);
    match version {
        Version::Mqtt => {
            let (client, connection) = rumqttc::Client::new(options_v3(setup, settings), queue);
            let mut events = connection.eventloop;
            events.set_network_options(network());
            Ok((Client::V3(client), Events::v3(events, inflight)))
        }
        Version::Mqtt5 => {
            let (options, properties) = options_v5(setup, settings)?;
            let (client, connection) = v5::Client::new(options, queue);
            let events = Events::v5(connection.eventloop, inflight);
            Ok((Client::V5(client, properties), events))
        }
    }
}

/// Like [`open`], for a thread that must not block: requests fail if the queue is full.
///
/// # Errors
/// A fatal fault that names an option.
pub fn open_short_lived(
    version: Version,
    setup: &Setup,
) -> Result<(ShortLivedClient, Events), Fault> {
    let settings = Settings::read(setup)?;
    let (queue, inflight) = (settings.queue, settings.inflight);
    match version {
        Version::Mqtt => {
            let (client, mut events) =
                rumqttc::AsyncClient::new(options_v3(setup, settings), queue);
            events.set_network_options(network());
            Ok((ShortLivedClient::V3(client), Events::v3(events, inflight)))
        }
        Version::Mqtt5 => {
            let (options, _) = options_v5(setup, settings)?;
            let (client, events) = v5::AsyncClient::new(options, queue);
            Ok((ShortLivedClient::V5(client), Events::v5(events, inflight)))
        }
    }
}

fn network() -> NetworkOptions {
    // The library's limit would also break connections whose link stalls for longer; the caller
    // applies the connect timeout.
    let mut network = NetworkOptions::new();
    network.set_tcp_nodelay(true);
    network.set_connection_timeout(u64::from(u32::MAX));
    network
}

fn options_v3(setup: &Setup, settings: Settings) -> rumqttc::MqttOptions {
    let mut options =
        rumqttc::MqttOptions::new(&setup.client, settings.host, setup.server().port());
    options
        .set_transport(settings.transport)
        .set_clean_session(settings.clean)
        .set_keep_alive(settings.keep_alive)
        .set_inflight(settings.inflight)
        .set_max_packet_size(MAX_PACKET as usize, MAX_PACKET as usize);
    if let Some((user, password)) = settings.login {
        options.set_credentials(user, password);
    }
    options
}

fn options_v5(
    setup: &Setup,
    settings: Settings,
) -> Result<(v5::MqttOptions, Option<packets::PublishProperties>), Fault> {
    if settings.keep_alive.as_secs() < 5 {
        return Err(Fault::fatal(
            "option keep_alive_s",
            "must be at least 5 for MQTT 5 (limit of the library)",
        ));
    }
    let receive_maximum: u16 = setup.options.parse("receive_maximum")?;
    if receive_maximum == 0 {
        return Err(Fault::fatal(
            "option receive_maximum",
            "0 is a protocol error (MQTT 5, 3.1.2.11.3)",
        ));
    }
    let mut options = v5::MqttOptions::new(&setup.client, settings.host, setup.server().port());
    options
        .set_transport(settings.transport)
        .set_clean_start(settings.clean)
        .set_keep_alive(settings.keep_alive)
        .set_outgoing_inflight_upper_limit(settings.inflight)
        .set_receive_maximum(Some(receive_maximum))
        .set_session_expiry_interval(Some(setup.options.parse("session_expiry_s")?))
        .set_max_packet_size(Some(MAX_PACKET))
        .set_connection_timeout(u64::from(u32::MAX))
        .set_network_options(network());
    if let Some((user, password)) = settings.login {
        options.set_credentials(user, password);
    }
    let expiry: u32 = setup.options.parse("message_expiry_s")?;
    let properties = (expiry > 0).then(|| packets::PublishProperties {
        message_expiry_interval: Some(expiry),
        ..packets::PublishProperties::default()
    });
    Ok((options, properties))
}

impl Client {
    /// Queues a publication; blocks while the queue is full.
    ///
    /// # Errors
    /// A fatal fault if the connection has ended.
    pub fn publish(
        &self,
        topic: &str,
        qos: QoS,
        retain: bool,
        message: &[u8],
    ) -> Result<(), Fault> {
        let ended = |error: &dyn std::fmt::Display| Fault::fatal("publish", error);
        match self {
            Self::V3(client) => client
                .publish(topic, qos, retain, message)
                .map_err(|error| ended(&error)),
            Self::V5(client, None) => client
                .publish(topic, qos5(qos), retain, message.to_vec())
                .map_err(|error| ended(&error)),
            Self::V5(client, Some(properties)) => client
                .publish_with_properties(
                    topic,
                    qos5(qos),
                    retain,
                    message.to_vec(),
                    properties.clone(),
                )
                .map_err(|error| ended(&error)),
        }
    }

    /// Queues a subscription if there is room for it.
    ///
    /// # Errors
    /// A fatal fault if the queue is full.
    pub fn subscribe(&self, topic: &str, qos: QoS) -> Result<(), Fault> {
        let refused = |error: &dyn std::fmt::Display| Fault::fatal("subscribe", error);
        match self {
            Self::V3(client) => client
                .try_subscribe(topic, qos)
                .map_err(|error| refused(&error)),
            Self::V5(client, _) => client
                .try_subscribe(topic, qos5(qos))
                .map_err(|error| refused(&error)),
        }
    }

    /// Queues a DISCONNECT. Returns whether the library accepted it.
    pub fn disconnect(&self) -> bool {
        match self {
            Self::V3(client) => client.try_disconnect().is_ok(),
            Self::V5(client, _) => client.try_disconnect().is_ok(),
        }
    }
}

impl ShortLivedClient {
    /// Queues a publication.
    ///
    /// # Errors
    /// Why the library did not accept it.
    pub fn publish(&self, topic: &str, qos: QoS, message: &[u8]) -> Result<(), String> {
        match self {
            Self::V3(client) => client
                .try_publish(topic, qos, false, message)
                .map_err(|error| error.to_string()),
            Self::V5(client) => client
                .try_publish(topic, qos5(qos), false, message.to_vec())
                .map_err(|error| error.to_string()),
        }
    }

    /// Queues a subscription.
    ///
    /// # Errors
    /// Why the library did not accept it.
    pub fn subscribe(&self, topic: &str, qos: QoS) -> Result<(), String> {
        match self {
            Self::V3(client) => client
                .try_subscribe(topic, qos)
                .map_err(|error| error.to_string()),
            Self::V5(client) => client
                .try_subscribe(topic, qos5(qos))
                .map_err(|error| error.to_string()),
        }
    }

    /// Queues a DISCONNECT. Returns whether the library accepted it.
    pub fn disconnect(&self) -> bool {
        match self {
            Self::V3(client) => client.try_disconnect().is_ok(),
            Self::V5(client) => client.try_disconnect().is_ok(),
        }
    }
}

fn qos5(qos: QoS) -> v5::mqttbytes::QoS {
    match qos {
        QoS::AtMostOnce => v5::mqttbytes::QoS::AtMostOnce,
        QoS::AtLeastOnce => v5::mqttbytes::QoS::AtLeastOnce,
        QoS::ExactlyOnce => v5::mqttbytes::QoS::ExactlyOnce,
    }
}
