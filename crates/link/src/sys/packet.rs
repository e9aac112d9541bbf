//! A port that is an AF_PACKET socket on one veth. It receives through a shared ring and sends in
//! batches.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};

use super::port::{BATCH, Port, Received};
use super::{check, netlink};

/// Size of one ring frame: a header and a whole Ethernet frame.
const FRAME: usize = 2048;
const BLOCK: usize = 4096;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;

/// An AF_PACKET socket bound to one device.
pub struct PacketPort {
    fd: OwnedFd,
    ring: *mut u8,
    frames: usize,
    next: usize,
}

impl PacketPort {
    /// Bind to `device` in this thread's network namespace, with a ring of `frames` (a multiple of
    /// 2).
    pub fn open(device: &str, frames: usize) -> io::Result<PacketPort> {
        let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
        // Protocol 0: nothing is received until the socket is bound, so no frame of another device
        // gets in.
        // SAFETY: takes no pointers; the returned descriptor has no other owner.
        let fd = unsafe { OwnedFd::from_raw_fd(check(libc::socket(libc::AF_PACKET, kind, 0))?) };
        option(
            &fd,
            libc::PACKET_VERSION,
            &(libc::tpacket_versions::TPACKET_V2 as libc::c_int),
        )?;
        option(&fd, PACKET_IGNORE_OUTGOING, &1)?;
        option(&fd, libc::PACKET_QDISC_BYPASS, &1)?;
        option(
            &fd,
            libc::PACKET_TIMESTAMP,
            &(libc::SOF_TIMESTAMPING_SOFTWARE as libc::c_int),
        )?;
        let request = libc::tpacket_req {
            tp_block_size: BLOCK as u32,
            tp_block_nr: (frames * FRAME / BLOCK) as u32,
            tp_frame_size: FRAME as u32,
            tp_frame_nr: frames as u32,
        };
        option(&fd, libc::PACKET_RX_RING, &request)?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a fresh shared mapping of the ring just made; its length is the requested one.
        let ring = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                frames * FRAME,
                access,
                libc::MAP_SHARED,
                fd.as_raw_fd(),
                0,
            )
        };
        if ring == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let port = PacketPort {
            fd,
            ring: ring.cast(),
            frames,
            next: 0,
        };
        port.bind(netlink::device_index(device)?)?;
        Ok(port)
    }

    fn bind(&self, index: u32) -> io::Result<()> {
        // SAFETY: sockaddr_ll is plain data, for which zero is valid.
        let mut address: libc::sockaddr_ll = unsafe { std::mem::zeroed() };
        address.sll_family = libc::AF_PACKET as u16;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index as i32;
        let size = size_of_val(&address) as libc::socklen_t;
        // SAFETY: `address` is a sockaddr_ll of the size given.
        check(unsafe { libc::bind(self.fd.as_raw_fd(), (&raw const address).cast(), size) })
            .map(drop)
    }
}

impl Port for PacketPort {
    fn receive(&mut self, take: &mut dyn FnMut(Received)) -> usize {
        for taken in 0..BATCH {
            // SAFETY: `next` < `frames`, so the slot lies in the mapping; the kernel aligns it to
            // 16 bytes.
            let slot = unsafe { self.ring.add(self.next * FRAME) };
            let header = slot.cast::<libc::tpacket2_hdr>();
            // SAFETY: tp_status is the one field both sides write; all access to it is atomic.
            let status = unsafe { AtomicU32::from_ptr(&raw mut (*header).tp_status) };
            if status.load(Ordering::Acquire) & libc::TP_STATUS_USER == 0 {
                return taken;
            }
            // SAFETY: the status says that the slot is ours until we give it back; the kernel keeps
            // tp_mac + tp_snaplen within it.
            let (bytes, real_ns, truncated) = unsafe {
                let h = &*header;
                let offset = usize::from(h.tp_mac).min(FRAME);
                let length = (h.tp_snaplen as usize).min(FRAME - offset);
                let real = u64::from(h.tp_sec) * 1_000_000_000 + u64::from(h.tp_nsec);
                (
                    std::slice::from_raw_parts(slot.add(offset), length),
                    real,
                    h.tp_snaplen < h.tp_len,
                )
            };
            take(Received {
                bytes,
                real_ns,
                truncated,
            });
            status.store(libc::TP_STATUS_KERNEL, Ordering::Release);
            self.next = (self.next + 1) % self.frames;
        }
        BATCH
    }

    /// Send all frames with one system call.
    fn send(&mut self, frames: &[&[u8]]) -> usize {
        // SAFETY: iovec and mmsghdr are plain data, for which zero is valid.
        let (mut vectors, mut messages): ([libc::iovec; BATCH], [libc::mmsghdr; BATCH]) =
            unsafe { std::mem::zeroed() };
        let count = frames.len().min(BATCH);
        for i in 0..count {
            vectors[i] = libc::iovec {
                iov_base: frames[i].as_ptr().cast_mut().cast(),
                iov_len: frames[i].len(),
            };
            messages[i].msg_hdr.msg_iov = &raw mut vectors[i];
            messages[i].msg_hdr.msg_iovlen = 1;
        }
        // SAFETY: the first `count` messages point to vectors and frames that outlive the call;
        // sending only reads them.
        let sent =
            unsafe { libc::sendmmsg(self.fd.as_raw_fd(), messages.as_mut_ptr(), count as u32, 0) };
        sent.max(0) as usize
    }

    fn overflows(&mut self) -> u64 {
        let mut stats = libc::tpacket_stats {
            tp_packets: 0,
            tp_drops: 0,
        };
        let mut size = size_of_val(&stats) as libc::socklen_t;
        // SAFETY: `stats` has the size given; reading resets the kernel's counters.
        let result = unsafe {
            let into = (&raw mut stats).cast();
            libc::getsockopt(
                self.fd.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                into,
                &mut size,
            )
        };
        if result == 0 {
            u64::from(stats.tp_drops)
        } else {
            0
        }
    }
}

// SAFETY: the mapping belongs to this port alone and is accessed only through `&mut self`, from the
// thread that owns it.
unsafe impl Send for PacketPort {}

impl Drop for PacketPort {
    fn drop(&mut self) {
        // SAFETY: the mapping made in `open`, of the same length; no slice of it outlives
        // `receive`.
        unsafe { libc::munmap(self.ring.cast(), self.frames * FRAME) };
    }
}

impl AsRawFd for PacketPort {
    fn as_raw_fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }
}

fn option<T>(fd: &OwnedFd, name: libc::c_int, value: &T) -> io::Result<()> {
    let size = size_of::<T>() as libc::socklen_t;
    // SAFETY: `value` is valid for reading `size` bytes.
    check(unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            libc::SOL_PACKET,
            name,
            std::ptr::from_ref(value).cast(),
            size,
        )
    })
    .map(drop)
}
