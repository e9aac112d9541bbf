//! Lists whose items may be rejected.

use crate::codec::Failure;

/// Maximum number of items preallocated; a corrupted message may claim more than it has.
const AT_ONCE: usize = 1024;

/// Collects `make(item)` for each item. Collecting into a `Result` loses the size hint and
/// reallocates.
///
/// # Errors
/// That of the first rejected item.
#[inline(always)]
pub fn try_collect<T, U>(
    items: impl Iterator<Item = T>,
    mut make: impl FnMut(T) -> Result<U, Failure>,
) -> Result<Vec<U>, Failure> {
    let mut made = Vec::with_capacity(items.size_hint().0.min(AT_ONCE));
    for item in items {
        made.push(make(item)?);
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_made_and_the_first_refusal_ends_it() {
        assert_eq!(try_collect([1, 2].iter(), |item| Ok(item * 2)).unwrap(), [2, 4]);
        let refused = try_collect(0..3, |item| if item == 1 { Err("no".into()) } else { Ok(item) });
        assert_eq!(refused.unwrap_err().to_string(), "no");
    }

    #[test]
    fn a_count_alone_takes_no_memory() {
        let claimed = std::iter::repeat_n((), usize::MAX).map(|()| 0_u64);
        assert_eq!(try_collect(claimed, |_| Err::<u64, _>("ends here".into())).unwrap_err().to_string(), "ends here");
    }
}
