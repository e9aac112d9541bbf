//! Batches: messages of a corpus that travel as one, each behind its length as a base-128 varint.

use std::ops::Range;

/// A corpus in batches that repeats after many batches has at most this many messages in them.
const LONGEST: usize = 100_000;

/// A corpus in batches: batch `b` holds the next messages of the corpus, which starts again at its
/// end, so that the i-th message of all batches is corpus message `i mod messages`.
#[derive(Clone, Copy, Debug)]
pub struct Batches {
    messages: usize,
    size: usize,
}

impl Batches {
    /// A corpus of `messages` in batches of `size`.
    pub fn new(messages: usize, size: usize) -> Self {
        Self { messages, size }
    }

    /// Number of batches until they repeat; fewer if that takes very many.
    pub fn len(self) -> usize {
        let until_repeated = self.messages / common_divisor(self.messages, self.size);
        let most = (LONGEST / self.size).max(self.messages / self.size).max(1);
        until_repeated.min(most)
    }

    /// Whether the corpus is empty.
    pub fn is_empty(self) -> bool {
        self.messages == 0
    }

    /// Whether a message is more than one of the corpus.
    pub fn is_framed(self) -> bool {
        self.size > 1
    }

    /// The corpus messages of a batch.
    pub fn messages(self, batch: usize) -> impl Iterator<Item = usize> {
        let Range { start, end } = batch * self.size..(batch + 1) * self.size;
        (start..end).map(move |at| at % self.messages)
    }

    /// The messages in the bytes of one complete batch; `None` for other bytes.
    pub fn split(self, mut bytes: &[u8]) -> Option<Vec<&[u8]>> {
        let mut found = Vec::with_capacity(self.size);
        while !bytes.is_empty() {
            let (length, rest) = read_varint(bytes)?;
            let (message, rest) = rest.split_at_checked(length)?;
            found.push(message);
            bytes = rest;
        }
        (found.len() == self.size).then_some(found)
    }
}

fn common_divisor(a: usize, b: usize) -> usize {
    if b == 0 {
        a.max(1)
    } else {
        common_divisor(b, a % b)
    }
}

fn read_varint(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0;
    for (at, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 127) << (7 * at);
        if byte & 128 == 0 {
            return Some((value, &bytes[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use wirelab_codec::framing::append;

    use super::*;

    #[test]
    fn batches_go_on_where_the_one_before_ended() {
        let batches = Batches::new(3, 2);
        let all: Vec<Vec<usize>> = (0..batches.len())
            .map(|at| batches.messages(at).collect())
            .collect();
        assert_eq!(all, [vec![0, 1], vec![2, 0], vec![1, 2]]);
        assert_eq!(Batches::new(50, 10).len(), 5);
        assert_eq!(Batches::new(3, 10).len(), 3);
        assert_eq!(Batches::new(100_000, 999).len(), 100);
    }

    #[test]
    fn each_message_is_behind_its_length_as_a_varint() {
        let mut batch = Vec::new();
        append(&mut batch, b"ab");
        append(&mut batch, &[7; 300]);
        assert_eq!(batch[..5], *b"\x02ab\xac\x02");
        let whole = Batches::new(9, 2);
        assert_eq!(whole.split(&batch).unwrap(), [&b"ab"[..], &[7; 300]]);
    }

    #[test]
    fn a_batch_that_is_cut_or_holds_another_number_is_none() {
        let batches = Batches::new(9, 2);
        assert!(batches.split(b"\x01a\x01b").is_some());
        for bytes in [
            &b""[..],
            b"\x01a",
            b"\x01a\x01b\x01c",
            b"\x01a\x02b",
            b"\x01a\x80",
            b"\xff\xff\xff\xff\xff\x01a",
        ] {
            assert!(batches.split(bytes).is_none(), "{bytes:?}");
        }
    }
}
