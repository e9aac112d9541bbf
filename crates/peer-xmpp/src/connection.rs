//! A connection to the server after login; streams start from it.

use std::borrow::Cow;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use sasl::common::{ChannelBinding, Credentials};
use tokio::io::BufStream;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_xmpp::connect::AsyncReadAndWrite;
use tokio_xmpp::jid::FullJid;
use tokio_xmpp::parsers::stream_features::StreamFeatures;
use tokio_xmpp::stanzastream::Connection;
use tokio_xmpp::xmlstream::{StreamHeader, Timeouts, initiate_stream};
use tokio_xmpp::{Error, client_login};
use wirelab_peer::{Clock, Fault, Reconnect, Setup};
use wirelab_transport::tls;

use crate::describe::MANAGED;

const CLIENT: &str = "jabber:client";

/// The accounts of the peers: one per role.
pub fn jid(setup: &Setup, role: &str, resource: &str) -> Result<FullJid, Fault> {
    let text = format!("{role}@{}/{resource}", setup.options.text("domain"));
    FullJid::new(&text).map_err(|error| Fault::fatal(format!("address {text:?}"), error))
}

/// The parameters of a login.
#[derive(Clone)]
pub struct Login {
    server: SocketAddr,
    tls: Option<TlsConnector>,
    jid: FullJid,
    password: String,
    pub managed: bool,
    pub clock: Arc<dyn Clock>,
    pub reconnect: Reconnect,
    pub answer_timeout: Duration,
}

impl Login {
    /// The login for an address.
    ///
    /// # Errors
    /// A fatal fault that names the option or the file.
    pub fn new(setup: &Setup, jid: FullJid) -> Result<Self, Fault> {
        Ok(Self {
            server: setup.server(),
            tls: tls::client_config_if_enabled(setup, &[])?.map(|config| Arc::new(config).into()),
            jid,
            password: setup.options.text("password").to_owned(),
            managed: setup.qos == MANAGED,
            clock: Arc::clone(&setup.clock),
            reconnect: Reconnect::read(&setup.options)?,
            answer_timeout: setup.answer_timeout(),
        })
    }

    /// The same login for another address.
    pub fn of(&self, jid: FullJid) -> Self {
        Self {
            jid,
            ..self.clone()
        }
    }
}

/// Connects and logs in.
///
/// # Errors
/// Why there is no connection.
pub async fn negotiated(login: Login) -> Result<Connection, Error> {
    let socket = TcpStream::connect(login.server).await?;
    socket.set_nodelay(true)?;
    match &login.tls {
        None => logged_in(BufStream::new(socket), login).await,
        Some(tls) => {
            let name = login.server.ip().into();
            let encrypted = tls.connect(name, socket).await?;
            logged_in(BufStream::new(encrypted), login).await
        }
    }
}

/// RFC 6120: stream, features, SASL, stream again, features.
async fn logged_in<S: AsyncReadAndWrite + 'static>(
    io: S,
    login: Login,
) -> Result<Connection, Error> {
    let domain = login.jid.domain().as_str().to_owned();
    let header = || StreamHeader {
        to: Some(Cow::Owned(domain.clone())),
        from: None,
        id: None,
    };
    let stream = initiate_stream(io, CLIENT, header(), Timeouts::default()).await?;
    let (features, stream): (StreamFeatures, _) = stream.recv_features().await?;
    let credentials = Credentials::default()
        .with_username(login.jid.node().map_or("", |node| node.as_str()))
        .with_password(login.password.clone())
        .with_channel_binding(ChannelBinding::None);
    let stream = client_login(stream, features.sasl_mechanisms, credentials).await?;
    let stream = stream.send_header(header()).await?;
    let (mut features, stream): (StreamFeatures, _) = stream.recv_features().await?;
    if !login.managed {
        features.stream_management = None;
    } else if features.stream_management.is_none() {
        let why = "the server offers no stream management (XEP-0198)";
        return Err(std::io::Error::other(why).into());
    }
    Ok(Connection {
        stream: stream.box_stream(),
        features,
        identity: login.jid.into(),
    })
}
