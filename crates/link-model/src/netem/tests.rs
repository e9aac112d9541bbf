//! Conversion of netem parameters to link texts.

use super::parse;
use crate::parse_link;

fn link(text: &str) -> String {
    let link = parse(text).expect("netem's").link;
    let no_files = |_: &str| Err(crate::BadLink::new("no files"));
    parse_link(&link, &no_files).expect("a link text");
    link
}

#[test]
fn parameters_of_netem_become_a_link_of_the_same_meaning() {
    assert_eq!(
        link("delay 100ms 10ms 25% loss 1% rate 2mbit limit 1000"),
        "up.loss=1%,up.rate=2000000bit/s,up.delay=100ms,up.jitter=5.773503ms,up.jitter-tick=packet,up.jitter-order=free,up.queue=1000p"
    );
    assert_eq!(
        link("tc qdisc add dev eth0 root handle 1: netem delay 1500 30usec distribution normal"),
        "up.delay=1.5ms,up.jitter=0.03ms,up.jitter-tick=packet,up.jitter-order=free"
    );
    assert_eq!(
        link("corrupt 0.1% duplicate 2 10%"),
        "up.corrupt=0.1%,up.duplicate=2%"
    );
    assert_eq!(link("rate 1mbps -14"), "up.rate=8000000bit/s");
    assert_eq!(link("limit 10 ecn"), "ideal");
}

#[test]
fn chains_of_losses_have_netems_defaults() {
    assert_eq!(
        link("loss gemodel 1% 25%"),
        "up.loss=ge(p=1%,r=25%,bad=100%,good=0%)"
    );
    assert_eq!(
        link("loss gemodel 1 10 70 0.1"),
        "up.loss=ge(p=1%,r=10%,bad=70%,good=0.1%)"
    );
    assert_eq!(
        link("loss state 3%"),
        "up.loss=ge(p=3%,r=97%,bad=100%,good=0%)"
    );
}

#[test]
fn what_a_link_does_otherwise_is_said() {
    let differences = |text: &str| parse(text).expect("netem's").differences;
    assert_eq!(
        differences("delay 10ms 1ms distribution normal loss 1% rate 1mbit -14"),
        [""; 0]
    );
    let all =
        differences("delay 1ms 1ms 10% reorder 25% 50% gap 5 rate 1mbit 20 limit 5 loss 1% 25%");
    let about = |word: &str| all.iter().any(|sentence| sentence.contains(word));
    assert!(
        about("jitter")
            && about("correlation of delay")
            && about("reorder")
            && about("rate:")
            && about("limit")
            && about("correlation of loss"),
        "{all:?}"
    );
}

