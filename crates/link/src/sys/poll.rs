//! epoll with ns timeouts, and eventfd.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::{check, clock};

/// Limit of file descriptors reported at once.
const BATCH: usize = 64;

/// A set of file descriptors, each with a token.
pub struct Poll {
    fd: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Poll {
    /// An empty set.
    pub fn new() -> io::Result<Poll> {
        // SAFETY: takes no pointers; the returned descriptor has no other owner.
        let fd = unsafe { OwnedFd::from_raw_fd(check(libc::epoll_create1(libc::EPOLL_CLOEXEC))?) };
        Ok(Poll {
            fd,
            events: vec![libc::epoll_event { events: 0, u64: 0 }; BATCH],
        })
    }

    /// Report `token` when `fd` is readable.
    pub fn add(&self, fd: RawFd, token: u64) -> io::Result<()> {
        let mut event = libc::epoll_event {
            events: libc::EPOLLIN as u32,
            u64: token,
        };
        // SAFETY: `event` outlives the call.
        check(unsafe { libc::epoll_ctl(self.fd.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) })
            .map(drop)
    }

    /// Wait up to `timeout_ns` (None: forever) and return the tokens of readable descriptors.
    pub fn wait(&mut self, timeout_ns: Option<u64>) -> impl Iterator<Item = u64> + '_ {
        let timeout = timeout_ns.map(clock::timespec);
        let pointer = timeout
            .as_ref()
            .map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: `events` has room for BATCH entries; `timeout` lives until after the call; no
        // signal mask is given.
        let n = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.fd.as_raw_fd(),
                self.events.as_mut_ptr(),
                BATCH as libc::c_int,
                pointer,
                std::ptr::null::<libc::sigset_t>(),
                8usize,
            )
        };
        // An interrupted wait reports nothing.
        self.events
            .iter()
            .take(n.max(0) as usize)
            .map(|event| event.u64)
    }
}

/// A counter that wakes a [`Poll`].
pub struct Wake(OwnedFd);

impl Wake {
    /// A counter at 0.
    pub fn new() -> io::Result<Wake> {
        // SAFETY: takes no pointers; the returned descriptor has no other owner.
        Ok(Wake(unsafe {
            OwnedFd::from_raw_fd(check(libc::eventfd(
                0,
                libc::EFD_NONBLOCK | libc::EFD_CLOEXEC,
            ))?)
        }))
    }

    /// Wake the waiting thread.
    pub fn wake(&self) {
        let one = 1u64.to_ne_bytes();
        // SAFETY: the buffer has 8 bytes. A full counter wakes as well, so the result does not
        // matter.
        unsafe { libc::write(self.0.as_raw_fd(), one.as_ptr().cast(), one.len()) };
    }

    /// Reset, so that the next wait blocks again.
    pub fn clear(&self) {
        let mut count = [0u8; 8];
        // SAFETY: the buffer has 8 bytes. An empty counter is fine.
        unsafe { libc::read(self.0.as_raw_fd(), count.as_mut_ptr().cast(), count.len()) };
    }
}

impl AsRawFd for Wake {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}
