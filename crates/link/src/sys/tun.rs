//! A port that is a TUN device: IP packets without an Ethernet header, between exactly two hosts.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

use super::port::{BATCH, Port, Received};
use super::{check, clock};

const PATH: &str = "/dev/net/tun";
const ETHERNET_HEADER: usize = 14;
const FRAME: usize = 2048;

/// A TUN device of one host. Packets read from it get the Ethernet header that a veth would show.
pub struct TunPort {
    device: File,
    /// The device counters of the host's namespace, read repeatedly.
    counters: File,
    name: String,
    header: [u8; ETHERNET_HEADER],
    dropped: u64,
}

impl TunPort {
    /// Create `name` in this thread's network namespace, for packets from `own` to `peer` (MAC
    /// addresses).
    pub fn open(name: &str, own: [u8; 6], peer: [u8; 6]) -> io::Result<TunPort> {
        let device = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(PATH)?;
        // SAFETY: ifreq is plain data, for which zero is valid.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        // The last byte stays 0.
        for (to, from) in request.ifr_name[..libc::IFNAMSIZ - 1]
            .iter_mut()
            .zip(name.bytes())
        {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: `request` is an ifreq that outlives the call.
        check(unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &mut request) })?;
        let mut header = [0; ETHERNET_HEADER];
        header[..6].copy_from_slice(&peer);
        header[6..12].copy_from_slice(&own);
        Ok(TunPort {
            device,
            counters: File::open("/proc/thread-self/net/dev")?,
            name: format!("{name}:"),
            header,
            dropped: 0,
        })
    }

    /// Packets that the device dropped because they were not read in time.
    fn drops(&mut self) -> io::Result<u64> {
        const SENT_DROPPED: usize = 12;
        let mut text = String::new();
        self.counters.rewind()?;
        self.counters.read_to_string(&mut text)?;
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(&self.name));
        let field = line.and_then(|line| line.split_whitespace().nth(SENT_DROPPED));
        field
            .and_then(|number| number.parse().ok())
            .ok_or_else(|| io::Error::other("no counters"))
    }
}

impl Port for TunPort {
    fn receive(&mut self, take: &mut dyn FnMut(Received)) -> usize {
        let mut frame = [0; FRAME];
        frame[..12].copy_from_slice(&self.header[..12]);
        for taken in 0..BATCH {
            let Ok(length @ 1..) = self.device.read(&mut frame[ETHERNET_HEADER..]) else {
                return taken;
            };
            let ethertype: u16 = if frame[ETHERNET_HEADER] >> 4 == 6 {
                0x86dd
            } else {
                0x0800
            };
            frame[12..ETHERNET_HEADER].copy_from_slice(&ethertype.to_be_bytes());
            // The kernel sets no time stamp here, so the time of reading counts as arrival.
            take(Received {
                bytes: &frame[..ETHERNET_HEADER + length],
                real_ns: clock::real(),
                truncated: false,
            });
        }
        BATCH
    }

    fn send(&mut self, frames: &[&[u8]]) -> usize {
        let refused = |frame: &&[u8]| match self.device.write(&frame[ETHERNET_HEADER..]) {
            Ok(_) => false,
            // EINVAL: the damaged first byte no longer marks an IP packet. A host would not accept
            // it from a cable either.
            Err(error) => error.raw_os_error() != Some(libc::EINVAL),
        };
        frames.iter().position(refused).unwrap_or(frames.len())
    }

    fn overflows(&mut self) -> u64 {
        let all = self.drops().unwrap_or(self.dropped);
        let new = all - self.dropped.min(all);
        self.dropped = all;
        new
    }
}

impl AsRawFd for TunPort {
    fn as_raw_fd(&self) -> RawFd {
        self.device.as_raw_fd()
    }
}