#[test]
fn what_netem_does_not_say_is_refused() {
    for (text, why) in [
        ("", "are empty"),
        ("delay", "delay has no value"),
        ("delay -5ms", "'-5ms' is not a number"),
        ("delay 5parsec", "'5parsec' has an unknown unit"),
        ("loss 101%", "'101%' is out of range"),
        ("loss state 1 2 3", "more than 2 parameters"),
        ("rate 0", "rate is 0"),
        ("loss 1% loss gemodel 1%", "loss is given twice"),
        ("rate nan", "'nan' is not a number"),
        ("limit 0", "not a whole number of packets"),
        ("slot 1ms", "option 'slot' is not supported"),
        (
            "tc qdisc add dev eth0 root netem slot 800us 10ms",
            "option 'slot' is not supported",
        ),
        ("delay 1ms distribution x.dist", "not one of uniform"),
        ("dealy 1ms", "option 'dealy' is not supported"),
    ] {
        let said = parse(text).unwrap_err().to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}

const LISTED: &str = "qdisc netem 800b: parent 1:5 limit 1000 delay 10.0ms  15.0ms 1% loss 10% 6.3% reorder 6% 0.6% corrupt 3.4% gap 1";

#[test]
fn a_listing_of_tc_is_read_with_its_handles_and_labels() {
    assert_eq!(
        link(LISTED),
        "up.loss=10%,up.corrupt=3.4%,up.delay=10ms,up.jitter=8.660254ms,up.jitter-tick=packet,up.jitter-order=free"
    );
    let differences = parse(LISTED).expect("netem's").differences.join("\n");
    for what in [
        "parent 1:5 is not given",
        "correlation of loss",
        "correlation of delay",
        "reorder",
        "gap 1",
        "jitter is above the delay",
        "100000 packets/s",
    ] {
        assert!(differences.contains(what), "{what} in {differences}");
    }
    assert_eq!(
        link(
            "qdisc netem 8001: dev eth0 root refcnt 2 limit 1000 delay 100ms  10ms 25% loss gemodel p 1% r 10% 1-h 70% 1-k 0.1% rate 1Mbit seed 12345"
        ),
        "up.loss=ge(p=1%,r=10%,bad=70%,good=0.1%),up.rate=1000000bit/s,up.delay=100ms,up.jitter=5.773503ms,up.jitter-tick=packet,up.jitter-order=free,up.queue=1000p"
    );
    assert_eq!(
        link("qdisc netem 1: root limit 10 loss state p13 2% p31 50% p32 0% p23 100% p14 0%"),
        "up.loss=ge(p=2%,r=50%,bad=100%,good=0%)"
    );
    let all = "qdisc noqueue 0: dev lo root refcnt 2 \nqdisc netem 1: dev eth0 root refcnt 2 limit 1000 delay 5ms\n Sent 0 bytes 0 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n";
    let read = parse(all).expect("tc's");
    assert_eq!(read.link, "up.delay=5ms");
    assert_eq!(read.differences.len(), 2, "{:?}", read.differences);
    assert!(read.differences[0].starts_with("lo: noqueue without a rate"));
    assert_eq!(link("tc qdisc del dev eth0 root"), "ideal");
}

#[test]
fn a_shaper_and_its_netem_are_one_link() {
    let tbf = "tc qdisc add dev eth0 root handle 1: tbf rate 1mbit burst 32kbit latency 400ms\ntc qdisc add dev eth0 parent 1:1 handle 10: netem delay 50ms loss 5%\n";
    let read = parse(tbf).expect("tc's");
    assert_eq!(read.link, "up.loss=5%,up.delay=50ms,up.rate=1000000bit/s");
    let differences = read.differences.join("\n");
    for what in ["burst 32kbit", "queue 400ms is dropped"] {
        assert!(differences.contains(what), "{what} in {differences}");
    }
    assert_eq!(
        link(
            "sudo tc qdisc add dev eth0 root handle 1:0 netem delay 10ms && sudo tc qdisc add dev eth0 parent 1:1 handle 10: tbf rate 256kbit buffer 1600 limit 3000"
        ),
        "up.delay=10ms,up.rate=256000bit/s"
    );
    assert_eq!(
        link("tc qdisc add dev eth0 root tbf rate 2mbit burst 10kb latency 50ms"),
        "up.rate=2000000bit/s,up.queue=50ms"
    );
    assert_eq!(
        link(
            "tc qdisc add dev eth0 root handle 1: tbf rate 2mbit burst 10kb limit 20k; tc qdisc add dev eth0 parent 1: pfifo limit 5"
        ),
        "up.rate=2000000bit/s,up.queue=5p"
    );
}

#[test]
fn classes_are_followed_to_the_netem_below_them() {
    let script = "#!/bin/sh\nmodprobe ifb\n# shape\ntc qdisc del dev eth0 root 2>/dev/null\ntc qdisc add dev eth0 root handle 1: htb default 12\ntc class add dev eth0 parent 1: classid 1:1 htb rate 10mbit\ntc class add dev eth0 parent 1:1 classid 1:12 htb rate 1mbit ceil 2mbit \\\n  burst 15k\ntc class add dev eth0 parent 1:1 classid 1:20 htb rate 5mbit\ntc qdisc add dev eth0 parent 1:12 handle 120: netem delay 30ms limit 50\n";
    let read = parse(script).expect("tc's");
    assert_eq!(read.link, "up.delay=30ms,up.rate=2000000bit/s,up.queue=50p");
    let differences = read.differences.join("\n");
    for what in [
        "not read: 'modprobe ifb'",
        "its ceil counts",
        "dropped are burst 15k",
        "htb class 1:20 is dropped",
        "the lowest of 2",
    ] {
        assert!(differences.contains(what), "{what} in {differences}");
    }
    let default = "tc qdisc add dev eth0 root handle 1: htb default 30\ntc class add dev eth0 parent 1: classid 1:10 htb rate 5mbit\ntc class add dev eth0 parent 1: classid 1:30 htb rate 3mbit\n";
    assert_eq!(link(default), "up.rate=3000000bit/s");
}

#[test]
fn what_comes_in_through_ifb_is_down() {
    let script = "ip link add ifb0 type ifb\nip link set dev ifb0 up\ntc qdisc add dev eth0 ingress\ntc filter add dev eth0 parent ffff: protocol ip u32 match u32 0 0 flowid 1:1 action mirred egress redirect dev ifb0\ntc qdisc add dev ifb0 root netem delay 20ms\ntc qdisc add dev eth0 root netem delay 40ms\n";
    let read = parse(script).expect("tc's");
    assert_eq!(read.link, "up.delay=40ms,down.delay=20ms");
    assert!(
        read.differences
            .iter()
            .any(|sentence| sentence.contains("count as down"))
    );
}

#[test]
fn bytes_per_second_and_the_default_limit_are_named() {
    let differences = |text: &str| parse(text).expect("netem's").differences.join("\n");
    let bytes = "tc qdisc add dev eth0 root netem delay 20ms loss 1% rate 10Mbps";
    assert_eq!(
        link(bytes),
        "up.loss=1%,up.rate=80000000bit/s,up.delay=20ms"
    );
    assert!(differences(bytes).contains("10Mbps is 80000000 bit/s: bps of tc is bytes per second"));
    let limit = differences("tc qdisc add dev lo root netem delay 1000ms 0ms");
    assert!(
        limit.contains(
            "netem holds 1000 packets unless it has a limit, and drops above 1000 packets/s"
        ),
        "{limit}"
    );
}

#[test]
fn what_would_change_the_link_is_refused() {
    for (text, why) in [
        (
            "tc qdisc add dev eth0 root cake bandwidth 10mbit",
            "qdisc 'cake' is not supported",
        ),
        (
            "tc qdisc add dev eth0 root netem delay ${DELAY}ms",
            "shell variable '$DELAY'",
        ),
        (
            "tc qdisc add dev eth0 root netem delay 1ms\ntc qdisc add dev eth1 root netem delay 2ms",
            "devices eth0 and eth1",
        ),
        (
            "tc qdisc add dev a root handle 1: prio\ntc qdisc add dev a parent 1:1 handle 10: netem delay 1ms\ntc qdisc add dev a parent 1:2 handle 20: netem delay 2ms",
            "2 netem of one device",
        ),
        (
            "tc filter add dev eth0 parent ffff: u32 match u32 0 0 police rate 1mbit burst 10k drop",
            "without a queue",
        ),
        ("tc qdisc show dev eth0", "tc's commands set nothing"),
        (
            "tc qdisc add dev eth0 root tbf burst 10k",
            "tbf has no rate",
        ),
        ("tc qdisc add dev eth0 root", "has no queueing discipline"),
        (
            "tc qdisc add dev eth0 root tbf rate 1mbit colour red",
            "tbf option 'colour'",
        ),
    ] {
        let said = parse(text).unwrap_err().to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}

#[test]
fn prompts_redirections_and_namespaces_are_those_of_a_shell() {
    assert_eq!(
        link("# tc qdisc add dev eth0 root netem delay 100ms\n"),
        "up.delay=100ms"
    );
    assert_eq!(
        link("root@host:~# tc qdisc add dev eth0 root netem delay 100ms 2>/dev/null || true"),
        "up.delay=100ms"
    );
    assert_eq!(
        link(
            "#tc qdisc add dev eth0 root netem loss 9%\ntc qdisc add dev eth0 root netem delay 1ms # slow"
        ),
        "up.delay=1ms"
    );
    assert_eq!(
        link("docker exec c1 /sbin/tc -s qdisc add dev eth0 root netem delay 1ms"),
        "up.delay=1ms"
    );
    let two = "ip netns exec a tc qdisc add dev veth0 root netem delay 1ms\ntc -n b qdisc add dev veth0 root netem delay 2ms\n";
    assert!(
        parse(two)
            .unwrap_err()
            .to_string()
            .contains("devices veth0 of a and veth0 of b")
    );
}

#[test]
fn a_command_in_place_of_another_is_named() {
    let read = parse("tc qdisc add dev a root netem loss 2% delay 20ms\ntc qdisc change dev a root netem delay 1ms\n")
        .expect("tc's");
    assert_eq!(read.link, "up.delay=1ms");
    assert!(
        read.differences
            .contains(&"a later command counts in place of 'netem loss 2% delay 20ms'".to_string())
    );
}

#[test]
fn the_clean_up_at_the_end_of_a_script_removes_nothing() {
    let script = "tc qdisc del dev lo root\ntc qdisc add dev lo root netem rate 100mbit loss 5%\nread a\ntc qdisc del dev lo root\ntc qdisc show\n";
    let read = parse(script).expect("tc's");
    assert_eq!(read.link, "up.rate=100000000bit/s,up.loss=5%");
    let note = "'dev lo root' is the clean-up at the end: what it removes counts".to_string();
    assert!(read.differences.contains(&note), "{:?}", read.differences);
    let again = format!("{script}tc qdisc add dev lo root netem delay 7ms\n");
    let read = parse(&again).expect("tc's");
    assert_eq!(read.link, "up.delay=7ms");
    let note = "what was set for lo before 'dev lo root' counts no more".to_string();
    assert!(read.differences.contains(&note), "{:?}", read.differences);
    assert_eq!(link("tc qdisc del dev lo root"), "ideal");
}

#[test]
fn a_session_in_a_terminal_has_its_commands_and_what_they_print() {
    let session = "$ docker exec --privileged -u root node-3 \\\n    tc qdisc add dev eth0 root netem delay 200ms 40ms distribution normal\n$ docker exec node-3 tc qdisc show dev eth0\nqdisc netem 8001: root refcnt 2 limit 1000 delay 200ms  40ms\n$ docker exec node-3 tc qdisc del dev eth0 root\n";
    let read = parse(session).expect("tc's");
    assert_eq!(
        read.link,
        "up.delay=200ms,up.jitter=40ms,up.jitter-tick=packet,up.jitter-order=free"
    );
    assert!(
        read.differences
            .iter()
            .any(|note| note.starts_with("passed over is what tc printed"))
    );
    assert_eq!(
        link("$ tc qdisc show dev eth0\nqdisc netem 8001: root refcnt 2 limit 1000 delay 3.0s\n"),
        "up.delay=3000ms"
    );
}

#[test]
fn commands_in_quotes_and_parameters_alone_are_tcs() {
    let quoted = "docker exec -it a bash -c \"tc qdisc add dev lo root netem rate 10mbit\"\n";
    assert_eq!(link(quoted), "up.rate=10000000bit/s");
    for text in [quoted, "delay 100ms 10ms loss 1%\n", "netem delay 1ms"] {
        assert!(super::has_tc_commands(text), "{text}");
    }
    for text in [
        "5\n",
        "0 1\n",
        "delay loss\n1 2\n",
        "delay 100ms\ndelay 100ms\n",
    ] {
        assert!(!super::has_tc_commands(text), "{text}");
    }
}

#[test]
fn a_default_class_that_is_missing_is_named() {
    let read = parse("tc qdisc add dev a root handle 1: htb default 12\ntc class add dev a parent 1: classid 1:1 htb rate 100mbit\n")
        .expect("tc's");
    assert_eq!(read.link, "up.rate=100000000bit/s");
    assert!(
        read.differences
            .iter()
            .any(|note| note.starts_with("htb's default class 1:12 is not given"))
    );
}

#[test]
fn a_distribution_that_no_link_has_is_named() {
    let read = parse("delay 35ms 15ms distribution pareto").expect("netem's");
    assert!(
        read.differences
            .iter()
            .any(|note| note.starts_with("distribution pareto is dropped"))
    );
}

#[test]
fn a_listing_with_classes_is_followed_and_one_without_them_says_so() {
    let disciplines = "qdisc htb 1: dev eth0 root refcnt 2 r2q 10 default 0x12 direct_packets_stat 0 direct_qlen 1000\nqdisc netem 120: dev eth0 parent 1:12 limit 1000 delay 30ms\n";
    let read = parse(disciplines).expect("tc's");
    assert_eq!(read.link, "up.delay=30ms");
    assert!(
        read.differences
            .iter()
            .any(|sentence| sentence.starts_with("htb: its classes are not given"))
    );
    // `tc class show` prints no device where one is asked for.
    let classes = disciplines.replace("dev eth0 ", "")
        + "class htb 1:12 parent 1:1 leaf 120: prio 0 rate 1Mbit ceil 2Mbit burst 15Kb cburst 1600b\nclass htb 1:1 root rate 8Mbit ceil 8Mbit burst 1600b cburst 1600b\nclass netem 120:1 parent 120:\n";
    assert_eq!(
        link(&classes),
        "up.delay=30ms,up.rate=2000000bit/s,up.queue=1000p"
    );
    let below = "tc qdisc add dev a root handle 1: netem delay 1ms\ntc qdisc add dev a parent 1:1 handle 2: htb\ntc class add dev a parent 2: classid 2:1 htb rate 1mbit\ntc class add dev a parent 2: classid 2:2 htb rate 2mbit";
    assert!(
        parse(below)
            .unwrap_err()
            .to_string()
            .contains("tc has 2 ways")
    );
}

#[test]
fn variables_have_the_values_that_the_script_says() {
    let script = "IF=lo\nDEFAULT=\"50ms\"\nDELAY=\"${1:-$DEFAULT}\"\nexport LOSS=3\ntc qdisc add dev \"$IF\" root netem delay \"$DELAY\" \"${JITTER:-5ms}\" \\\n  loss ${LOSS}%";
    let read = parse(script).expect("tc's");
    assert_eq!(
        read.link,
        "up.loss=3%,up.delay=50ms,up.jitter=2.886751ms,up.jitter-tick=packet,up.jitter-order=free"
    );
    for note in [
        "$DELAY is 50ms",
        "$JITTER is 5ms",
        "$LOSS is 3",
        "$IF is lo",
    ] {
        let said = format!("{note}, as the script says");
        assert!(read.differences.contains(&said), "{:?}", read.differences);
    }
    assert_eq!(
        link(": \"${DELAY:=7ms}\"\ntc qdisc add dev $1 root netem delay $DELAY"),
        "up.delay=7ms"
    );
}

#[test]
fn variables_without_one_value_are_refused() {
    let refusal = |text: &str| parse(text).unwrap_err().to_string();
    assert_eq!(
        refusal("tc qdisc add dev $IF root netem delay 10ms loss ${LOSS}%"),
        "tc command has the shell variable '$LOSS'; put its value"
    );
    assert_eq!(
        refusal("D=1ms\nif slow; then\nD=9ms\nfi\ntc qdisc add dev a root netem delay $D"),
        "the script gives $D several values, 1ms and 9ms; put the one that is meant in its place"
    );
    assert_eq!(
        refusal("LIMIT=\"${3}\"\ntc qdisc add dev a root netem rate \"$LIMIT\"kbps"),
        "tc command has the shell variable '$LIMIT'; put its value"
    );
    for hostile in [
        "tc qdisc add dev a root netem delay ${",
        "A=$A$A\ntc qdisc add dev a root netem delay $A",
        "tc $",
        "tc ${}",
    ] {
        assert!(parse(hostile).is_err(), "{hostile}");
    }
    let nested = format!(
        "tc qdisc add dev a root netem delay {}",
        "${A:-".repeat(10_000)
    );
    assert!(parse(&nested).is_err());
}
