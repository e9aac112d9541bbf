//! The pacer: one thread that encodes each message at its intended send time and hands it to the
//! library.
//!
//! It never skips a message and never moves an intended send time: if encoding or the library
//! blocks, the timestamps of the following messages show the delay (no coordinated omission).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use wirelab_contract::sample::Sample;
use wirelab_contract::{Fault, Identity};

use crate::clock::Clock;
use crate::corpus::strip;
use crate::outcome::Counters;
use crate::payload::Source;
use crate::protocol::Publisher;
use crate::recorder::Writer;
use crate::schedule::Plan;
use crate::throttle::Throttle;

/// How often a sleeping pacer checks whether it has been stopped.
const POLL_NS: i64 = 50_000_000;

/// How often a throttled pacer checks whether it may send.
const THROTTLE_POLL_NS: i64 = 50_000;

/// In a closed loop, a request that is not answered within this time no longer holds back the next
/// one.
const ANSWER_TIMEOUT_NS: i64 = 10_000_000_000;

/// The state of the pacer's thread.
pub(crate) struct Pacer {
    pub clock: Arc<dyn Clock>,
    pub source: Source,
    pub identity: Identity,
    pub writer: Writer,
    pub counters: Arc<Counters>,
    pub publisher: Box<dyn Publisher>,
    pub acknowledged: bool,
    /// Closed loop: each request waits for the answer to the previous one.
    pub closed_loop: bool,
    pub throttle: Option<Throttle>,
    pub stop: Arc<AtomicBool>,
}

impl Pacer {
    /// Sends all messages of the plan, then waits until all outcomes are known. Returns false if it
    /// was stopped before that. `send_times` delivers the times of `send` commands.
    ///
    /// # Errors
    /// The fatal fault of the codec or library.
    pub fn run(&mut self, plan: &Plan, send_times: &Receiver<i64>) -> Result<bool, Fault> {
        let messages = self.source.len();
        let mut buffer = Vec::new();
        let mut handed_over = self.clock.now();
        let (mut sent, mut index) = (0, 0);
        while let Some(planned) = plan.planned(sent, handed_over) {
            let due = match plan.is_commanded() {
                true => self
                    .wait_for_send_command(send_times)
                    .map(|at| (at, self.clock.now())),
                false => Some((planned, handed_over)),
            };
            let Some((planned, seen)) = due else {
                return Ok(false);
            };
            let Some(start) = self.wait_until(planned, seen) else {
                return Ok(false);
            };
            self.send(sent, index, (planned, start), &mut buffer)?;
            sent += 1;
            index = if index + 1 == messages { 0 } else { index + 1 };
            if self.closed_loop && !self.wait_for_answer(sent) {
                return Ok(false);
            }
            handed_over = self.clock.now();
        }
        self.publisher.flush()?;
        Ok(!self.acknowledged || self.wait_for_outcomes(sent))
    }

    fn send(
        &mut self,
        seq: u64,
        index: u64,
        (planned, start): (i64, i64),
        buffer: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let is_ready_made = self.source.is_ready_made();
        let message = match self.identity {
            Identity::Content => self.source.encode(index)?,
            Identity::Header => self.source.encode_numbered(index, seq, buffer)?,
        };
        let bytes = strip(self.identity, message).len();
        // If nothing was encoded, the clock is not read again.
        let sent = if is_ready_made {
            start
        } else {
            self.clock.now()
        };
        // Recorded before the hand-over, because the acknowledgement may arrive before `send`
        // returns.
        self.writer.append(&Sample {
            seq,
            planned,
            start,
            sent,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            ..Sample::default()
        });
        self.counters.sent.store(seq + 1, Ordering::Release);
        self.publisher.send(seq, message)
    }

