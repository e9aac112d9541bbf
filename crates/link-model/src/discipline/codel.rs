//! CoDel: drops from a queue whose packets wait too long for too long (RFC 8289, section 5).

/// Less than one full packet waiting is no queue.
const FULL_PACKET: u64 = 1500;

/// Its state.
#[derive(Debug, Clone, Default)]
pub(super) struct Codel {
    first_above: Option<u64>,
    dropping: bool,
    drop_next: u64,
    count: u32,
    last_count: u32,
}

impl Codel {
    /// Whether the head of a queue is dropped, which was taken off at `now` after `waited` ns and left `behind` bytes.
    pub fn drops(
        &mut self,
        now: u64,
        (waited, behind): (u64, u64),
        (target_ns, interval_ns): (u64, u64),
    ) -> bool {
        let ok_to_drop = self.above_target(now, waited < target_ns, behind, interval_ns);
        if self.dropping {
            if !ok_to_drop {
                self.dropping = false;
            } else if now >= self.drop_next {
                self.count += 1;
                self.drop_next = control_law(self.drop_next, interval_ns, self.count);
                return true;
            }
            return false;
        }
        if !ok_to_drop {
            return false;
        }
        self.dropping = true;
        // Soon after the last time: go on with the drop rate that worked.
        let delta = self.count - self.last_count;
        let recent = now.saturating_sub(self.drop_next) < 16 * interval_ns;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = control_law(now, interval_ns, self.count);
        self.last_count = self.count;
        true
    }

    /// Whether waiting times have been above the target for an interval.
    fn above_target(&mut self, now: u64, short: bool, behind: u64, interval_ns: u64) -> bool {
        if short || behind <= FULL_PACKET {
            self.first_above = None;
            return false;
        }
        now >= *self.first_above.get_or_insert(now + interval_ns)
    }
}

/// The next drop, an interval over the square root of the number of drops later.
fn control_law(t: u64, interval_ns: u64, count: u32) -> u64 {
    t + (interval_ns as f64 / f64::from(count).sqrt()) as u64
}
