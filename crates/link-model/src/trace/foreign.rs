//! Outputs and commands of tools that are no recordings: what they are, and what to give instead.

use super::lines::content_lines;

const SHOW: &str = "give what `tc qdisc show` and `tc class show` print while it is in force";
const SHOW_PLAIN: &str = "give what `tc qdisc show` and `tc class show` print without -j";
const COUNTERS: &str = "give a CSV of times and bytes, such as `sadf -d FILE -- -n DEV` prints, with the rows of one interface";
const DELAYS: &str = "give what `ping` or `mtr --report` prints for a delay and a loss";
const ONE_RATE: &str = "it is one test: write its rate in a link text, as rate=94Mbit/s";
const CAPTURE: &str = "give the packets themselves, as `tcpdump -w FILE` writes them";

/// A tool by what its text begins with, or by words that all are in it, and what to give instead.
type Tool = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

const TOOLS: &[Tool] = &[
    ("a command of comcast", "comcast ", &[], SHOW),
    ("a command of tcset", "tcset ", &[], SHOW),
    ("a command of wondershaper", "wondershaper ", &[], SHOW),
    ("a command of pumba", "pumba ", &[], SHOW),
    (
        "a command of dummynet",
        "ipfw ",
        &[],
        "write it as a link text, as rate=300kbit/s,delay=200ms,loss=5%",
    ),
    (
        "a command of dummynet",
        "dnctl ",
        &[],
        "write it as a link text, as rate=300kbit/s,delay=200ms,loss=5%",
    ),
    (
        "what `tc -j` prints",
        "[",
        &["\"kind\"", "\"handle\"", "\"options\""],
        SHOW_PLAIN,
    ),
    (
        "data of flent",
        "{",
        &["\"metadata\"", "\"DATA_FILENAME\"", "\"BATCH_"],
        "write it by `flent -f csv -o FILE`, and give --column and --unit Mbit/s",
    ),
    (
        "what ifconfig prints",
        "",
        &["RX packets", "TX packets", "inet"],
        COUNTERS,
    ),
    (
        "what ifconfig prints",
        "",
        &["flags=", " mtu ", "ether "],
        COUNTERS,
    ),
    (
        "what ifconfig prints",
        "",
        &["flags=", " mtu ", "inet "],
        COUNTERS,
    ),
    (
        "what `ip -s link` prints",
        "",
        &["RX:", "bytes", "link/"],
        COUNTERS,
    ),
    ("/proc/net/dev", "Inter-|", &[], COUNTERS),
    (
        "what `netstat -i` prints",
        "Kernel Interface table",
        &[],
        COUNTERS,
    ),
    (
        "what `netstat -i` prints",
        "Name ",
        &["Mtu", "Ipkts", "Opkts"],
        COUNTERS,
    ),
    ("what sar prints", "Linux ", &["IFACE", "rxkB/s"], COUNTERS),
    (
        "what iwconfig prints",
        "",
        &["IEEE 802.11", "ESSID:"],
        "its bit rate is what the radio may send; give a recording of what arrived",
    ),
    ("what traceroute prints", "traceroute", &[], DELAYS),
    ("what tracepath prints", "", &["pmtu ", "Resume:"], DELAYS),
    ("what fping prints", "", &["xmt/rcv/%loss"], DELAYS),
    ("what netperf prints", "", &["10^6bits/s", "TEST"], ONE_RATE),
    (
        "what tcpdump prints",
        "",
        &[" IP ", " > ", "Flags [", "length "],
        CAPTURE,
    ),
    (
        "what `tshark -z io,stat` prints",
        "===",
        &["IO Statistics"],
        CAPTURE,
    ),
    (
        "Wireshark's list of packets",
        "\"No.\"",
        &["\"Source\"", "\"Protocol\"", "\"Length\""],
        CAPTURE,
    ),
];
/// The part of a text in which its words are looked up.
const LOOKED_AT: usize = 1 << 16;

/// What a text is, and what to give instead. None for one of no known tool.
pub(super) fn find(text: &str) -> Option<String> {
    let (_, first) = content_lines(text).next()?;
    let first = first.trim_start_matches("$ ").trim_start_matches("sudo ");
    let end = (0..=LOOKED_AT.min(text.len()))
        .rev()
        .find(|&at| text.is_char_boundary(at));
    let part = &text[..end.unwrap_or_default()];
    let (what, _, _, instead) = TOOLS.iter().find(|(_, start, words, _)| {
        first.starts_with(start) && words.iter().all(|word| part.contains(word))
    })?;
    Some(format!("it is {what}, which is not read; {instead}"))
}

#[cfg(test)]
mod tests {
    use crate::trace::parse;

    #[test]
    fn what_tools_print_is_refused_by_its_name_with_what_to_give_instead() {
        for (text, why) in [
            (
                "sudo comcast --device=eth0 --latency=250\n",
                "it is a command of comcast, which is not read; give what `tc qdisc show`",
            ),
            (
                "$ sudo ipfw pipe 1 config bw 300Kbit/s delay 200ms plr 0.05\n",
                "a command of dummynet, which is not read; write it as a link text",
            ),
            (
                r#"[{"kind":"netem","handle":"110:","parent":"1:10","options":{"limit":2000,"delay":{"delay":0.04}}}]"#,
                "what `tc -j` prints, which is not read; give what `tc qdisc show` and `tc class show` print without -j",
            ),
            (
                "{\"metadata\":{\"BATCH_NAME\":\"rrul\",\"DATA_FILENAME\":\"x.flent.gz\"}}",
                "data of flent",
            ),
            (
                "eth0: flags=4163<UP>  mtu 1500\n        inet 10.0.0.1\n        RX packets 5  bytes 50\n        TX packets 4  bytes 40\n",
                "what ifconfig prints, which is not read; give a CSV of times and bytes",
            ),
            (
                "Inter-|   Receive  |  Transmit\n face |bytes packets|bytes packets\n eth0: 9 1 8 2\n",
                "/proc/net/dev",
            ),
            (
                "Linux 5.4.0 (host) \t12/05/21 \t_x86_64_\t(8 CPU)\n\n10:00:01 AM  IFACE  rxpck/s  rxkB/s\n10:00:02 AM  eth0  812.00  1100.21\n",
                "what sar prints",
            ),
            (
                "traceroute to 8.8.8.8 (8.8.8.8), 30 hops max\n 1  10.0.0.1  1.2 ms\n",
                "what traceroute prints, which is not read; give what `ping`",
            ),
            (
                "10:00:00.000100 IP 10.0.0.1.5001 > 10.0.0.2.4321: Flags [.], ack 1, length 1448\n",
                "what tcpdump prints",
            ),
            (
                "\n=====\n| IO Statistics |\n| Interval | Frames | Bytes |\n",
                "what `tshark -z io,stat` prints",
            ),
        ] {
            let said = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(said.contains(why), "{text}: {said}");
        }
    }
}
