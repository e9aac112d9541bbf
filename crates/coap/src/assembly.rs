//! Request bodies that arrive in blocks (RFC 7959, section 2.5).

use std::collections::HashMap;
use std::net::SocketAddr;

use coap_lite::ResponseType;

use crate::block::Block;

/// Identifies the transfer of a block: endpoint, path and Request-Tag (RFC 9175, section 3.3).
pub(crate) type TransferId = (SocketAddr, Vec<Vec<u8>>, Vec<u8>);

/// Maximum number of incomplete bodies, over all clients. The one that has been idle longest is
/// evicted.
const MAX_UNFINISHED: usize = 1024;

struct Unfinished {
    body: Vec<u8>,
    touched: i64,
}

/// Incomplete request bodies.
#[derive(Default)]
pub(crate) struct Assemblies {
    unfinished: HashMap<TransferId, Unfinished>,
}

impl Assemblies {
    /// Adds a block.
    ///
    /// # Errors
    /// 2.31 Continue while blocks are missing; 4.08 if this is not the next block; 4.13 beyond
    /// `max_body`; 4.00 for a partial block that is not the last.
    pub fn add(
        &mut self,
        now: i64,
        id: TransferId,
        block: Block,
        payload: &[u8],
        max_body: usize,
    ) -> Result<Vec<u8>, ResponseType> {
        if block.more && payload.len() != block.size {
            return Err(ResponseType::BadRequest);
        }
        if block.offset() + payload.len() > max_body {
            self.unfinished.remove(&id);
            return Err(ResponseType::RequestEntityTooLarge);
        }
        if block.num == 0 {
            self.make_room(&id);
            self.unfinished.insert(
                id.clone(),
                Unfinished {
                    body: Vec::new(),
                    touched: now,
                },
            );
        }
        let transfer = self
            .unfinished
            .get_mut(&id)
            .filter(|transfer| transfer.body.len() == block.offset());
        let Some(transfer) = transfer else {
            return Err(ResponseType::RequestEntityIncomplete);
        };
        transfer.body.extend_from_slice(payload);
        transfer.touched = now;
        if block.more {
            return Err(ResponseType::Continue);
        }
        self.unfinished
            .remove(&id)
            .map(|transfer| transfer.body)
            .ok_or(ResponseType::RequestEntityIncomplete)
    }

    /// Drops bodies that have been idle since `before`.
    pub fn forget(&mut self, before: i64) {
        self.unfinished
            .retain(|_, transfer| transfer.touched >= before);
    }

    fn make_room(&mut self, id: &TransferId) {
        if self.unfinished.len() < MAX_UNFINISHED || self.unfinished.contains_key(id) {
            return;
        }
        let oldest = self
            .unfinished
            .iter()
            .min_by_key(|(_, transfer)| transfer.touched)
            .map(|(id, _)| id.clone());
        if let Some(oldest) = oldest {
            self.unfinished.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(tag: u8) -> TransferId {
        (
            "127.0.0.1:1".parse().unwrap(),
            vec![b"t".to_vec()],
            vec![tag],
        )
    }

    fn block(num: u32, more: bool) -> Block {
        Block {
            num,
            more,
            size: 16,
        }
    }

    #[test]
    fn a_body_is_whole_after_its_last_block() {
        let mut assemblies = Assemblies::default();
        let mut add =
            |num, more, payload: &[u8]| assemblies.add(0, id(0), block(num, more), payload, 100);
        assert_eq!(add(0, true, &[1; 16]), Err(ResponseType::Continue));
        assert_eq!(
            add(1, false, &[2; 3]),
            Ok([vec![1; 16], vec![2; 3]].concat())
        );
        assert_eq!(
            add(1, false, &[2; 3]),
            Err(ResponseType::RequestEntityIncomplete)
        );
    }

    #[test]
    fn transfers_with_different_request_tags_do_not_mix() {
        let mut assemblies = Assemblies::default();
        let mut add = |tag, num, more, payload: &[u8]| {
            assemblies.add(0, id(tag), block(num, more), payload, 100)
        };
        assert_eq!(add(1, 0, true, &[1; 16]), Err(ResponseType::Continue));
        assert_eq!(add(2, 0, true, &[2; 16]), Err(ResponseType::Continue));
        assert_eq!(add(1, 1, false, &[1]), Ok(vec![1; 17]));
        assert_eq!(add(2, 1, false, &[2]), Ok(vec![2; 17]));
    }

    #[test]
    fn a_missing_a_short_and_a_too_late_block_are_refused() {
        let mut assemblies = Assemblies::default();
        let mut add =
            |num, more, payload: &[u8]| assemblies.add(0, id(0), block(num, more), payload, 40);
        assert_eq!(
            add(1, false, &[1]),
            Err(ResponseType::RequestEntityIncomplete)
        );
        assert_eq!(add(0, true, &[1; 15]), Err(ResponseType::BadRequest));
        assert_eq!(add(0, true, &[1; 16]), Err(ResponseType::Continue));
        assert_eq!(
            add(2, false, &[1; 9]),
            Err(ResponseType::RequestEntityTooLarge)
        );
    }
}
