//! `wirelab-peer-http --protocol http|http2`: HTTP/1.1 and HTTP/2 through hyper. See
//! `docs/reference/protocols/http.md`.

mod connection;
mod describe;
mod publisher;
mod subscriber;

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use wirelab_peer::server::arguments;
use wirelab_peer::{
    DeliverySink, Described, Fault, Outcomes, Protocol, Publisher, Setup, Subscriber,
};

/// A peer for HTTP. It implements the peer contract on standard input and output.
#[derive(Parser)]
#[command(name = "wirelab-peer-http", version)]
struct Arguments {
    /// The protocol; `http` is HTTP/1.1.
    #[arg(long)]
    protocol: Version,
}

/// Version of HTTP.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Version {
    Http,
    Http2,
}

fn main() -> ExitCode {
    match arguments::<Arguments>() {
        Ok(arguments) => wirelab_peer::main(Http(arguments.protocol)),
        Err(code) => code,
    }
}

struct Http(Version);

impl Protocol for Http {
    fn describe(&self) -> Described {
        describe::http(self.0)
    }

    fn publisher(&self, setup: &Setup, outcomes: Outcomes) -> Result<Box<dyn Publisher>, Fault> {
        publisher::connect(setup, outcomes, self.0)
    }

    fn subscriber(&self, setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
        subscriber::connect(setup, sink, self.0)
    }
}
