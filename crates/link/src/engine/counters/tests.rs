//! Counters of arriving frames.

use super::DirectionState;
use crate::engine::frame::{FragmentOf, Parsed, Segment};
use wirelab_link_model::{CounterRng, Direction, DirectionSpec, FlowKey};

fn state() -> DirectionState {
    DirectionState::new(
        Direction::new(&DirectionSpec::IDEAL, CounterRng::new(1), 0).expect("a direction"),
    )
}

fn packet(source_port: u16) -> Parsed {
    let key = FlowKey {
        source: [10, 77, 0, 1],
        destination: [10, 77, 0, 2],
        protocol: 6,
        source_port,
        destination_port: 80,
    };
    Parsed {
        key,
        l3_bytes: 100,
        payload: 60,
        segment: None,
        fragment: None,
        later_fragment: false,
    }
}

fn sent_again(segments: &[(u32, u32)]) -> u64 {
    let (mut state, mut index) = (state(), 0);
    for &(sequence, length) in segments {
        state.arrive(
            &Parsed {
                segment: Some(Segment { sequence, length }),
                ..packet(40000)
            },
            114,
            &mut index,
        );
    }
    state.totals.retransmissions
}

#[test]
fn a_segment_seen_before_is_a_retransmission_and_new_data_is_not() {
    assert_eq!(sent_again(&[(1000, 1), (1001, 100), (1101, 100)]), 0);
    assert_eq!(
        sent_again(&[(1000, 100), (1100, 100), (1000, 100), (1200, 100)]),
        1
    );
    assert_eq!(sent_again(&[(1000, 100), (1000, 200)]), 1);
}

#[test]
fn sequence_numbers_that_wrap_are_not_retransmissions() {
    assert_eq!(
        sent_again(&[(u32::MAX - 49, 100), (50, 100), (u32::MAX - 49, 100)]),
        1
    );
}

#[test]
fn later_fragments_belong_to_the_flow_of_the_first() {
    let (mut state, mut index) = (state(), 0);
    let datagram = FragmentOf {
        source: [10, 77, 0, 1],
        destination: [10, 77, 0, 2],
        id: 9,
        protocol: 17,
    };
    let first = Parsed {
        fragment: Some(datagram),
        ..packet(40000)
    };
    let mut later = Parsed {
        fragment: Some(datagram),
        later_fragment: true,
        ..packet(0)
    };
    later.key.destination_port = 0;
    let id = state.arrive(&first, 114, &mut index);
    assert_eq!(state.arrive(&later, 114, &mut index), id);
    assert_eq!((state.flows.len(), state.flows[0].totals.packets), (1, 2));
}
