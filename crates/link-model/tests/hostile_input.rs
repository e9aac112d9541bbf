//! Whatever a user hands over is understood or refused in a sentence.

use proptest::prelude::*;
use wirelab_link_model::{BadLink, netem, parse_link};

proptest! {
    #[test]
    fn any_text_as_parameters_of_netem_is_a_link_or_a_sentence(
        text in "((delay|loss|rate|limit|corrupt|duplicate|reorder|gap|gemodel|state|random|distribution|normal|netem|seed|-?[0-9.]{1,6}(ms|us|mbit|bps|%)?|.{0,3}) ){0,12}"
    ) {
        let none = |name: &str| Err(BadLink::new(format!("no file {name}")));
        if let Ok(found) = netem::read(&text) {
            let link = parse_link(&found.link, &none).expect("a link text");
            let _ = netem::plan(&link.up, "eth0");
        }
    }
}
