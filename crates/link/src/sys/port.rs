//! A port of the switch, through which the frames of one host are received and sent.

use std::os::fd::AsRawFd;

/// Limit of frames received from one port before the others are served.
pub const BATCH: usize = 64;

/// A received frame.
pub struct Received<'a> {
    /// The frame, from the destination MAC on.
    pub bytes: &'a [u8],
    /// CLOCK_REALTIME ns at which the kernel received it.
    pub real_ns: u64,
    /// The frame did not fit; `bytes` is its start.
    pub truncated: bool,
}

/// A network device that can be read, written, and polled for reading.
pub trait Port: AsRawFd + Send {
    /// Receive up to [`BATCH`] frames. Returns their number.
    fn receive(&mut self, take: &mut dyn FnMut(Received)) -> usize;

    /// Send up to [`BATCH`] frames in order. Returns the number sent; the kernel refused the next
    /// one.
    fn send(&mut self, frames: &[&[u8]]) -> usize;

    /// Frames that the kernel dropped before they could be read, since the last call.
    fn overflows(&mut self) -> u64;
}
