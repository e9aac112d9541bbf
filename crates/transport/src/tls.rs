//! TLS 1.3 configurations of peers and built-in servers.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use wirelab_peer::{Fault, Setup};

/// The options that tell a peer how to reach its server, with their defaults.
pub const OPTIONS: [(&str, &str); 2] = [("authority", ""), ("transport", "tcp")];

/// The client configuration if the option `transport` is `tls`; `None` if it is `tcp`. `alpn` lists
/// the protocols that the client offers (RFC 7301).
///
/// # Errors
/// A fatal fault that names the option or the file.
pub fn client_config_if_enabled(
    setup: &Setup,
    alpn: &[&[u8]],
) -> Result<Option<ClientConfig>, Fault> {
    let encrypted = setup
        .options
        .one_of("transport", [("tcp", false), ("tls", true)])?;
    encrypted.then(|| client_config(setup, alpn)).transpose()
}

/// A client configuration that trusts only the certificate authority in the option `authority`.
///
/// # Errors
/// A fatal fault that names the file.
pub fn client_config(setup: &Setup, alpn: &[&[u8]]) -> Result<ClientConfig, Fault> {
    let path = setup.options.text("authority");
    let named = |error: &dyn Display| Fault::fatal(format!("authority {path:?}"), error);
    let mut trusted = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(path).map_err(|error| named(&error))? {
        let certificate = certificate.map_err(|error| named(&error))?;
        trusted.add(certificate).map_err(|error| named(&error))?;
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| named(&error))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    Ok(config)
}

/// A server configuration with one certificate. It issues no session tickets, so that every
/// connection costs a full handshake and a client that only sends has nothing to read.
///
/// # Errors
/// One sentence that names the file.
pub fn server_config(
    certificate: &Path,
    key: &Path,
    alpn: &[&[u8]],
) -> Result<ServerConfig, String> {
    let in_file = |path: &Path, error: &dyn Display| format!("{}: {error}", path.display());
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| in_file(certificate, &error))?;
    let secret = PrivateKeyDer::from_pem_file(key).map_err(|error| in_file(key, &error))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&TLS13])
        .map_err(|error| error.to_string())?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| in_file(certificate, &error))?;
    config.send_tls13_tickets = 0;
    config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
    Ok(config)
}
