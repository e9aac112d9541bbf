//! `wirelab-link`: commands in network namespaces behind emulated links.

mod arguments;
mod check;
mod commands;
mod engine;
mod failure;
mod inputs;
mod lab;
mod sys;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Verb};
use failure::Failure;

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
        } => commands::netem::show(&link),
        Verb::Show {
            link, json, seed, ..
        } => commands::show::run(&link, seed, json),
        Verb::Run(arguments) => commands::run::run(arguments),
        Verb::Fit { traces, json } => commands::fit::run(&traces, json),
        Verb::Import(arguments) => match &arguments.netem {
            Some(parameters) => commands::netem::import(parameters),
            None => commands::import::run(&arguments),
        },
        Verb::Check(arguments) => check::run(&arguments),
        Verb::CheckProbe(arguments) => check::run_probe(&arguments),
        Verb::Profiles { json } => commands::profiles::run(json),
    }
}
