//! UDP with the kernel's receive time stamps.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

use super::{check, clock};

const BUFFER_BYTES: libc::c_int = 8 << 20;

/// Enable time stamps and a large receive buffer, as far as permitted.
pub fn prepare(socket: &UdpSocket) -> io::Result<()> {
    set(socket, libc::SO_TIMESTAMPNS, 1)?;
    set(socket, libc::SO_RCVBUFFORCE, BUFFER_BYTES)
        .or_else(|_| set(socket, libc::SO_RCVBUF, BUFFER_BYTES))
}

fn set(socket: &UdpSocket, name: libc::c_int, value: libc::c_int) -> io::Result<()> {
    let size = size_of_val(&value) as libc::socklen_t;
    // SAFETY: `value` is valid for reading `size` bytes.
    check(unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            name,
            (&raw const value).cast(),
            size,
        )
    })
    .map(drop)
}

/// Receive one datagram. Returns its length, and the CLOCK_MONOTONIC ns at which the kernel
/// received it.
pub fn receive(socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<(usize, u64)> {
    // Aligned for struct cmsghdr.
    let mut control = [0u64; 16];
    let mut vector = libc::iovec {
        iov_base: buffer.as_mut_ptr().cast(),
        iov_len: buffer.len(),
    };
    // SAFETY: msghdr is plain data, for which zero is valid.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    message.msg_iov = &raw mut vector;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control);
    // SAFETY: all pointers in `message` outlive the call, with the lengths given.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, 0) };
    if length < 0 {
        return Err(io::Error::last_os_error());
    }
    let (now, offset) = clock::now_and_offset();
    // SAFETY: the kernel filled `message`; the macros stay within msg_controllen.
    let stamp = unsafe {
        let header = libc::CMSG_FIRSTHDR(&message);
        (!header.is_null() && (*header).cmsg_type == libc::SCM_TIMESTAMPNS).then(|| {
            libc::CMSG_DATA(header)
                .cast::<libc::timespec>()
                .read_unaligned()
        })
    };
    let real = stamp.map(|t| t.tv_sec * 1_000_000_000 + t.tv_nsec);
    Ok((
        length as usize,
        real.map_or(now, |real| (real - offset).clamp(0, now as i64) as u64),
    ))
}

/// Sleep until a time of CLOCK_MONOTONIC.
pub fn sleep_until(ns: u64) {
    let until = clock::timespec(ns);
    // SAFETY: `until` outlives the call; the remaining time is not requested. After an interrupted
    // sleep a packet is sent early, with its true send time recorded.
    unsafe {
        libc::clock_nanosleep(
            libc::CLOCK_MONOTONIC,
            libc::TIMER_ABSTIME,
            &until,
            std::ptr::null_mut(),
        );
    }
}
