//! The control loop: reads commands and writes events. It alone writes to standard output.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use wirelab_contract::{Command, Counts, Event, Fault, Prepare, Start};

use crate::input::{Input, read_commands};
use crate::outcome::Counters;
use crate::pacer::Pacer;
use crate::prepare::{Side, describe, prepare};
use crate::protocol::{Protocol, Subscriber};
use crate::schedule::Plan;
use crate::usage;

/// Minimum time between two progress events.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// How long closing the connection may take.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(900);

/// Runs a peer on standard input and output until it is stopped. Exit code 0 after `stop`, 1 after
/// a fatal error.
pub fn main(protocol: impl Protocol) -> ExitCode {
    let (events, panic_events) = match take_output().and_then(|file| Ok((file.try_clone()?, file)))
    {
        Ok(files) => files,
        Err(error) => {
            eprintln!("standard output: {error}");
            return ExitCode::from(1);
        }
    };
    report_panics(panic_events);
    let (inputs, waiting) = mpsc::channel();
    let commands = inputs.clone();
    thread::spawn(move || read_commands(&mut BufReader::new(io::stdin()), &commands));
    let code = Peer::new(Arc::new(protocol), inputs, events).run(&waiting);
    // Library threads may still be running; the samples are already in the file.
    std::process::exit(code.into())
}

/// Reserves standard output for events. What libraries print there (OpenPGM does) goes to standard
/// error from now on.
fn take_output() -> io::Result<File> {
    let events = nix::unistd::dup(io::stdout())?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok(events.into())
}

/// Reports a panic in any thread as a fatal error event, so that a dead thread does not look like a
/// silent peer.
fn report_panics(events: File) {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        default(panic);
        let fault = Fault::fatal("peer", format!("internal error: {panic}"));
        let line = serde_json::to_string(&Event::Error(fault)).unwrap_or_default();
        let _ = writeln!(&events, "{line}");
        std::process::exit(1);
    }));
}

enum State {
    Idle,
    Preparing,
    Ready(Side),
    Sending,
    Receiving(Box<dyn Subscriber>),
}

struct Peer<W> {
    protocol: Arc<dyn Protocol>,
    inputs: Sender<Input>,
    output: W,
    counters: Arc<Counters>,
    stop: Arc<AtomicBool>,
    state: State,
    /// Receives the times of `send` commands, under a schedule of kind `told`.
    times: Option<Sender<i64>>,
}

/// The control loop ends with this exit code.
struct Exit(u8);

impl<W: Write> Peer<W> {
    fn new(protocol: Arc<dyn Protocol>, inputs: Sender<Input>, output: W) -> Self {
        let (counters, stop) = (Arc::default(), Arc::default());
        Self {
            protocol,
            inputs,
            output,
            counters,
            stop,
            state: State::Idle,
            times: None,
        }
    }

