//! Every impairment is documented beside its code.

use std::path::PathBuf;

use super::{ImpairmentSpec, SETTINGS};
use crate::{BadLink, parse_link};

/// The rows of a folder's reference: the words, and the examples.
fn reference(name: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/impairment");
    let text = std::fs::read_to_string(folder.join(name).join("reference.md")).expect(name);
    let code = |cell: &str| -> Vec<String> {
        let parts = cell.split('`').skip(1).step_by(2);
        parts.map(str::to_string).collect()
    };
    text.lines()
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
            assert_eq!(cells.len(), 3, "{name}: {line}");
            (code(cells[0]), code(cells[2]))
        })
        .collect()
}

#[test]
fn the_reference_of_each_impairment_has_its_words_in_their_order() {
    for ((name, _), settings) in ImpairmentSpec::NONE.all().zip(SETTINGS) {
        let documented: Vec<String> = reference(name).into_iter().flat_map(|row| row.0).collect();
        let declared: Vec<&str> = settings.iter().map(|setting| setting.word).collect();
        assert_eq!(documented, declared, "{name}");
    }
}

#[test]
fn every_example_of_the_reference_sets_its_impairment() {
    let load = |_: &str| -> Result<Vec<u8>, BadLink> { Ok(b"0 20%\n1 0\n".to_vec()) };
    for (name, _) in ImpairmentSpec::NONE.all() {
        for text in reference(name).into_iter().flat_map(|row| row.1) {
            let link = parse_link(&text, &load).expect(&text);
            let set: Vec<&str> = link.up.impairments.each().map(|(name, _)| name).collect();
            assert_eq!(set, [name], "{text}");
        }
    }
}

#[test]
fn an_ideal_link_has_no_impairment() {
    assert_eq!(ImpairmentSpec::NONE.each().count(), 0);
}
