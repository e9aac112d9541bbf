//! Where packets start, per link type.

use super::link_layer::{LinkLayer, Payload, sender, stated_length};

fn at(number: u16, header: &[u8]) -> Option<Payload> {
    let packet = [header, &[0x45, 0, 0, 40]].concat();
    LinkLayer::of(number).expect("supported").payload(&packet)
}

#[test]
fn a_packet_begins_behind_the_headers_of_its_link_type() {
    let addresses = [0; 12];
    let ethernet = |more: &[u8]| [&addresses[..], more].concat();
    let cooked = |protocol: &[u8]| [&[0; 14][..], protocol].concat();
    for (number, header) in [
        (1, ethernet(&[8, 0])),
        (1, ethernet(&[0x81, 0, 0, 5, 8, 0])),
        (1, ethernet(&[0x88, 0xa8, 0, 5, 0x81, 0, 0, 6, 8, 0])),
        (1, ethernet(&[0x88, 0x64, 0x11, 0, 0, 1, 0, 42, 0, 0x21])),
        (1, ethernet(&[0x88, 0x47, 0, 1, 0, 64, 0, 2, 1, 64])),
        (1, ethernet(&[0, 48, 0xaa, 0xaa, 3, 0, 0, 0, 8, 0])),
        (101, vec![]),
        (12, vec![]),
        (0, vec![2, 0, 0, 0]),
        (108, vec![0, 0, 0, 2]),
        (9, vec![0, 0x21]),
        (9, vec![0xff, 3, 0, 0x21]),
        (50, vec![0xff, 3, 0x21]),
        (51, vec![0x11, 0, 0, 1, 0, 42, 0, 0x21]),
        (104, vec![15, 0, 8, 0]),
        (113, cooked(&[8, 0])),
        (276, [&[8, 0][..], &[0; 18]].concat()),
    ] {
        assert_eq!(
            at(number, &header),
            Some(Payload::At(header.len())),
            "{number} {header:x?}"
        );
    }
}

#[test]
fn multiplexed_frames_of_a_modem_carry_no_packets_of_their_own() {
    assert_eq!(
        at(113, &[&[0; 14][..], &[0, 0xf9]].concat()),
        Some(Payload::Nothing)
    );
    assert_eq!(
        at(276, &[&[0, 0xf9][..], &[0; 18]].concat()),
        Some(Payload::Nothing)
    );
}

#[test]
fn of_802_11_only_data_frames_carry_packets() {
    let frame = |control: u8, flags: u8, length: usize| {
        let mut frame = vec![0; length];
        (frame[0], frame[1]) = (control, flags);
        [&frame[..], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 0]].concat()
    };
    assert_eq!(at(105, &frame(0x08, 1, 24)), Some(Payload::At(32)));
    assert_eq!(at(105, &frame(0x88, 3, 32)), Some(Payload::At(40)));
    assert_eq!(
        at(105, &frame(0x88, 0x41, 26)),
        Some(Payload::Encrypted(50))
    );
    for control in [0x80, 0xd4, 0x48] {
        assert_eq!(at(105, &frame(control, 0, 24)), Some(Payload::Nothing));
    }
    let radiotap = [
        &[0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0][..],
        &frame(0x08, 1, 24),
    ]
    .concat();
    assert_eq!(at(127, &radiotap), Some(Payload::At(44)));
}

#[test]
fn what_carries_no_packets_is_refused_with_its_name() {
    let said = |number| LinkLayer::of(number).unwrap_err().to_string();
    assert_eq!(
        said(189),
        "capture has link type 189, USB transfers, not IP packets; capture on the network interface"
    );
    assert!(said(147).contains("link type 147; supported are Ethernet"));
}

#[test]
fn lengths_and_senders_are_those_of_the_ip_header() {
    let four = [0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 7];
    assert_eq!(
        (stated_length(&four), sender(&four).as_deref()),
        (Some(40), Some("10.0.0.7"))
    );
    let mut six = [0u8; 40];
    (six[0], six[5], six[23]) = (0x60, 8, 9);
    assert_eq!(
        (stated_length(&six), sender(&six).as_deref()),
        (Some(48), Some("::9"))
    );
    assert_eq!(stated_length(&[0x45, 0, 0, 0]), None);
    assert_eq!(stated_length(&[0x60, 0, 0, 0, 0, 0]), None);
}