    fn run(&mut self, waiting: &Receiver<Input>) -> u8 {
        let mut last = Counts::default();
        let mut next = Instant::now() + PROGRESS_INTERVAL;
        loop {
            let step = match waiting.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(input) => self.handle(input, waiting),
                Err(RecvTimeoutError::Timeout) => {
                    next = Instant::now() + PROGRESS_INTERVAL;
                    self.progress(&mut last)
                }
                Err(RecvTimeoutError::Disconnected) => self.leave(waiting),
            };
            if let Err(Exit(code)) = step {
                return code;
            }
        }
    }

    fn handle(&mut self, input: Input, waiting: &Receiver<Input>) -> Result<(), Exit> {
        match input {
            Input::Command(command) => match *command {
                Command::Describe => self.describe(),
                Command::Prepare(command) => self.prepare(*command),
                Command::Start(start) => self.start(&start),
                Command::Send { at_ns } => self.send(at_ns),
                Command::Stop => self.leave(waiting),
            },
            Input::Prepared(result) => match *result {
                Ok((side, prepared)) => {
                    self.state = State::Ready(side);
                    self.emit(&Event::Prepared(prepared))
                }
                Err(fault) => self.fault(fault),
            },
            Input::Settled => {
                let Counts {
                    sent,
                    acknowledged,
                    failed,
                    ..
                } = self.counters.counts();
                self.emit(&Event::Settled {
                    sent,
                    acknowledged,
                    failed,
                })
            }
            Input::InvalidCommand(fault) | Input::Fault(fault) => self.fault(fault),
            Input::Left => Ok(()),
            Input::End => self.leave(waiting),
        }
    }

    fn describe(&mut self) -> Result<(), Exit> {
        let described = describe(&*self.protocol);
        self.emit(&Event::Described(Box::new(described)))
    }

    /// Connects on a separate thread, so that `stop` is handled in the meantime.
    fn prepare(&mut self, command: Prepare) -> Result<(), Exit> {
        if !matches!(self.state, State::Idle) {
            return self.fault(Fault::minor(
                "prepare",
                "this peer has already been prepared",
            ));
        }
        self.state = State::Preparing;
        let (protocol, inputs) = (Arc::clone(&self.protocol), self.inputs.clone());
        let (counters, stop) = (Arc::clone(&self.counters), Arc::clone(&self.stop));
        thread::spawn(move || {
            let result = prepare(&*protocol, command, counters, stop, inputs.clone());
            let _ = inputs.send(Input::Prepared(Box::new(result)));
        });
        Ok(())
    }

    fn start(&mut self, start: &Start) -> Result<(), Exit> {
        match std::mem::replace(&mut self.state, State::Sending) {
            State::Ready(Side::Publisher(pacer)) => match Plan::new(start) {
                Ok(plan) => {
                    self.emit(&Event::Started)?;
                    let (inputs, stop) = (self.inputs.clone(), Arc::clone(&self.stop));
                    let (times, send_times) = mpsc::channel();
                    self.times = plan.is_commanded().then_some(times);
                    thread::spawn(move || send_all(*pacer, &plan, &send_times, &stop, &inputs));
                    Ok(())
                }
                Err(why) => {
                    self.state = State::Ready(Side::Publisher(pacer));
                    self.fault(Fault::minor("start", why))
                }
            },
            State::Ready(Side::Subscriber(mut subscriber)) => {
                self.emit(&Event::Started)?;
                let begun = subscriber.start(start);
                self.state = State::Receiving(subscriber);
                begun.or_else(|fault| self.fault(fault))
            }
            before => {
                let why = match before {
                    State::Idle | State::Preparing => "this peer is not prepared yet",
                    _ => "this peer has already been started",
                };
                self.state = before;
                self.fault(Fault::minor("start", why))
            }
        }
    }

    fn send(&mut self, at_ns: i64) -> Result<(), Exit> {
        match &self.times {
            // The pacer may already have all its messages.
            Some(times) => {
                let _ = times.send(at_ns);
                Ok(())
            }
            None => self.fault(Fault::minor(
                "send",
                "only valid with a schedule of kind told",
            )),
        }
    }

    fn progress(&mut self, last: &mut Counts) -> Result<(), Exit> {
        let counts = self.counters.counts();
        if counts == *last {
            return Ok(());
        }
        *last = counts;
        self.emit(&Event::Progress(counts))
    }

    fn fault(&mut self, fault: Fault) -> Result<(), Exit> {
        let fatal = fault.fatal;
        self.emit(&Event::Error(fault))?;
        if fatal { Err(Exit(1)) } else { Ok(()) }
    }

    /// Ends the peer. Closes the connection first, unless that takes too long.
    fn leave(&mut self, waiting: &Receiver<Input>) -> Result<(), Exit> {
        self.stop.store(true, Ordering::Release);
        let inputs = self.inputs.clone();
        match std::mem::replace(&mut self.state, State::Idle) {
            State::Idle | State::Preparing => drop(inputs.send(Input::Left)),
            State::Sending => {}
            State::Ready(Side::Publisher(pacer)) => {
                close_on_thread(move || pacer.publisher.close(), inputs)
            }
            State::Ready(Side::Subscriber(subscriber)) | State::Receiving(subscriber) => {
                close_on_thread(move || subscriber.close(), inputs);
            }
        }
        let deadline = Instant::now() + CLOSE_TIMEOUT;
        while let Ok(input) =
            waiting.recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            if matches!(input, Input::Left) {
                break;
            }
        }
        self.emit(&Event::Stopped(usage::stopped(self.counters.counts())))?;
        Err(Exit(0))
    }

    fn emit(&mut self, event: &Event) -> Result<(), Exit> {
        let line = serde_json::to_string(event).expect("events are plain data");
        // The reader has closed the pipe: exit.
        writeln!(self.output, "{line}")
            .and_then(|()| self.output.flush())
            .map_err(|_| Exit(1))
    }
}

fn close_on_thread(close: impl FnOnce() + Send + 'static, inputs: Sender<Input>) {
    thread::spawn(move || {
        close();
        let _ = inputs.send(Input::Left);
    });
}

/// The pacer's thread: sends all messages, reports that they are settled, waits for `stop`, and
/// closes.
fn send_all(
    mut pacer: Pacer,
    plan: &Plan,
    send_times: &Receiver<i64>,
    stop: &AtomicBool,
    inputs: &Sender<Input>,
) {
    // The kernel delays timers of ordinary threads by up to 50 us to batch them; 1 ns turns that
    // off. Failure is harmless.
    let _ = nix::sys::prctl::set_timerslack(1);
    let outcome = match pacer.run(plan, send_times) {
        Ok(true) => Some(Input::Settled),
        Ok(false) => None,
        Err(fault) => Some(Input::Fault(fault)),
    };
    if let Some(outcome) = outcome {
        let _ = inputs.send(outcome);
    }
    while !stop.load(Ordering::Acquire) {
        thread::sleep(Duration::from_millis(10));
    }
    pacer.publisher.close();
    let _ = inputs.send(Input::Left);
}
