//! CoDel: drops packets at dequeue when waiting times stay above a target (RFC 8289, section 5).

/// No drops while less than one full packet is queued.
const FULL_PACKET: u64 = 1500;

/// CoDel's state.
#[derive(Debug, Clone, Default)]
pub(super) struct Codel {
    first_above: Option<u64>,
    dropping: bool,
    drop_next: u64,
    count: u32,
    last_count: u32,
}

impl Codel {
    /// Whether to drop the packet dequeued at `now` after `waited` ns, with `behind` bytes still
    /// queued.
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
        // Shortly after the previous drop phase: continue with its drop rate.
        let delta = self.count - self.last_count;
        let recent = now.saturating_sub(self.drop_next) < 16 * interval_ns;
        self.count = if delta > 1 && recent { delta } else { 1 };
        self.drop_next = control_law(now, interval_ns, self.count);
        self.last_count = self.count;
        true
    }

    /// Whether waiting times have been above the target for a whole interval.
    fn above_target(&mut self, now: u64, short: bool, behind: u64, interval_ns: u64) -> bool {
        if short || behind <= FULL_PACKET {
            self.first_above = None;
            return false;
        }
        now >= *self.first_above.get_or_insert(now + interval_ns)
    }
}

/// The time of the next drop: one interval divided by the square root of the drop count later.
fn control_law(t: u64, interval_ns: u64, count: u32) -> u64 {
    t + (interval_ns as f64 / f64::from(count).sqrt()) as u64
}
