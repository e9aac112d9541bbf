//! The inputs of the control loop, and the thread that reads commands.

use std::io;
use std::sync::mpsc::Sender;

use wirelab_contract::{Command, Fault, Line, Prepared, read_line};

use crate::prepare::Side;

/// An input of the control loop.
pub(crate) enum Input {
    Command(Box<Command>),
    InvalidCommand(Fault),
    Prepared(Box<Result<(Side, Prepared), Fault>>),
    Settled,
    Fault(Fault),
    Left,
    End,
}

/// Reads commands until end of file.
pub(crate) fn read_commands(input: &mut impl io::BufRead, inputs: &Sender<Input>) {
    loop {
        let next = match read_line(input) {
            Ok(Line::Text(line)) if line.trim().is_empty() => continue,
            Ok(Line::Text(line)) => match serde_json::from_str(&line) {
                Ok(command) => Input::Command(Box::new(command)),
                Err(error) => Input::InvalidCommand(Fault::minor("command", error)),
            },
            Ok(Line::TooLong) => {
                Input::InvalidCommand(Fault::minor("command", "longer than 1 MiB"))
            }
            Ok(Line::NotText) => Input::InvalidCommand(Fault::minor("command", "not UTF-8")),
            Ok(Line::End) | Err(_) => Input::End,
        };
        let end = matches!(next, Input::End);
        if inputs.send(next).is_err() || end {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_commands_or_the_reason_why_not_and_then_the_end() {
        let (inputs, waiting) = std::sync::mpsc::channel();
        let lines = b"{\"cmd\":\"stop\",\"later\":1}\n\n  \nnonsense\n\xff\n";
        read_commands(&mut &lines[..], &inputs);
        let seen: Vec<_> = waiting.try_iter().collect();
        assert!(matches!(&seen[0], Input::Command(command) if **command == Command::Stop));
        assert!(matches!(&seen[1], Input::InvalidCommand(fault) if !fault.fatal));
        assert!(matches!(&seen[2], Input::InvalidCommand(fault) if fault.why == "not UTF-8"));
        assert!(matches!(&seen[3], Input::End));
        assert_eq!(seen.len(), 4);
    }
}
