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
        ("delay 1ms distribution x.dist", "not one of uniform"),
        ("dealy 1ms", "option 'dealy' is not supported"),
    ] {
        let said = parse(text).unwrap_err().to_string();
        assert!(said.contains(why), "{text}: {said}");
    }
}
