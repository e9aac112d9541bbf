//! The main loop of the timing thread.

use std::io;
use std::os::fd::AsRawFd;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use std::thread;

use super::accounting::Snapshot;
use super::batch_sender::BatchSender;
use super::commands::{Command, CommandSender, NewHost};
use super::outputs::Outputs;
use super::packet_log::Record;
use super::rt_throttle::RtThrottle;
use super::switch::{CaptureLevel, Switch};
use crate::sys::poll::{Poll, Wake};
use crate::sys::port::Port;
use crate::sys::{clock, sched};

/// The end of each wait is a busy loop, because a timer wakes the thread some 30 us late.
const SPIN_NS: u64 = 100_000;
/// How often incomplete batches of records are passed to their writers.
const TICK_NS: u64 = 100_000_000;
const WAKE_TOKEN: u64 = u64::MAX;
/// Limit of the link's time: a hundred years, so that sums of times cannot overflow.
const LONGEST_NS: i64 = 100 * 365 * 86_400 * 1_000_000_000;

/// The emulator of a lab.
pub struct Engine {
    ports: Vec<Box<dyn Port>>,
    switch: Switch,
    outputs: Outputs,
    /// CLOCK_REALTIME - CLOCK_MONOTONIC at the last wake-up.
    offset: i64,
    poll: Poll,
    wake: Arc<Wake>,
    commands: Receiver<Command>,
    /// Start of the link's time in CLOCK_MONOTONIC. Negative after skipping more than the machine's
    /// uptime.
    epoch_ns: i64,
    batch_sender: BatchSender,
    /// Frames lost before they could be read from a port.
    lost_frames: u64,
    epoch_cpu_ns: u64,
    /// Keeps the command channel open until the loop ends.
    command_sender: Mutex<CommandSender>,
}

impl Engine {
    /// An engine with one port per host, in the order of the switch's hosts. Its epoch is now.
    pub fn new(ports: Vec<Box<dyn Port>>, switch: Switch, outputs: Outputs) -> io::Result<Engine> {
        let poll = Poll::new()?;
        for (i, port) in ports.iter().enumerate() {
            poll.add(port.as_raw_fd(), i as u64)?;
        }
        let wake = Arc::new(Wake::new()?);
        poll.add(wake.as_raw_fd(), WAKE_TOKEN)?;
        let (sender, commands) = channel();
        Ok(Engine {
            batch_sender: BatchSender::new(ports.len()),
            ports,
            switch,
            outputs,
            offset: 0,
            poll,
            command_sender: Mutex::new(CommandSender {
                commands: sender,
                wake: wake.clone(),
            }),
            wake,
            commands,
            epoch_ns: clock::now() as i64,
            lost_frames: 0,
            epoch_cpu_ns: 0,
        })
    }

    /// A command sender for another thread.
    pub fn command_sender(&self) -> CommandSender {
        self.command_sender
            .lock()
            .expect("no thread panics while holding the lock")
            .clone()
    }

    /// Run until stopped. Returns the last counters, and an error if the packet log or capture is
    /// incomplete.
    pub fn run(mut self) -> (Snapshot, io::Result<()>) {
        sched::exact_timers();
        self.epoch_cpu_ns = clock::thread_cpu();
        let mut ticked_ns = clock::now();
        let mut throttle = sched::is_realtime().then(RtThrottle::default);
        loop {
            let wait_began = clock::now();
            let timeout = self.timeout(wait_began);
            let ready: Vec<u64> = self.poll.wait(timeout).collect();
            let (now, offset) = clock::now_and_offset();
            self.offset = offset;
            for token in ready {
                match usize::try_from(token)
                    .ok()
                    .filter(|&i| i < self.ports.len())
                {
                    Some(port) => self.receive(port, now, offset),
                    None if self.run_commands() => return self.close(),
                    None => {}
                }
            }
            self.send_due();
            if now - ticked_ns > TICK_NS {
                ticked_ns = now;
                self.outputs.flush_batch();
            }
            let required_sleep = throttle
                .as_mut()
                .and_then(|throttle| throttle.required_sleep(now - wait_began, clock::now() - now));
            if let Some(required_sleep) = required_sleep {
                thread::sleep(required_sleep);
            }
        }
    }

    /// How long to wait for frames. Some(0) polls without waiting.
    fn timeout(&self, now: u64) -> Option<u64> {
        let until_due = self
            .switch
            .next()
            .map(|due| due.saturating_sub(clock::since(self.epoch_ns, now) + SPIN_NS));
        if self.outputs.capture_level() != CaptureLevel::Counters {
            Some(until_due.unwrap_or(TICK_NS).min(TICK_NS))
        } else {
            until_due
        }
    }

