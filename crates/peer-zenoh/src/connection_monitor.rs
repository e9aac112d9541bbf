//! Monitors the connection to the router, which the library re-establishes by itself.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

use wirelab_peer::{Fault, Reconnect, Setup};
use zenoh::qos::Priority;
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

use crate::session::{fault, round_trip};

/// State of the connection, and callbacks for its changes.
pub struct ConnectionMonitor {
    limit: Duration,
    answer_timeout: Duration,
    broken: Fault,
    state: Mutex<State>,
    changed: Condvar,
    /// Called with a permanent fault.
    lost: Box<dyn Fn(Fault) + Send + Sync>,
    /// Called after each reconnection.
    back: Box<dyn Fn() + Send + Sync>,
}

#[derive(Default)]
struct State {
    up: bool,
    /// The session is closing.
    over: bool,
}

impl ConnectionMonitor {
    /// A monitor of an open session. It gives up after the time limit of the option `reconnect_s`.
    ///
    /// # Errors
    /// A fatal fault that names the option or the router.
    pub fn watch(
        setup: &Setup,
        session: &Session,
        lost: impl Fn(Fault) + Send + Sync + 'static,
        back: impl Fn() + Send + Sync + 'static,
    ) -> Result<Arc<Self>, Fault> {
        let monitor = Arc::new(Self {
            limit: Reconnect::read(&setup.options)?.limit(),
            answer_timeout: setup.answer_timeout(),
            broken: Fault::fatal(
                format!("connection to {}", setup.server()),
                "the connection broke",
            ),
            state: Mutex::new(State {
                up: true,
                over: false,
            }),
            changed: Condvar::new(),
            lost: Box::new(lost),
            back: Box::new(back),
        });
        let (callback_monitor, callback_session) = (Arc::clone(&monitor), session.clone());
        session
            .info()
            .transport_events_listener()
            .callback(move |event| {
                let (monitor, session) = (Arc::clone(&callback_monitor), callback_session.clone());
                // The callback must not block the library.
                match event.kind() {
                    SampleKind::Delete => thread::spawn(move || monitor.down()),
                    SampleKind::Put => thread::spawn(move || monitor.up(&session)),
                };
            })
            .background()
            .wait()
            .map_err(|error| fault(setup, "watch the connection", error))?;
        Ok(monitor)
    }

    /// Waits while the connection is broken. Returns whether it is usable.
    pub fn is_up(&self) -> bool {
        let state = self.state.lock().expect("a panic ends the peer");
        let state = self
            .changed
            .wait_while(state, |state| !state.up && !state.over)
            .expect("a panic ends the peer");
        state.up
    }

    /// Ignores all further changes.
    pub fn end(&self) {
        self.state.lock().expect("a panic ends the peer").over = true;
        self.changed.notify_all();
    }

    fn down(&self) {
        let mut state = self.state.lock().expect("a panic ends the peer");
        state.up = false;
        let (mut state, late) = self
            .changed
            .wait_timeout_while(state, self.limit, |state| !state.up && !state.over)
            .expect("a panic ends the peer");
        if late.timed_out() && !state.over {
            state.over = true;
            self.changed.notify_all();
            (self.lost)(self.broken.clone());
        }
    }

    fn up(&self, session: &Session) {
        // The library has re-declared everything before this round trip; at first the router may
        // not be known yet.
        while !round_trip(session, Priority::default(), self.answer_timeout) {
            if self.state.lock().expect("a panic ends the peer").over {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let mut state = self.state.lock().expect("a panic ends the peer");
        if !state.up {
            state.up = true;
            self.changed.notify_all();
            (self.back)();
        }
    }
}
