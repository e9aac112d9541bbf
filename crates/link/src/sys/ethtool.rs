//! Disabling a device's offloads, so that every packet on the wire is one packet with a complete
//! checksum.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::check;

const SIOCETHTOOL: libc::c_ulong = 0x8946;
/// linux/ethtool.h: receive checksum, transmit checksum, TSO, GSO, GRO.
const OFF: [u32; 5] = [0x15, 0x17, 0x1f, 0x24, 0x2c];

#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    data: *mut Value,
    /// struct ifreq is longer than a pointer.
    rest: [u8; 16],
}

/// Disable checksum and segmentation offloads of a device in this thread's network namespace.
pub fn offloads_off(device: &str) -> io::Result<()> {
    // SAFETY: takes no pointers; the returned descriptor has no other owner.
    let socket = unsafe {
        OwnedFd::from_raw_fd(check(libc::socket(
            libc::AF_INET,
            libc::SOCK_DGRAM | libc::SOCK_CLOEXEC,
            0,
        ))?)
    };
    for command in OFF {
        let mut value = Value { command, data: 0 };
        let mut request = Request {
            name: [0; libc::IFNAMSIZ],
            data: &mut value,
            rest: [0; 16],
        };
        request.name[..device.len()].copy_from_slice(device.as_bytes());
        // SAFETY: `request` is laid out as struct ifreq with ifr_data pointing to a struct
        // ethtool_value; both outlive the call.
        check(unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL as _, &mut request) })?;
    }
    Ok(())
}