    fn receive(&mut self, port: usize, now: u64, offset: i64) {
        let (epoch_ns, switch) = (self.epoch_ns, &mut self.switch);
        let mut truncated_frames = 0;
        self.ports[port].receive(&mut |frame| {
            // The kernel's stamp should be in the past. A later one was taken before a step of the
            // wall clock.
            let arrived = (frame.real_ns as i64 - offset).clamp(0, now as i64);
            if frame.truncated {
                truncated_frames += 1;
            } else if arrived >= epoch_ns {
                switch.arrive(port, (arrived - epoch_ns) as u64, frame.bytes);
            }
        });
        self.lost_frames += truncated_frames;
        self.drain_records();
    }

    /// Send all frames that are due.
    fn send_due(&mut self) {
        loop {
            let t = clock::since(self.epoch_ns, clock::now());
            let (switch, ports) = (&mut self.switch, &mut self.ports);
            if !self.batch_sender.send_due(t, self.epoch_ns, switch, ports) {
                return;
            }
            self.drain_records();
        }
    }

    fn drain_records(&mut self) {
        let epoch_ns = self.epoch_ns;
        for (record, bytes) in self.switch.take_records() {
            let egress = if record.drop == 0 {
                record.egress + epoch_ns
            } else {
                0
            };
            let (ingress, due) = (record.ingress + epoch_ns, record.due + epoch_ns);
            self.outputs.push(
                Record {
                    ingress,
                    egress,
                    due,
                    ..record
                },
                self.offset,
                bytes,
            );
        }
    }

    /// Execute pending commands. Returns true for Stop.
    fn run_commands(&mut self) -> bool {
        self.wake.clear();
        loop {
            match self.commands.try_recv() {
                // The requesting thread may have ended.
                Ok(Command::Snapshot(reply)) => drop(reply.send(self.snapshot())),
                Ok(Command::Epoch(reply)) => {
                    self.restart();
                    let _ = reply.send(self.epoch_ns);
                }
                Ok(Command::Skip(ns, reply)) => drop(reply.send(self.skip(ns))),
                Ok(Command::AddHost(joining, reply)) => drop(reply.send(self.add_host(*joining))),
                Ok(Command::Stop) | Err(TryRecvError::Disconnected) => return true,
                Err(TryRecvError::Empty) => return false,
            }
        }
    }

    fn add_host(&mut self, NewHost { host, port }: NewHost) -> Result<(), String> {
        let token = self.ports.len() as u64;
        self.switch.add_host(host).map_err(|e| e.to_string())?;
        self.poll
            .add(port.as_raw_fd(), token)
            .map_err(|e| e.to_string())?;
        self.ports.push(port);
        self.batch_sender.add_port();
        Ok(())
    }

    fn restart(&mut self) {
        for port in &mut self.ports {
            port.overflows();
        }
        self.switch.restart();
        self.outputs.restart();
        self.batch_sender.restart();
        self.lost_frames = 0;
        self.epoch_cpu_ns = clock::thread_cpu();
        self.epoch_ns = clock::now() as i64;
    }

    /// Advance the link's time. Refused while packets are in flight, because they would arrive at
    /// once.
    fn skip(&mut self, ns: u64) -> bool {
        let epoch_ns = self.epoch_ns.saturating_sub_unsigned(ns);
        if self.switch.next().is_some() || epoch_ns < -LONGEST_NS {
            return false;
        }
        self.drain_records();
        self.epoch_ns = epoch_ns;
        true
    }

    fn snapshot(&mut self) -> Snapshot {
        let (hosts, segment) = self.switch.snapshot();
        self.lost_frames += self
            .ports
            .iter_mut()
            .map(|port| port.overflows())
            .sum::<u64>();
        Snapshot {
            epoch_ns: self.epoch_ns,
            now_ns: clock::now(),
            realtime: sched::is_realtime(),
            own_drops: self.lost_frames + self.batch_sender.refused,
            cpu_ns: clock::thread_cpu() - self.epoch_cpu_ns,
            lateness: self.batch_sender.lateness.clone(),
            hosts,
            segment,
        }
    }

    fn close(mut self) -> (Snapshot, io::Result<()>) {
        let last = self.snapshot();
        (last, self.outputs.close())
    }
}
