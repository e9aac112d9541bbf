//! Conversion of a link to the commands that configure netem as similarly as possible.

use super::ETHERNET_HEADER;
use super::units::{ms, plain};
use crate::discipline::Discipline;
use crate::jitter::JitterDraw;
use crate::loss::LossSpec;
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
    pub cannot: Vec<String>,
}

/// The commands for packets that leave through `device`.
pub fn plan(side: &DirectionSpec, device: &str) -> Plan {
    let mut cannot = Vec::new();
    let mut netem = format!(
        "tc qdisc replace dev {device} root netem limit {}",
        limit(side, &mut cannot)
    );
    netem += &delay(side, &mut cannot);
    netem += &loss(&side.loss, &mut cannot);
    for (name, share) in [
        ("duplicate", side.impairments.duplicate),
        ("corrupt", side.impairments.corrupt),
    ] {
        if share > 0.0 {
            netem += &format!(" {name} {}", percent(share));
        }
    }
    netem += &rate(&side.rate, &mut cannot);
    if side.handover.is_some() {
        cannot.push("handover: netem has no scheduled stalls".into());
    }
    if side.impairments.reorder > 0.0 {
        cannot.push("reorder: netem sends reordered packets early, never late".into());
    }
    let mut commands = vec![netem];
    if side.mtu < ETHERNET_MTU {
        commands.push(format!("ip link set dev {device} mtu {}", side.mtu));
        cannot.push("mtu: the sender makes shorter packets; none is dropped on the link".into());
    }
    Plan { commands, cannot }
}

fn percent(share: f64) -> String {
    format!("{}%", plain(share * 100.0))
}

/// netem's limit in packets. It counts both queued packets and packets in flight.
fn limit(side: &DirectionSpec, cannot: &mut Vec<String>) -> u64 {
    let Some(bps) = side.rate.mean_bps() else {
        return PLENTY;
    };
    let full = |ns: u64| (bps * ns as f64 / 1e9 / 8.0 / f64::from(ETHERNET_MTU)).ceil() as u64;
    let waiting = match side.queue {
        QueueLimit::Unlimited => return PLENTY,
        QueueLimit::Packets(packets) => packets,
        QueueLimit::Bytes(bytes) => bytes / u64::from(ETHERNET_MTU),
        QueueLimit::Delay(ns) => full(ns),
    };
    if !matches!(side.queue, QueueLimit::Packets(_)) {
        cannot
            .push("queue: netem's limit is in packets; full packets of 1500 B are assumed".into());
    }
    if side.delay_ns > 0 {
        cannot.push("queue: netem's limit includes packets in flight, so it is raised by as many full packets as fit into the delay".into());
    }
    if side.discipline != Discipline::DropTail {
        cannot.push("queue: netem's own queue drops at its tail (droptail)".into());
    }
    (waiting + full(side.delay_ns)).clamp(1, PLENTY)
}

fn delay(side: &DirectionSpec, cannot: &mut Vec<String>) -> String {
    let Some(jitter) = side.jitter else {
        return if side.delay_ns > 0 {
            format!(" delay {}", ms(side.delay_ns as f64))
        } else {
            String::new()
        };
    };
    let mut memory = String::new();
    if let JitterDraw::Tick {
        tick_ns,
        correlation,
    } = jitter.draw
    {
        let tick = ms(tick_ns as f64);
        cannot.push(format!("jitter: netem draws per packet, not every {tick}"));
        if correlation > 0.0 {
            memory = format!(" {}", percent(correlation));
        }
    }
    if jitter.in_order {
        cannot.push("jitter: netem does not keep packets in order".into());
    }
    format!(
        " delay {} {}{memory} distribution normal",
        ms(side.delay_ns as f64),
        ms(jitter.sd_ns)
    )
}

fn loss(loss: &LossSpec, cannot: &mut Vec<String>) -> String {
    match *loss {
        LossSpec::None => String::new(),
        LossSpec::Iid(p) => format!(" loss random {}", percent(p)),
        LossSpec::Trace { .. } => {
            cannot.push("loss: netem has one probability, so the mean over time is used".into());
            format!(" loss random {}", percent(loss.mean()))
        }
        LossSpec::GilbertElliott {
            to_bad,
            to_good,
            loss_bad,
            loss_good,
        } => {
            let all = [to_bad, to_good, loss_bad, loss_good].map(percent);
            format!(" loss gemodel {}", all.join(" "))
        }
    }
}

fn rate(rate: &RateSpec, cannot: &mut Vec<String>) -> String {
    let bps = match rate {
        RateSpec::Unlimited => return String::new(),
        RateSpec::Constant(bps) => *bps,
        RateSpec::Trace { .. } | RateSpec::Generated(_) => {
            cannot.push(
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
                "tc qdisc replace dev eth0 root netem limit 1000000 delay 5ms 1ms distribution normal loss gemodel 1% 25% 100% 0% duplicate 1%",
                "ip link set dev eth0 mtu 576",
            ]
        );
    }

    #[test]
    fn what_netem_cannot_do_is_said() {
        let cannot = |text: &str| plan(&link(text).up, "eth0").cannot;
        assert_eq!(cannot("rate=1Mbit/s,loss=1%"), [""; 0]);
        let all = cannot("lte-drive,reorder=1%,up.queue=codel()").join("\n");
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
