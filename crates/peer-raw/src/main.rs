//! `wirelab-peer-raw --protocol tcp|udp|tls`: plain sockets through the relay. See
//! `docs/reference/protocols/raw.md`.

mod describe;
mod tcp;
mod udp;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use wirelab_peer::server::arguments;
use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};
use wirelab_transport::tls::client_config_if_enabled;

/// A peer on plain sockets. It implements the peer contract on standard input and output.
#[derive(Parser)]
#[command(name = "wirelab-peer-raw", version)]
struct Arguments {
    /// The protocol version.
    #[arg(long)]
    protocol: Transport,
}

#[derive(Clone, Copy, ValueEnum)]
enum Transport {
    Tcp,
    Udp,
    Tls,
}

fn main() -> ExitCode {
    match arguments::<Arguments>() {
        Ok(arguments) => wirelab_peer::main(Raw(arguments.protocol)),
        Err(code) => code,
    }
}

struct Raw(Transport);

impl Protocol for Raw {
    fn describe(&self) -> Described {
        match self.0 {
            Transport::Tcp => describe::tcp(),
            Transport::Udp => describe::udp(),
            Transport::Tls => describe::tls(),
        }
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        match self.0 {
            Transport::Tcp => tcp::publisher(setup, outcomes, None),
            Transport::Tls => {
                tcp::publisher(setup, outcomes, client_config_if_enabled(setup, &[])?)
            }
            Transport::Udp => udp::publisher(setup),
        }
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        match self.0 {
            Transport::Tcp => tcp::subscriber(setup, sink, None),
            Transport::Tls => tcp::subscriber(setup, sink, client_config_if_enabled(setup, &[])?),
            Transport::Udp => udp::subscriber(setup, sink),
        }
    }
}
