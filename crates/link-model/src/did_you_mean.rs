//! Suggestions for mistyped names.

/// "did you mean NAME?" for the known name closest to a mistyped one, or `otherwise` if none is
/// close.
pub fn did_you_mean<'a>(
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl FnOnce() -> String,
) -> String {
    closest_name(name, known).map_or_else(otherwise, |close| format!("did you mean {close}?"))
}

/// The known name with the smallest edit distance, if that is at most half the length of the longer
/// name.
fn closest_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (edit_distance(name, candidate), candidate))
        .min()
        .filter(|&(d, candidate)| d <= candidate.len().max(name.len()) / 2)
        .map(|(_, candidate)| candidate)
}

/// Edit distance (Levenshtein 1966) over the first 64 characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(64).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(64).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::closest_name;

    #[test]
    fn a_slip_of_the_hand_finds_the_meant_name() {
        assert_eq!(
            closest_name("lte-driv", ["ideal", "lte-drive", "lte"]),
            Some("lte-drive")
        );
        assert_eq!(closest_name("los", ["loss", "rate"]), Some("loss"));
    }

    #[test]
    fn a_name_like_no_other_gets_no_suggestion() {
        assert_eq!(closest_name("xyzzy", ["loss", "rate"]), None);
    }
}
