//! The subscriber: one thread that receives, delivers, acknowledges and runs the timers.

use std::io::ErrorKind;
use std::net::UdpSocket;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use wirelab_coap::endpoint_io::EndpointIo;
use wirelab_coap::io::{Engine, now, wait};
use wirelab_coap::{Observer, Registration};
use wirelab_peer::{DeliverySink, Fault, Setup, Subscriber};

use crate::dial::Dialer;
use crate::settings;

/// A subscriber that receives on its own thread.
pub struct CoapSubscriber {
    /// Set to stop a thread that is busy receiving.
    stop: Arc<AtomicBool>,
    /// Closed to wake a waiting thread.
    end: UnixStream,
    thread: JoinHandle<()>,
}

impl CoapSubscriber {
    /// Starts the thread; `receive` gets the stop flag and the descriptor that wakes it.
    ///
    /// # Errors
    /// Those of the system.
    pub fn start(
        receive: impl FnOnce(&AtomicBool, &UnixStream) + Send + 'static,
    ) -> std::io::Result<Self> {
        let (end, ended) = UnixStream::pair()?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || receive(&stopped, &ended));
        Ok(Self { stop, end, thread })
    }
}

/// Registers with the server and starts the thread that receives.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let transmission = settings::transmission(&setup.options)?;
    let (socket, mut io) = Dialer::new(setup)?.dial()?;
    let mut observer = Observer::new(
        setup.server(),
        &setup.topic,
        transmission,
        fastrand::Rng::new(),
    );
    register(setup, &socket, &mut io, &mut observer)?;
    let what = format!("observe {} at {}", setup.topic, setup.server());
    let receiving = CoapSubscriber::start(move |stop, ended| {
        receive(&socket, &mut io, &mut observer, sink, (stop, ended), &what);
    });
    match receiving {
        Ok(receiving) => Ok(Box::new(receiving)),
        Err(error) => Err(Fault::fatal(format!("connect {}", setup.server()), error)),
    }
}

fn register(
    setup: &Setup,
    socket: &UdpSocket,
    io: &mut EndpointIo,
    observer: &mut Observer,
) -> Result<(), Fault> {
    let fault = |why: std::io::Error| Fault::fatal(format!("connect {}", setup.server()), why);
    let until = now() + setup.connect_timeout.as_nanos() as i64;
    observer.register(now());
    loop {
        observer.expire(now());
        io.send_all(socket, observer.outgoing()).map_err(fault)?;
        match observer.registration() {
            Registration::Registered => return Ok(()),
            Registration::Failed(why) => {
                return Err(Fault::fatal(
                    format!("observe {} at {}", setup.topic, setup.server()),
                    why,
                ));
            }
            Registration::Pending if now() >= until => return Err(setup.timed_out("register with")),
            Registration::Pending => {}
        }
        let next = observer
            .deadline()
            .map_or(until, |deadline| deadline.min(until));
        if wait(socket, None, Some(next)).map_err(fault)?.socket {
            io.receive_all(socket, observer).map_err(fault)?;
        }
    }
}

fn receive(
    socket: &UdpSocket,
    io: &mut EndpointIo,
    observer: &mut Observer,
    mut sink: DeliverySink,
    (stop, ended): (&AtomicBool, &UnixStream),
    what: &str,
) {
    let mut abandoned = 0;
    while !stop.load(Ordering::Acquire) {
        match io.receive(socket, observer) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                match wait(socket, Some(ended.as_fd()), observer.deadline()) {
                    Ok(woken) if woken.other => break,
                    Ok(_) => {}
                    Err(error) => return sink.fault(Fault::fatal(what, error)),
                }
            }
            // An acknowledgement reached a closed port. Renewing the registration will show whether
            // the server is gone.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionRefused | ErrorKind::Interrupted
                ) => {}
            Err(error) => return sink.fault(Fault::fatal(what, error)),
        }
        observer.expire(now());
        for message in observer.take_arrivals() {
            sink.deliver(&message, false);
        }
        let _ = io.send_all(socket, observer.outgoing());
        if observer.abandoned() != abandoned {
            abandoned = observer.abandoned();
            eprintln!(
                "{what}: {abandoned} notifications abandoned, because a later block was lost or replaced"
            );
        }
        if let Registration::Failed(why) = observer.registration() {
            return sink.fault(Fault::fatal(what, why));
        }
    }
    observer.deregister(now());
    let _ = io.send_all(socket, observer.outgoing());
    io.close(socket);
}

impl Subscriber for CoapSubscriber {
    fn close(self: Box<Self>) {
        let Self { stop, end, thread } = *self;
        stop.store(true, Ordering::Release);
        drop(end);
        let _ = thread.join();
    }
}