    /// `None` if stopped.
    fn wait_for_send_command(&self, send_times: &Receiver<i64>) -> Option<i64> {
        let poll_interval = Duration::from_nanos(POLL_NS as u64);
        while !self.stopped() {
            match send_times.recv_timeout(poll_interval) {
                Ok(planned) => return Some(planned),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
        None
    }

    /// Waits for the intended send time and for the throttle, and returns the time then, or `None`
    /// if stopped. `seen` is a time that has already passed. If the message is due before it, as
    /// always in a flood, the clock is not read again.
    fn wait_until(&mut self, planned: i64, seen: i64) -> Option<i64> {
        if planned <= seen && self.throttle.is_none() {
            return (!self.stopped()).then_some(seen);
        }
        while planned - self.clock.now() > POLL_NS && !self.stopped() {
            self.clock
                .sleep_until(planned.min(self.clock.now() + POLL_NS));
        }
        if self.stopped() {
            return None;
        }
        self.clock.sleep_until(planned);
        self.wait_for_room().then(|| self.clock.now())
    }

    /// Waits while the throttle holds messages back. Returns false if stopped.
    fn wait_for_room(&mut self) -> bool {
        let Some(throttle) = &mut self.throttle else {
            return true;
        };
        loop {
            let delay = self.counters.delay_ns.load(Ordering::Relaxed);
            if throttle.may_send(self.counters.counts(), delay) {
                return true;
            }
            if self.stop.load(Ordering::Acquire) {
                return false;
            }
            self.clock.sleep_until(self.clock.now() + THROTTLE_POLL_NS);
        }
    }

    /// Waits until all `sent` requests are answered or given up, or the answer times out. Returns
    /// false if stopped.
    fn wait_for_answer(&self, sent: u64) -> bool {
        let until = self.clock.now() + ANSWER_TIMEOUT_NS;
        while self.clock.now() < until && !self.stopped() {
            let counts = self.counters.counts();
            if counts.acknowledged + counts.failed >= sent {
                return true;
            }
            self.clock.sleep_until(self.clock.now() + THROTTLE_POLL_NS);
        }
        !self.stopped()
    }

    /// Returns false if stopped.
    fn wait_for_outcomes(&self, sent: u64) -> bool {
        loop {
            let counts = self.counters.counts();
            if counts.acknowledged + counts.failed >= sent {
                return true;
            }
            if self.stopped() {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Virtual;
    use crate::payload::with_room;
    use crate::recorder::Recorder;
    use wirelab_contract::{Schedule, Start, sample};

    /// A library that takes `takes_ns` per message.
    struct Slow {
        clock: Arc<Virtual>,
        takes_ns: i64,
        got: std::sync::mpsc::Sender<(u64, Vec<u8>)>,
    }

    impl Publisher for Slow {
        fn send(&mut self, seq: u64, message: &[u8]) -> Result<(), Fault> {
            self.clock.sleep_until(self.clock.now() + self.takes_ns);
            self.got.send((seq, message.to_vec())).unwrap();
            Ok(())
        }
        fn flush(&mut self) -> Result<(), Fault> {
            Ok(())
        }
        fn close(self: Box<Self>) {}
    }

    /// Sends on a virtual clock that starts at 0, and returns the samples and what the library
    /// received.
    fn run(
        identity: Identity,
        takes_ns: i64,
        schedule: Schedule,
    ) -> (Vec<Sample>, Vec<(u64, Vec<u8>)>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let clock = Arc::new(Virtual::at(0));
        let (got, library) = std::sync::mpsc::channel();
        let messages = vec![with_room(b"a"), with_room(b"bb")];
        let mut pacer = Pacer {
            clock: clock.clone(),
            source: Source::Messages(messages),
            identity,
            writer: Recorder::create(file.path(), 9).unwrap(),
            counters: Arc::default(),
            publisher: Box::new(Slow {
                clock,
                takes_ns,
                got,
            }),
            acknowledged: false,
            closed_loop: false,
            throttle: None,
            stop: Arc::default(),
        };
        let plan = Plan::new(&Start {
            at_ns: 1000,
            schedule: Some(schedule),
        })
        .unwrap();
        let (tell, send_times) = std::sync::mpsc::channel();
        for time in [1500, 9000] {
            tell.send(time).unwrap();
        }
        assert_eq!(pacer.run(&plan, &send_times), Ok(true));
        let samples = sample::parse(&std::fs::read(file.path()).unwrap()).unwrap();
        drop(pacer);
        (samples.records, library.iter().collect())
    }

    #[test]
    fn a_library_that_blocks_makes_later_messages_late_and_never_moves_their_plan() {
        let schedule = Schedule::Interval {
            interval_ns: 100,
            count: Some(4),
            duration_ns: None,
        };
        let (samples, got) = run(Identity::Content, 250, schedule);
        let times: Vec<_> = samples
            .iter()
            .map(|sample| (sample.seq, sample.planned, sample.start))
            .collect();
        assert_eq!(
            times,
            [
                (0, 1000, 1000),
                (1, 1100, 1250),
                (2, 1200, 1500),
                (3, 1300, 1750)
            ]
        );
        let bytes: Vec<_> = got.into_iter().map(|(_, bytes)| bytes).collect();
        assert_eq!(
            bytes,
            [b"a".to_vec(), b"bb".to_vec(), b"a".to_vec(), b"bb".to_vec()]
        );
    }

    /// A library that acknowledges each message `after_ns` after the hand-over.
    struct Answering {
        clock: Arc<Virtual>,
        counters: Arc<Counters>,
        after_ns: i64,
    }

    impl Publisher for Answering {
        fn send(&mut self, seq: u64, _message: &[u8]) -> Result<(), Fault> {
            let at = self.clock.now() + self.after_ns;
            let (clock, counters) = (Arc::clone(&self.clock), Arc::clone(&self.counters));
            std::thread::spawn(move || {
                while clock.now() < at {
                    std::thread::yield_now();
                }
                counters.acknowledged.store(seq + 1, Ordering::Release);
            });
            Ok(())
        }
        fn flush(&mut self) -> Result<(), Fault> {
            Ok(())
        }
        fn close(self: Box<Self>) {}
    }

    #[test]
    fn in_a_closed_loop_a_request_is_planned_when_the_one_before_it_is_answered() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (clock, counters) = (Arc::new(Virtual::at(0)), Arc::<Counters>::default());
        let mut pacer = Pacer {
            clock: clock.clone(),
            source: Source::Messages(vec![with_room(b"a")]),
            identity: Identity::Header,
            writer: Recorder::create(file.path(), 9).unwrap(),
            counters: Arc::clone(&counters),
            publisher: Box::new(Answering {
                clock,
                counters,
                after_ns: 1_000_000,
            }),
            acknowledged: false,
            closed_loop: true,
            throttle: None,
            stop: Arc::default(),
        };
        let schedule = Some(Schedule::Flood {
            count: Some(3),
            duration_ns: None,
        });
        let plan = Plan::new(&Start { at_ns: 0, schedule }).unwrap();
        let (_tell, send_times) = std::sync::mpsc::channel();
        assert_eq!(pacer.run(&plan, &send_times), Ok(true));
        let samples = sample::parse(&std::fs::read(file.path()).unwrap()).unwrap();
        let gaps = samples
            .records
            .windows(2)
            .map(|two| two[1].planned - two[0].sent);
        assert!(gaps.into_iter().all(|gap| gap >= 1_000_000));
    }

    #[test]
    fn a_flood_is_never_late() {
        let (samples, _) = run(
            Identity::Content,
            250,
            Schedule::Flood {
                count: None,
                duration_ns: Some(501),
            },
        );
        let times: Vec<_> = samples
            .iter()
            .map(|sample| (sample.planned, sample.start))
            .collect();
        assert_eq!(times, [(1000, 1000), (1250, 1250), (1500, 1500)]);
    }

    #[test]
    fn a_message_sent_on_command_is_planned_when_the_command_says() {
        let (samples, _) = run(Identity::Content, 250, Schedule::OnCommand { count: 2 });
        let times: Vec<_> = samples
            .iter()
            .map(|sample| (sample.planned, sample.start))
            .collect();
        assert_eq!(times, [(1500, 1500), (9000, 9000)]);
    }

    #[test]
    fn the_identity_header_precedes_the_message_and_is_not_counted() {
        let schedule = Schedule::Flood {
            count: Some(2),
            duration_ns: None,
        };
        let (samples, got) = run(Identity::Header, 1, schedule);
        assert_eq!(got[1], (1, b"\x01\0\0\0\0\0\0\0bb".to_vec()));
        assert_eq!(samples[1].bytes, 2);
    }
}
