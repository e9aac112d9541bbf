//! Detection of duplicate messages (RFC 7252, section 4.5).

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;

/// Maximum number of entries and of cached reply bytes; beyond that, old entries are dropped early.
const MAX_ENTRIES: usize = 1 << 19;
const MAX_BYTES: usize = 32 << 20;

#[derive(Default)]
struct Generation {
    seen: HashMap<(SocketAddr, u16), Entry>,
    bytes: usize,
}

struct Entry {
    print: u64,
    reply: Option<Vec<u8>>,
}

/// Remembers datagrams for at least EXCHANGE_LIFETIME, and at most twice that.
///
/// A duplicate has the sender, the message ID **and the bytes** of an earlier datagram. The bytes
/// distinguish it from a new message whose sender has wrapped around its 65,536 message IDs, which
/// happens within EXCHANGE_LIFETIME above 265 messages per second.
pub(crate) struct Dedup {
    lifetime: i64,
    began: Option<i64>,
    hasher: RandomState,
    young: Generation,
    old: Generation,
}

impl Dedup {
    pub fn new(lifetime: i64) -> Self {
        let (young, old) = Default::default();
        Self {
            lifetime,
            began: None,
            hasher: RandomState::new(),
            young,
            old,
        }
    }

    /// Whether this datagram is a duplicate, and the reply to the original. A new datagram is
    /// remembered.
    pub fn check(
        &mut self,
        now: i64,
        from: SocketAddr,
        id: u16,
        datagram: &[u8],
    ) -> Option<Option<&[u8]>> {
        self.age(now);
        let (key, print) = ((from, id), self.hasher.hash_one(datagram));
        let again = |generation: &Generation| {
            generation
                .seen
                .get(&key)
                .is_some_and(|entry| entry.print == print)
        };
        if !again(&self.young) && !again(&self.old) {
            self.young.seen.insert(key, Entry { print, reply: None });
            return None;
        }
        let generation = if again(&self.young) {
            &self.young
        } else {
            &self.old
        };
        Some(
            generation
                .seen
                .get(&key)
                .and_then(|entry| entry.reply.as_deref()),
        )
    }

    /// Stores the reply to a datagram that was new.
    pub fn answered(&mut self, from: SocketAddr, id: u16, reply: &[u8]) {
        if let Some(entry) = self.young.seen.get_mut(&(from, id)) {
            self.young.bytes += reply.len();
            entry.reply = Some(reply.to_vec());
        }
    }

    fn age(&mut self, now: i64) {
        let full = self.young.seen.len() >= MAX_ENTRIES || self.young.bytes >= MAX_BYTES;
        if full || now - *self.began.get_or_insert(now) >= self.lifetime {
            self.old = std::mem::take(&mut self.young);
            self.began = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here() -> SocketAddr {
        "127.0.0.1:1".parse().unwrap()
    }

    #[test]
    fn a_repeated_datagram_gets_the_answer_of_the_first() {
        let mut dedup = Dedup::new(100);
        assert_eq!(dedup.check(0, here(), 1, b"a"), None);
        assert_eq!(dedup.check(1, here(), 1, b"a"), Some(None));
        dedup.answered(here(), 1, b"ack");
        assert_eq!(dedup.check(100, here(), 1, b"a"), Some(Some(&b"ack"[..])));
    }

    #[test]
    fn a_reused_message_id_with_other_bytes_is_a_new_message() {
        let mut dedup = Dedup::new(100);
        assert_eq!(dedup.check(0, here(), 1, b"a"), None);
        assert_eq!(dedup.check(1, here(), 1, b"b"), None);
    }

    #[test]
    fn a_datagram_is_forgotten_after_two_lifetimes() {
        let mut dedup = Dedup::new(100);
        assert_eq!(dedup.check(0, here(), 1, b"a"), None);
        assert_eq!(dedup.check(100, here(), 2, b"x"), None);
        assert_eq!(dedup.check(200, here(), 1, b"a"), None);
    }
}
