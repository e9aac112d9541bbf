//! Sending and receiving numbered datagrams.

use std::collections::HashMap;
use std::io;
use std::net::{Ipv4Addr, UdpSocket};
use std::thread;
use std::time::Duration;

use super::expectation::HEADERS;
use crate::sys::{clock, udp};

/// Longest wait for packets after the last is due.
const PATIENCE_NS: u64 = 1_000_000_000;

/// Send time of each packet, and arrival time of each received packet. ns of CLOCK_MONOTONIC.
pub struct Exchange {
    pub sent: Vec<u64>,
    pub arrived: HashMap<u64, u64>,
}

impl Exchange {
    /// Send times in ns since the epoch.
    pub fn times(&self, epoch: u64) -> Vec<u64> {
        self.sent.iter().map(|t| t.saturating_sub(epoch)).collect()
    }
}

/// The sockets of one path.
pub struct Pair {
    pub from: UdpSocket,
    pub to: UdpSocket,
}

impl Pair {
    /// Connect `from` to the address of `to`.
    pub fn new(from: UdpSocket, to: UdpSocket, address: Ipv4Addr) -> io::Result<Pair> {
        let port = to.local_addr()?.port();
        from.connect((address, port))?;
        udp::prepare(&to)?;
        to.set_read_timeout(Some(Duration::from_millis(20)))?;
        Ok(Pair { from, to })
    }

    /// Send `count` packets `gap_ns` apart from `start_ns` on, and receive until `drain_ns` after
    /// the last.
    pub fn exchange(&self, plan: Plan) -> io::Result<Exchange> {
        // Discard packets of an earlier phase.
        self.to.set_nonblocking(true)?;
        while udp::receive(&self.to, &mut [0; 2048]).is_ok() {}
        self.to.set_nonblocking(false)?;
        let receive_until = plan.start_ns + plan.count * plan.gap_ns + plan.drain_ns + PATIENCE_NS;
        thread::scope(|scope| {
            let receiver = scope.spawn(|| self.receive(plan.count, plan.tag, receive_until));
            let sent = self.send(plan)?;
            let arrived = receiver
                .join()
                .map_err(|_| io::Error::other("the receiver thread failed"))??;
            Ok(Exchange { sent, arrived })
        })
    }

    fn send(&self, plan: Plan) -> io::Result<Vec<u64>> {
        let mut packet = vec![0; (plan.l3_bytes - HEADERS) as usize];
        packet[8..16].copy_from_slice(&plan.tag.to_le_bytes());
        let mut sent = Vec::with_capacity(plan.count as usize);
        for number in 0..plan.count {
            udp::sleep_until(plan.start_ns + number * plan.gap_ns);
            packet[..8].copy_from_slice(&number.to_le_bytes());
            sent.push(clock::now());
            self.from.send(&packet)?;
        }
        Ok(sent)
    }

    fn receive(&self, count: u64, tag: u64, until: u64) -> io::Result<HashMap<u64, u64>> {
        let (mut arrived, mut buffer) = (HashMap::new(), [0; 2048]);
        while (arrived.len() as u64) < count && clock::now() < until {
            match udp::receive(&self.to, &mut buffer) {
                Ok((length, at)) if length >= 16 => {
                    let word = |i: usize| {
                        u64::from_le_bytes(buffer[i..i + 8].try_into().expect("8 bytes"))
                    };
                    if word(8) == tag {
                        arrived.insert(word(0), at);
                    }
                }
                Ok(_) => {}
                Err(e)
                    if matches!(
                        e.kind(),
                        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
                    ) => {}
                Err(e) => return Err(e),
            }
        }
        Ok(arrived)
    }
}

/// A series of packets to send.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub tag: u64,
    pub start_ns: u64,
    pub count: u64,
    pub gap_ns: u64,
    pub l3_bytes: u32,
    pub drain_ns: u64,
}
