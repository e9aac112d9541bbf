//! A port of the switch: where the frames of one host come from and go to.

use std::os::fd::AsRawFd;

/// Frames taken from a port before the others get their turn.
pub const BATCH: usize = 64;

/// A frame as it came in.
pub struct Received<'a> {
    /// From the destination MAC on.
    pub bytes: &'a [u8],
    /// CLOCK_REALTIME ns at which the kernel got it.
    pub real_ns: u64,
    /// The frame did not fit; `bytes` is its beginning.
    pub truncated: bool,
}

/// A device of the kernel that can be read and written, and polled for reading.
pub trait Port: AsRawFd + Send {
    /// Take up to [`BATCH`] frames. Returns how many there were.
    fn receive(&mut self, take: &mut dyn FnMut(Received)) -> usize;

    /// Send up to [`BATCH`] frames in order. Returns how many left; the one after those was refused.
    fn send(&mut self, frames: &[&[u8]]) -> usize;

    /// Frames the kernel could not hand over since the last call.
    fn overflows(&mut self) -> u64;
}
