//! `wirelab-link`: commands in network namespaces behind emulated links.

mod check;
mod commands;
mod engine;
mod failure;
mod lab;
mod load;
mod sys;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

#[derive(Parser)]
#[command(
    name = "wirelab-link",
    bin_name = "wirelab-link",
    version,
    about = "Runs commands in network namespaces behind emulated links"
)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Make the lab a specification describes and run a command in it
    Lab {
        /// The specification, a JSON file
        spec: PathBuf,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Run a command on a host of the lab it is called in
    Exec {
        /// The host's name
        host: String,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Run a command behind a link; $WIRELAB_FAR is the address of a host beyond it
    Run {
        /// A profile, a trace file or settings, then modifiers: lte-drive,loss=5%
        link: String,
        /// A shell command to start first on the host beyond the link, such as 'iperf3 -s'
        #[arg(long, value_name = "COMMAND")]
        far: Option<String>,
        /// Capture all packets to a pcapng file
        #[arg(long, value_name = "FILE")]
        pcap: Option<PathBuf>,
        /// The seed of all draws
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Fit the generator of capacity to recorded traces
    Fit {
        /// Trace files; each counts alike
        #[arg(required = true)]
        traces: Vec<String>,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Read a trace file, show its statistics, and write it as `seconds Mbit/s`; or netem's parameters, and print their link text
    Import {
        /// A mahimahi, 'seconds Mbit/s', CSV, pcap or pcapng file
        #[arg(required_unless_present = "netem")]
        file: Option<String>,
        /// Parameters as after `tc qdisc add dev DEVICE root netem`: 'delay 100ms 10ms loss 1% rate 2mbit'
        #[arg(long, value_name = "PARAMETERS", conflicts_with_all = ["file", "column", "to"])]
        netem: Option<String>,
        /// The rate column of a CSV file; of a capture, the interface or the IPv4 address of the sender
        #[arg(long)]
        column: Option<String>,
        /// Where to write it
        #[arg(long)]
        to: Option<PathBuf>,
    },
    /// Show what a link text means
    Show {
        /// A profile, a trace file or settings, then modifiers: lte-drive,loss=5%
        link: String,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// The seed of generated capacity
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// The tc commands that come nearest to it, and what netem cannot do of it
        #[arg(long, conflicts_with = "json")]
        netem: bool,
    },
    /// Verify a link with real packets in a lab of its own
    Check {
        /// A profile, a trace file or settings, then modifiers: lte-drive,loss=5%
        link: String,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// The seed of all draws
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// The probe of a check, run in its lab
    #[command(hide = true)]
    CheckProbe {
        link: String,
        #[arg(long)]
        json: bool,
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// List the named links and the source of their numbers
    Profiles {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

fn main() -> ExitCode {
    sys::process::end_on_closed_output();
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            let bad = error.use_stderr();
            let _ = error.print();
            return ExitCode::from(if bad { 3 } else { 0 });
        }
    };
    match run(arguments.verb) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            eprintln!("wirelab-link: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

fn run(verb: Verb) -> Result<u8, Failure> {
    match verb {
        Verb::Lab { spec, command } => lab::run(&lab::spec::read(&spec)?, &command),
        Verb::Exec { host, command } => commands::exec::run(&host, &command),
        Verb::Show {
            link, netem: true, ..
        } => commands::netem::plan(&link),
        Verb::Show {
            link, json, seed, ..
        } => commands::show::run(&link, seed, json),
        Verb::Run {
            link,
            far,
            pcap,
            seed,
            command,
        } => commands::run::run(&link, seed, far, pcap, &command),
        Verb::Fit { traces, json } => commands::fit::run(&traces, json),
        Verb::Import {
            file,
            netem,
            column,
            to,
        } => match netem {
            Some(parameters) => commands::netem::import(&parameters),
            None => {
                commands::import::run(&file.unwrap_or_default(), column.as_deref(), to.as_deref())
            }
        },
        Verb::Check { link, json, seed } => check::run(&link, seed, json),
        Verb::CheckProbe { link, json, seed } => check::run_probe(&link, seed, json),
        Verb::Profiles { json } => commands::profiles::run(json),
    }
}
