//! Alignment to 16 bytes, as formats that are read in place need it.

const ALIGNMENT: usize = 16;

/// A buffer for misaligned bytes. Those of timed loops are aligned, because malloc aligns them.
#[derive(Default)]
pub struct Aligned {
    words: Vec<u128>,
}

impl Aligned {
    /// The bytes themselves if they are aligned, otherwise a copy.
    #[inline]
    pub fn of<'a>(&'a mut self, bytes: &'a [u8]) -> &'a [u8] {
        if bytes.as_ptr().addr() % ALIGNMENT == 0 { bytes } else { self.copy(bytes) }
    }

    #[cold]
    fn copy(&mut self, bytes: &[u8]) -> &[u8] {
        self.words.clear();
        self.words.extend(bytes.chunks(ALIGNMENT).map(|chunk| {
            let mut word = [0; ALIGNMENT];
            word[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(word)
        }));
        // SAFETY: the vector holds `bytes.len()` initialised bytes or more, and any byte is a valid
        // u8.
        unsafe { std::slice::from_raw_parts(self.words.as_ptr().cast(), bytes.len()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_the_same_and_aligned_wherever_they_lay() {
        let source: Vec<u8> = (0..50).collect();
        let mut aligned = Aligned::default();
        for start in 0..17 {
            for end in start..50 {
                let bytes = aligned.of(&source[start..end]);
                assert_eq!(bytes, &source[start..end]);
                assert!(bytes.is_empty() || bytes.as_ptr().addr() % ALIGNMENT == 0);
            }
        }
    }
}
