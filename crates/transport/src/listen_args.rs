//! The command line of a relay.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{CommandFactory, Parser};
use rustls::ServerConfig;
use wirelab_peer::server::{arguments_of, refuse};

use crate::tls::server_config;

/// TLS configuration of a relay.
pub type TlsConfig = Arc<ServerConfig>;

/// The command line of a relay.
#[derive(Parser)]
#[command(version)]
pub struct ListenArgs {
    /// Address and port to listen on.
    #[arg(long)]
    pub listen: SocketAddr,
    /// Certificate chain in PEM; enables TLS 1.3 on TCP.
    #[arg(long, requires = "key")]
    pub certificate: Option<PathBuf>,
    /// Private key of the certificate in PEM.
    #[arg(long, requires = "certificate")]
    pub key: Option<PathBuf>,
}

/// The main function of a relay: parses the command line and calls `relay`, which serves until
/// shutdown. Returns the exit code.
pub fn run(
    name: &'static str,
    about: &str,
    relay: impl FnOnce(&ListenArgs) -> Result<ExitCode, ExitCode>,
) -> ExitCode {
    let about = format!("{about}. Ends on SIGTERM or at the end of standard input");
    match arguments_of(ListenArgs::command().name(name).about(about)).and_then(|args| relay(&args))
    {
        Ok(code) | Err(code) => code,
    }
}

impl ListenArgs {
    /// The TLS configuration for the certificate; `None` without one.
    ///
    /// # Errors
    /// The exit code for bad input. The message has been printed.
    pub fn tls(&self, alpn: &[&[u8]]) -> Result<Option<TlsConfig>, ExitCode> {
        let (Some(certificate), Some(key)) = (&self.certificate, &self.key) else {
            return Ok(None);
        };
        match server_config(certificate, key, alpn) {
            Ok(config) => Ok(Some(Arc::new(config))),
            Err(why) => Err(refuse("certificate", why)),
        }
    }

    /// A TCP listener, and the address it listens on.
    ///
    /// # Errors
    /// The exit code if the address cannot be bound. The message has been printed.
    pub fn bind(&self) -> Result<(TcpListener, SocketAddr), ExitCode> {
        TcpListener::bind(self.listen)
            .and_then(|listener| {
                let listen = listener.local_addr()?;
                Ok((listener, listen))
            })
            .map_err(|error| self.bind_error(&error))
    }

    /// The exit code if the address cannot be bound. The message has been printed.
    pub fn bind_error(&self, error: &io::Error) -> ExitCode {
        refuse(&format!("listen on {}", self.listen), error)
    }
}
