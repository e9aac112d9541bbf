//! `wirelab-link`: commands in network namespaces behind emulated links.

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
    },
    /// List the named links and the source of their numbers
    Profiles {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
}

fn main() -> ExitCode {
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
        Verb::Show { link, json, seed } => commands::show::run(&link, seed, json),
        Verb::Profiles { json } => commands::profiles::run(json),
    }
}
