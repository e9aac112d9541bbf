//! Times the same codec, payload and build with criterion, to validate the harness's own figures.
//!
//! Set by `WIRELAB_PACK`, `WIRELAB_CORPUS` and `WIRELAB_CODECS` (comma-separated); without them it
//! does nothing. One iteration is a pass over the corpus, with one call of the pack per message.

use std::hint::black_box;

use criterion::Criterion;
use wirelab_codec::{Pack, Session};

fn serialize(criterion: &mut Criterion, name: &str, session: &mut Session) {
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| {
            for index in 0..session.len() {
                black_box(
                    session
                        .encode(black_box(index))
                        .expect("it encoded before")
                        .len(),
                );
            }
        });
    });
}

fn deserialize(criterion: &mut Criterion, name: &str, session: &mut Session) {
    let encoded: Vec<Vec<u8>> = (0..session.len())
        .map(|index| session.encode(index).expect("it encoded before").to_vec())
        .collect();
    criterion.bench_function(name, |bencher| {
        bencher.iter(|| {
            for bytes in &encoded {
                black_box(session.decode(black_box(bytes)).expect("its own bytes"));
            }
        });
    });
}

fn main() {
    let wanted = |name| std::env::var(name).ok();
    let (Some(pack), Some(corpus), Some(codecs)) = (
        wanted("WIRELAB_PACK"),
        wanted("WIRELAB_CORPUS"),
        wanted("WIRELAB_CODECS"),
    ) else {
        eprintln!("agreement: set WIRELAB_PACK, WIRELAB_CORPUS and WIRELAB_CODECS");
        return;
    };
    let pack = Pack::load(pack).expect("a pack");
    let text = std::fs::read(corpus).expect("a corpus");
    let corpus = pack.corpus(&text).expect("a corpus of this pack");
    let mut criterion = Criterion::default().configure_from_args();
    for codec in codecs.split(',') {
        let mut session = corpus.session(codec).expect("a codec of this pack");
        let id = codec.replace('/', "_");
        serialize(&mut criterion, &format!("{id}-serialize"), &mut session);
        deserialize(&mut criterion, &format!("{id}-deserialize"), &mut session);
    }
    criterion.final_summary();
}
