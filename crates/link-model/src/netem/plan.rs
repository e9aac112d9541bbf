//! Conversion of a link to the commands that configure netem as similarly as possible.

use super::ETHERNET_HEADER;
use super::units::{format_ms, format_number};
use crate::discipline::Discipline;
use crate::queue::QueueLimit;
use crate::spec::{DirectionSpec, ETHERNET_MTU, RateSpec};

/// netem's packet limit where nothing should be dropped.
const PLENTY: u64 = 1_000_000;

/// Commands for one direction, and what they cannot express.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// To be run as root in this order.
    pub commands: Vec<String>,
    /// One sentence per missing feature.
    pub unsupported: Vec<String>,
}

/// The arguments of netem that impairments add.
#[derive(Debug, Default)]
pub struct NetemArguments {
    /// What follows the mean delay.
    delay: String,
    others: String,
    unsupported: Vec<String>,
}

impl NetemArguments {
    /// Add an argument.
    pub fn add(&mut self, argument: &str) {
        self.others += &format!(" {argument}");
    }

    /// Add an argument with a probability.
    pub fn add_share(&mut self, argument: &str, share: f64) {
        self.add(&format!("{argument} {}", format_percent(share)));
    }

    /// Add what follows the mean delay.
    pub fn vary_delay(&mut self, variation: &str) {
        self.delay += &format!(" {variation}");
    }

    /// Add a sentence on what netem lacks.
    pub fn lack(&mut self, sentence: &str) {
        self.unsupported.push(sentence.into());
    }
}

/// The commands for packets that leave through `device`.
pub fn plan(direction: &DirectionSpec, device: &str) -> Plan {
    let mut unsupported = Vec::new();
    let mut netem = format!(
        "tc qdisc replace dev {device} root netem limit {}",
        plan_limit(direction, &mut unsupported)
    );
    let mut arguments = NetemArguments::default();
    for (_, impairment) in direction.impairments.each() {
        impairment.plan_netem(&mut arguments);
    }
    if direction.delay_ns > 0 || !arguments.delay.is_empty() {
        netem += &format!(
            " delay {}{}",
            format_ms(direction.delay_ns as f64),
            arguments.delay
        );
    }
    netem += &arguments.others;
    unsupported.append(&mut arguments.unsupported);
    netem += &plan_rate(&direction.rate, &mut unsupported);
    let mut commands = vec![netem];
    if direction.mtu < ETHERNET_MTU {
        commands.push(format!("ip link set dev {device} mtu {}", direction.mtu));
        unsupported
            .push("mtu: the sender makes shorter packets; none is dropped on the link".into());
    }
    Plan {
        commands,
        unsupported,
    }
}

/// A probability as netem takes it.
pub(crate) fn format_percent(share: f64) -> String {
    format!("{}%", format_number(share * 100.0))
}

/// netem's limit in packets. It counts both queued packets and packets in flight.
fn plan_limit(direction: &DirectionSpec, unsupported: &mut Vec<String>) -> u64 {
    let Some(bps) = direction.rate.mean_bps() else {
        return PLENTY;
    };
    let full = |ns: u64| (bps * ns as f64 / 1e9 / 8.0 / f64::from(ETHERNET_MTU)).ceil() as u64;
    let waiting = match direction.queue {
        QueueLimit::Unlimited => return PLENTY,
        QueueLimit::Packets(packets) => packets,
        QueueLimit::Bytes(bytes) => bytes / u64::from(ETHERNET_MTU),
        QueueLimit::Delay(ns) => full(ns),
    };
    if !matches!(direction.queue, QueueLimit::Packets(_)) {
        unsupported
            .push("queue: netem's limit is in packets; full packets of 1500 B are assumed".into());
    }
    if direction.delay_ns > 0 {
        unsupported.push("queue: netem's limit includes packets in flight, so it is raised by as many full packets as fit into the delay".into());
    }
    if direction.discipline != Discipline::DropTail {
        unsupported.push("queue: netem's own queue drops at its tail (droptail)".into());
    }
    (waiting + full(direction.delay_ns)).clamp(1, PLENTY)
}

fn plan_rate(rate: &RateSpec, unsupported: &mut Vec<String>) -> String {
    let bps = match rate {
        RateSpec::Unlimited => return String::new(),
        RateSpec::Constant(bps) => *bps,
        RateSpec::Trace { .. } | RateSpec::Generated(_) => {
            unsupported.push(
                "rate: netem has one rate, so the mean over time is used, without outages".into(),
            );
            rate.mean_bps()
                .map_or(1, |mean| mean.round().max(1.0) as u64)
        }
    };
    format!(" rate {bps}bit -{ETHERNET_HEADER}")
}

#[cfg(test)]
mod tests {
    use super::plan;
    use crate::netem::parse;
    use crate::{BadLink, LinkSpec, parse_link};

    fn link(text: &str) -> LinkSpec {
        let no_files = |_: &str| Err(BadLink::new("no files"));
        parse_link(text, &no_files).expect("a link")
    }

    #[test]
    fn a_link_becomes_the_command_that_comes_nearest() {
        let made = plan(&link("rate=2Mbit/s,rtt=60ms,loss=5%,queue=30p").up, "eth0");
        // 2 Mbit/s for 30 ms is five full packets.
        assert_eq!(
            made.commands,
            [
                "tc qdisc replace dev eth0 root netem limit 35 delay 30ms loss random 5% rate 2000000bit -14"
            ]
        );
        let made = plan(
            &link("delay=5ms,jitter=1ms,loss=ge(p=1%,r=25%),mtu=576,duplicate=1%").up,
            "eth0",
        );
        assert_eq!(
            made.commands,
            [
                "tc qdisc replace dev eth0 root netem limit 1000000 delay 5ms 1ms distribution normal duplicate 1% loss gemodel 1% 25% 100% 0%",
                "ip link set dev eth0 mtu 576",
            ]
        );
    }

    #[test]
    fn what_netem_cannot_do_is_said() {
        let unsupported = |text: &str| plan(&link(text).up, "eth0").unsupported;
        assert_eq!(unsupported("rate=1Mbit/s,loss=1%"), [""; 0]);
        let all = unsupported("lte-drive,reorder=1%,up.queue=codel()").join("\n");
        for what in ["jitter:", "reorder:", "one rate", "drops at its tail"] {
            assert!(all.contains(what), "{what} in {all}");
        }
    }

    #[test]
    fn what_is_planned_reads_back_as_the_same_link() {
        for text in [
            "rate=2Mbit/s,loss=5%,queue=30p",
            "delay=30ms,loss=ge(p=1%,r=25%,bad=90%,good=1%)",
            "delay=30ms,jitter=4ms,jitter-tick=packet,jitter-order=free,corrupt=1%",
            "ideal",
        ] {
            let asked = link(text).up;
            let command = plan(&asked, "eth0").commands.remove(0);
            let back = link(&parse(&command).expect("netem's").link).up;
            assert_eq!(back, asked, "{command}");
        }
    }
}
