//! The subscriber: one thread that lets libcoap receive, join blocks, deliver and acknowledge.

use std::sync::atomic::Ordering;
use std::time::Instant;

use wirelab_coap::Method;
use wirelab_peer::{DeliverySink, Fault, ReceiveThread, Setup, Subscriber};

use crate::libcoap::{Endpoint, Request, Response, ResponseHandler, Undelivered};
use crate::settings::Settings;
use crate::{MIN_WAIT, PORT_UNREACHABLE, STOP_POLL, shake_hands};

/// Registers with the server and starts the thread that receives.
///
/// # Errors
/// A fatal fault that names the server or an option.
pub fn connect(setup: &Setup, sink: DeliverySink) -> Result<Box<dyn Subscriber>, Fault> {
    let settings = Settings::read(&setup.options)?;
    let arrivals = Arrivals {
        sink,
        token: None,
        registration: Registration::Pending,
    };
    let mut endpoint = Endpoint::open(setup.server(), &setup.topic, &settings, true, arrivals)?;
    shake_hands(setup, &mut endpoint)?;
    register(setup, &mut endpoint)?;
    Ok(ReceiveThread::start(move |stop| {
        while !stop.load(Ordering::Acquire) {
            endpoint.process(STOP_POLL);
        }
    }))
}

fn register(setup: &Setup, endpoint: &mut Endpoint<Arrivals>) -> Result<(), Fault> {
    let fault = |why: &str| Fault::fatal(format!("connect {}", setup.server()), why);
    let until = Instant::now() + setup.connect_timeout;
    let registration = Request {
        method: Method::Get,
        confirmable: true,
        observes: true,
        target: "",
        body: &[],
    };
    let token = endpoint.ask(None, &registration);
    let Some(token) = token else {
        return Err(fault(PORT_UNREACHABLE));
    };
    endpoint.handler().token = Some(token);
    loop {
        let left = until.saturating_duration_since(Instant::now());
        match &endpoint.handler().registration {
            Registration::Registered => return Ok(()),
            Registration::Failed(why) => return Err(fault(why)),
            Registration::Pending if left.is_zero() => return Err(setup.timed_out("register with")),
            Registration::Pending => endpoint.process(left.max(MIN_WAIT)),
        }
    }
}

enum Registration {
    Pending,
    Registered,
    Failed(String),
}

struct Arrivals {
    sink: DeliverySink,
    token: Option<u64>,
    registration: Registration,
}

impl ResponseHandler for Arrivals {
    fn responded(&mut self, response: &Response) {
        if self.token != Some(response.token) {
            return;
        }
        match self.registration {
            // The state at registration is not a message of the trial.
            Registration::Pending if response.class() == 2 && response.notifies => {
                self.registration = Registration::Registered;
            }
            Registration::Pending => {
                let code = response.code_text();
                let why = match response.class() == 2 {
                    true => format!("the server answered {code} without the Observe option"),
                    false => format!("the server answered {code}"),
                };
                self.registration = Registration::Failed(why);
            }
            Registration::Registered if response.class() == 2 => {
                self.sink.deliver(response.body, false);
            }
            Registration::Registered => {
                let why = format!(
                    "the server ended the observation with {}",
                    response.code_text()
                );
                self.sink.fault(Fault::fatal("observe", why));
            }
            Registration::Failed(_) => {}
        }
    }

    /// Once registered, libcoap fetches later blocks by itself; a message with a missing block is
    /// lost.
    fn undelivered(&mut self, _token: u64, _is_ping: bool, reason: Undelivered) {
        if matches!(self.registration, Registration::Pending) {
            self.registration = Registration::Failed(match reason {
                Undelivered::Refused => PORT_UNREACHABLE.into(),
                Undelivered::TooManyRetries => "no answer to the registration".into(),
                Undelivered::Reset => "the registration was answered with a reset".into(),
                Undelivered::Encryption => "the DTLS session broke".into(),
                Undelivered::Other(code) => {
                    format!("libcoap gave up the registration with reason {code}")
                }
            });
        }
    }
}
