//! Buffers of frames in flight, shared by all packets that carry the same frame.
//!
//! A hand-made slab and not the crate `slab`, because released buffers keep their allocation for
//! the next frame.

use super::frame::L2_HEADER;

/// Index of a frame.
pub type FrameId = u32;

struct Frame {
    bytes: Vec<u8>,
    references: u32,
}

/// All frame buffers.
#[derive(Default)]
pub struct Frames {
    frames: Vec<Frame>,
    free_ids: Vec<FrameId>,
}

impl Frames {
    /// Store a copy of a frame, with one reference.
    pub fn insert(&mut self, bytes: &[u8]) -> FrameId {
        let id = self.free_ids.pop().unwrap_or_else(|| {
            self.frames.push(Frame {
                bytes: Vec::with_capacity(1600),
                references: 0,
            });
            (self.frames.len() - 1) as FrameId
        });
        let frame = &mut self.frames[id as usize];
        frame.bytes.clear();
        frame.bytes.extend_from_slice(bytes);
        frame.references = 1;
        id
    }

    /// Add a reference.
    pub fn share(&mut self, id: FrameId) {
        self.frames[id as usize].references += 1;
    }

    /// Remove a reference. The last one frees the buffer.
    pub fn release(&mut self, id: FrameId) {
        let frame = &mut self.frames[id as usize];
        frame.references -= 1;
        if frame.references == 0 {
            self.free_ids.push(id);
        }
    }

    /// Flip one bit after the Ethernet header, selected by `number`. The frame must have one
    /// reference.
    pub fn corrupt(&mut self, id: FrameId, number: u64) {
        let bytes = &mut self.frames[id as usize].bytes;
        let bits = (bytes.len() - L2_HEADER) as u64 * 8;
        if bits > 0 {
            let bit = number % bits;
            bytes[L2_HEADER + (bit / 8) as usize] ^= 1 << (bit % 8);
        }
    }

    /// The frame's bytes.
    pub fn bytes(&self, id: FrameId) -> &[u8] {
        &self.frames[id as usize].bytes
    }
}
