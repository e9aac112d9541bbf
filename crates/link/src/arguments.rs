//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use crate::lab::spec::BackendKind;

#[derive(Parser)]
#[command(
    name = "wirelab-link",
    bin_name = "wirelab-link",
    version,
    about = "Runs commands in network namespaces behind emulated links"
)]
pub struct Arguments {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Subcommand)]
pub enum Verb {
    /// Make the lab that a specification describes and run a command in it
    Lab {
        /// The specification, a JSON file
        spec: PathBuf,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Run a command on a host of the surrounding lab
    Exec {
        /// The host's name
        host: String,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Run a command on host `client`, behind a link; $WIRELAB_SERVER is the address of host
    /// `server`, on the other side
    Run(RunArguments),
    /// Fit the capacity generator to recorded traces
    Fit {
        /// Trace files; all have the same weight
        #[arg(required = true)]
        traces: Vec<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Read a trace file, print its statistics, and write it as `seconds Mbit/s`; or convert netem
    /// parameters to a link text
    Import(ImportArguments),
    /// Show the meaning of a link text
    Show {
        /// A profile, a trace file or a setting, then settings and modifiers: lte-drive,loss=5%
        link: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
        /// Seed of generated capacity
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Print the tc commands that configure netem as similarly as possible, and what netem
        /// cannot do
        #[arg(long, conflicts_with = "json")]
        netem: bool,
    },
    /// Verify a link with real packets in a temporary lab
    Check(CheckArguments),
    /// The probe of a check, run in its lab
    #[command(hide = true)]
    CheckProbe(CheckArguments),
    /// List the named links and the sources of their numbers
    Profiles {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Arguments of `run`.
#[derive(Args)]
pub struct RunArguments {
    /// A profile, a trace file or a setting, then settings and modifiers: lte-drive,loss=5%
    pub link: String,
    /// A shell command to start first on host `server`, such as 'iperf3 -s'
    #[arg(long, value_name = "COMMAND")]
    pub server_cmd: Option<String>,
    /// The former name of --server-cmd, accepted for one release
    #[arg(
        long,
        hide = true,
        value_name = "COMMAND",
        conflicts_with = "server_cmd"
    )]
    pub far: Option<String>,
    /// Capture all packets to a pcapng file
    #[arg(long, value_name = "FILE")]
    pub pcap: Option<PathBuf>,
    /// Seed of all random draws
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How hosts are connected
    #[arg(long, value_enum, default_value_t)]
    pub backend: BackendKind,
    /// Print the commands that configure netem, and run nothing
    #[arg(long)]
    pub plan: bool,
    /// The command and its arguments
    #[arg(last = true, required_unless_present = "plan")]
    pub command: Vec<String>,
}

/// Arguments of `import`.
#[derive(Args)]
pub struct ImportArguments {
    /// A mahimahi, 'seconds Mbit/s', CSV, pcap or pcapng file, which gzip may have compressed, or
    /// one with commands of tc
    #[arg(required_unless_present = "netem")]
    pub file: Option<String>,
    /// netem parameters ('delay 100ms 10ms loss 1% rate 2mbit'), tc commands, or what `tc qdisc
    /// show` prints
    #[arg(
        long,
        value_name = "PARAMETERS",
        conflicts_with_all = ["file", "column", "unit", "time_column", "time_unit", "step", "clean", "to"]
    )]
    pub netem: Option<String>,
    /// The rate column of a table, by name or by number from 1; of a capture, the interface or the
    /// sender's IP address
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// The unit of the rate column: a rate such as kbit/s, data since the row before such as
    /// bytes, or data since the start such as 'total bytes'
    #[arg(long)]
    pub unit: Option<String>,
    /// The time column of a table, by name or by number from 1
    #[arg(long, value_name = "NAME")]
    pub time_column: Option<String>,
    /// The unit of the time column: s, ms, us or ns
    #[arg(long, value_name = "UNIT")]
    pub time_unit: Option<String>,
    /// The distance of rows without a time column, such as 1s
    #[arg(long, value_name = "TIME", conflicts_with_all = ["time_column", "time_unit"])]
    pub step: Option<String>,
    /// How to handle anomalies: bad=refuse|drop|zero, order=refuse|sort, same=last|first|mean,
    /// gaps=hold|zero|cut, zeros=TIME (longest period without capacity), cap=RATE
    #[arg(long, value_name = "KEY=CHOICE,...")]
    pub clean: Option<String>,
    /// Write the result to this file
    #[arg(long)]
    pub to: Option<PathBuf>,
}

/// Arguments of `check`.
#[derive(Args)]
pub struct CheckArguments {
    /// A profile, a trace file or a setting, then settings and modifiers: lte-drive,loss=5%
    #[arg(required_unless_present = "lab")]
    pub link: Option<String>,
    /// Verify all links and the segment of a lab specification instead
    #[arg(long, value_name = "SPEC.json", conflicts_with_all = ["link", "seed", "backend"])]
    pub lab: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Seed of all random draws
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// How hosts are connected
    #[arg(long, value_enum, default_value_t)]
    pub backend: BackendKind,
    /// Maximum number of small packets per direction
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u64).range(10..=1_000_000))]
    pub packets: u64,
}
