//! Any input is either accepted or rejected with a message; none panics.

use proptest::prelude::*;
use wirelab_link_model::{BadLink, netem, parse_link, trace};

const MAGICS: [[u8; 4]; 5] = [
    [0xd4, 0xc3, 0xb2, 0xa1],
    [0xa1, 0xb2, 0xc3, 0xd4],
    [0x4d, 0x3c, 0xb2, 0xa1],
    [0xa1, 0xb2, 0x3c, 0x4d],
    [0x0a, 0x0d, 0x0d, 0x0a],
];

/// Words that occur in captures, and others.
fn words() -> impl Strategy<Value = Vec<u32>> {
    let word = prop_oneof![
        Just(1u32),
        Just(2u32),
        Just(3u32),
        Just(6u32),
        Just(127u32),
        Just(0x1A2B_3C4D),
        Just(0x0A0D_0D0A),
        Just(u32::MAX),
        (0u32..80).prop_map(|n| n * 4),
        any::<u32>(),
    ];
    proptest::collection::vec(word, 0..60)
}

proptest! {
    #[test]
    fn any_bytes_as_a_capture_are_a_trace_or_a_sentence(magic in 0usize..5, words in words(), big in any::<bool>()) {
        let mut file = MAGICS[magic].to_vec();
        for word in words {
            file.extend(if big { word.to_be_bytes() } else { word.to_le_bytes() });
        }
        if let Ok(read) = trace::parse(&file) {
            prop_assert!(read.trace.mean_bps() > 0.0);
        }
        let choices = trace::Choices { column: Some("x".into()), ..trace::Choices::default() };
        let _ = trace::parse_with(&file, &choices, &trace::Cleaning::default());
    }

    #[test]
    fn any_frame_of_any_link_type_is_a_trace_or_a_sentence(link in 0u32..300, frame in proptest::collection::vec(any::<u8>(), 0..80)) {
        let mut file = Vec::new();
        for word in [0xa1b2_c3d4, 0x0004_0002, 0, 0, 96, link, 0, 0, frame.len() as u32, 100] {
            file.extend(u32::to_le_bytes(word));
        }
        file.extend(&frame);
        if let Ok(read) = trace::parse(&file) {
            prop_assert!(read.trace.mean_bps() > 0.0);
        }
    }

    #[test]
    fn any_json_like_that_of_tools_is_a_trace_or_a_sentence(
        key in prop_oneof![Just("intervals"), Just("round_trips"), Just("RepeatedBwPatternConfig"), Just("TraceBwConfig"), Just("SawtoothBwConfig"), Just("event")],
        body in "(\\{|\\}|\\[|\\]|,|:|\"(sum|start|end|bits_per_second|lost|delay|rtt|pattern|bw|duration|count|step|interval|top|bottom)\":|\"(1s|12Mbps|true)\"|-?[0-9]{1,12}|null){0,20}"
    ) {
        for text in [format!("{{\"{key}\":{body}}}"), format!("{{\"{key}\":[{{{body}}}]}}")] {
            let _ = trace::parse(text.as_bytes());
            let _ = trace::settings(text.as_bytes());
        }
    }

    #[test]
    fn any_table_is_a_trace_or_a_sentence(
        text in "((time|Date|rate_mbps|bytes|MBps|2024-05-06|10:00:01|20240506100000|0.0-1.0|[0-9]{1,14}|\\[ 5\\] 0-1 sec 1 Mbit/s|icmp_seq=1| time=|.{0,3})(,|;| |\t|\n)){0,40}"
    ) {
        let _ = trace::parse(text.as_bytes());
        let _ = trace::settings(text.as_bytes());
        for column in ["2", "bytes"] {
            let unit = trace::Unit::parse("bytes").ok();
            let choices = trace::Choices { column: Some(column.into()), unit, step: Some(1.0), ..trace::Choices::default() };
            let _ = trace::parse_with(text.as_bytes(), &choices, &trace::Cleaning::default());
        }
    }

    #[test]
    fn any_commands_of_tc_are_a_link_or_a_sentence(
        text in "((tc|qdisc|class|filter|add|del|show|dev|eth0|ifb0|root|parent|handle|classid|1:|1:1|10:|netem|tbf|htb|rate|1mbit|delay|5ms|limit|9|latency|prio|ingress|\n|;|\\\\|.{0,2}) ){0,30}"
    ) {
        let none = |name: &str| Err(BadLink::new(format!("no file {name}")));
        if let Ok(found) = netem::parse(&text) {
            parse_link(&found.link, &none).expect("a link text");
        }
    }

    #[test]
    fn any_text_as_parameters_of_netem_is_a_link_or_a_sentence(
        text in "((delay|loss|rate|limit|corrupt|duplicate|reorder|gap|gemodel|state|random|distribution|normal|netem|seed|-?[0-9.]{1,6}(ms|us|mbit|bps|%)?|.{0,3}) ){0,12}"
    ) {
        let none = |name: &str| Err(BadLink::new(format!("no file {name}")));
        if let Ok(found) = netem::parse(&text) {
            let link = parse_link(&found.link, &none).expect("a link text");
            let _ = netem::plan(&link.up, "eth0");
        }
    }
}
