//! System calls. All unsafe code of this crate is here.

pub mod clock;
pub mod ethtool;
pub mod netlink;
pub mod packet;
pub mod poll;
pub mod port;
pub mod process;
pub mod sched;
pub mod tun;
pub mod udp;

use std::io;

/// Convert the result of a system call that returns -1 on failure.
pub fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(result)
    }
}
