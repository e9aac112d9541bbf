//! Handles `prepare`: payload, sample file, connection.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;
use std::time::Duration;

use wirelab_contract::{Described, Fault, Identity, Prepare, Prepared, Qos, Role};

use crate::corpus::{Corpus, HEADER};
use crate::delivery_sink::DeliverySink;
use crate::input::Input;
use crate::options::Options;
use crate::outcome::{Counters, Outcomes};
use crate::pacer::Pacer;
use crate::payload::Source;
use crate::protocol::{Protocol, Setup, Subscriber};
use crate::recorder::Recorder;
use crate::responder::Responder;
use crate::throttle::{THROTTLE, Throttle};

/// An option of every protocol, in seconds.
pub(crate) const CONNECT_TIMEOUT: (&str, &str) = ("connect_timeout_s", "10");

/// An option of every requester: `closed` sends the next request when the previous one has been
/// answered.
const LOOP: (&str, &str) = ("loop", "open");

/// A connected peer, by its role.
pub(crate) enum Side {
    Publisher(Box<Pacer>),
    Subscriber(Box<dyn Subscriber>),
}

/// The protocol's description, with the options that all protocols have.
pub(crate) fn describe(protocol: &dyn Protocol) -> Described {
    let mut described = protocol.describe();
    described
        .options
        .insert(CONNECT_TIMEOUT.0.into(), CONNECT_TIMEOUT.1.into());
    if described.qos.iter().any(|qos| qos.acknowledged) {
        described
            .options
            .insert(THROTTLE.0.into(), THROTTLE.1.into());
    }
    if described.roles.contains(&Role::Requester) {
        described.options.insert(LOOP.0.into(), LOOP.1.into());
    }
    described
}

/// Validates the command, loads the payload, creates the sample file and connects.
///
/// # Errors
/// A fatal fault that names what failed and why.
pub(crate) fn prepare(
    protocol: &dyn Protocol,
    command: Prepare,
    counters: Arc<Counters>,
    stop: Arc<AtomicBool>,
    inputs: Sender<Input>,
) -> Result<(Side, Prepared), Fault> {
    let described = describe(protocol);
    let qos = check(&described, &command)?;
    let options = Options::new(&described.options, &command.options)?;
    let mut source = Source::open(&command.payload)?;
    let corpus = Corpus::encode(&mut source)?;
    let header = if command.identity == Identity::Header {
        HEADER
    } else {
        0
    };
    let (bytes_min, bytes_max) = corpus.sizes();
    let largest = bytes_max + header as u64;
    if described.max_message != 0 && largest > described.max_message {
        let why = format!(
            "{largest} B exceeds the limit of {} of {} B",
            described.protocol, described.max_message
        );
        return Err(Fault::fatal("largest message", why));
    }
    let throttle = Throttle::new(&options, &qos)?;
    let closed_loop = is_closed_loop(&options)?;
    let clock = protocol.clock(&options)?;
    let setup = Setup {
        server: command.server.as_ref().map(|server| server.socket()),
        qos: command.qos,
        connect_timeout: timeout(&options)?,
        options,
        topic: command.topic,
        client: command.client,
        subscribers: command.subscribers,
        largest: largest as usize,
        clock: Arc::clone(&clock),
    };
    let prepared = |connect_ns| Prepared {
        connect_ns,
        messages: corpus.len(),
        bytes_min,
        bytes_max,
        distinct: corpus.distinct(),
    };
    let writer = Recorder::create(&command.samples, command.capacity)?;
    let identity = command.identity;
    let began = clock.now();
    match command.role {
        Role::Publisher | Role::Requester => {
            let recorder = writer.recorder();
            let outcomes = Outcomes {
                clock: Arc::clone(&clock),
                recorder,
                counters: Arc::clone(&counters),
                inputs,
            };
            let asks = command.role == Role::Requester;
            let publisher = match asks {
                true => protocol.requester(&setup, outcomes)?,
                false => protocol.publisher(&setup, outcomes)?,
            };
            let prepared = prepared(clock.now() - began);
            // Waiting for answers is left to the control plane, which knows how long it may take.
            let acknowledged = qos.acknowledged && !asks;
            let pacer = Pacer {
                clock,
                source,
                identity,
                writer,
                counters,
                publisher,
                acknowledged,
                closed_loop: closed_loop && asks,
                throttle,
                stop,
            };
            Ok((Side::Publisher(Box::new(pacer)), prepared))
        }
        Role::Subscriber | Role::Responder => {
            let mut prepared = prepared(0);
            let sink = DeliverySink {
                clock: Arc::clone(&clock),
                source,
                corpus,
                identity,
                writer,
                counters,
                inputs,
            };
            let subscriber = match command.role {
                Role::Responder => {
                    protocol.responder(&setup, Responder::new(sink, command.script)?)?
                }
                _ => protocol.subscriber(&setup, sink)?,
            };
            prepared.connect_ns = clock.now() - began;
            Ok((Side::Subscriber(subscriber), prepared))
        }
    }
}

fn check(described: &Described, command: &Prepare) -> Result<Qos, Fault> {
    if !described.roles.contains(&command.role) {
        return Err(Fault::fatal(
            format!("role {:?}", command.role),
            "not supported by this peer",
        ));
    }
    if command.server.is_none() && !described.servers.is_empty() {
        return Err(Fault::fatal(
            "prepare",
            format!("{} requires a server", described.protocol),
        ));
    }
    let qos = described.qos.iter().find(|qos| qos.name == command.qos);
    qos.cloned().ok_or_else(|| {
        let known = described
            .qos
            .iter()
            .map(|qos| qos.name.as_str())
            .collect::<Vec<_>>()
            .join(", ");
        Fault::fatal(
            format!("qos {}", command.qos),
            format!("unknown; {} has: {known}", described.protocol),
        )
    })
}

fn is_closed_loop(options: &Options) -> Result<bool, Fault> {
    match options.get(LOOP.0) {
        None => Ok(false),
        Some(_) => options.one_of(LOOP.0, [("open", false), ("closed", true)]),
    }
}

fn timeout(options: &Options) -> Result<Duration, Fault> {
    let bad = |why: &dyn fmt::Display| Fault::fatal(format!("option {}", CONNECT_TIMEOUT.0), why);
    let timeout = Duration::try_from_secs_f64(options.parse(CONNECT_TIMEOUT.0)?)
        .map_err(|error| bad(&error))?;
    match timeout.is_zero() {
        true => Err(bad(&"must be above 0")),
        false => Ok(timeout),
    }
}
