//! Link texts: a profile, a trace file or settings, then modifiers, separated by commas.

use std::collections::HashSet;
use std::sync::Arc;

use crate::discipline::Discipline;
use crate::error::BadLink;
use crate::jitter::{JitterSpec, MIN_TICK_NS};
use crate::loss::LossSpec;
use crate::profiles::{PROFILES, profile};
use crate::queue::QueueLimit;
use crate::spec::{DirectionSpec, ETHERNET_MTU, LinkSpec, RateSpec};
use crate::suggest::nearest;
use crate::trace::{self, Generator, Trace};
use crate::units;

/// Reads a trace file's bytes.
pub type Load<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, BadLink>;

const KEYS: [&str; 16] = [
    "rate",
    "trace",
    "delay",
    "rtt",
    "jitter",
    "rtt-sd",
    "jitter-tick",
    "jitter-correlation",
    "loss",
    "queue",
    "mtu",
    "outage",
    "duplicate",
    "corrupt",
    "reorder",
    "reorder-delay",
];
const SCALABLE: [&str; 4] = ["rate", "delay", "rtt", "loss"];
/// How much later a reordered packet arrives unless said otherwise.
const DEFAULT_REORDER_NS: u64 = 10_000_000;
const DEFAULT_TICK_NS: u64 = 100_000_000;

/// The link a text means. Trace files are read through `load`.
pub fn parse_link(text: &str, load: Load) -> Result<LinkSpec, BadLink> {
    if text.len() > 4096 {
        return Err(BadLink::new("link text is longer than 4096 characters"));
    }
    let items = split(text)?;
    let mut link = LinkSpec {
        text: text.trim().to_string(),
        source: "as given".to_string(),
        up: DirectionSpec::IDEAL,
        down: DirectionSpec::IDEAL,
    };
    let mut settings = Settings {
        load,
        seen: HashSet::new(),
    };
    for (i, item) in items.iter().enumerate() {
        if settings.apply(&mut link, item)? {
            continue;
        }
        if i > 0 {
            if profile(item).is_some() {
                return Err(BadLink::new(format!(
                    "'{item}' is a link of its own; it can only come first"
                )));
            }
            return Err(unknown(item));
        }
        begin(&mut link, item, load)?;
    }
    consistent(&link)?;
    Ok(link)
}

/// Commas inside parentheses do not separate.
fn split(text: &str) -> Result<Vec<&str>, BadLink> {
    let (mut depth, mut start, mut items) = (0i32, 0, Vec::new());
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    items.push(text[start..].trim());
    if depth != 0 {
        return Err(BadLink::new(format!(
            "link '{text}' has a parenthesis without its partner"
        )));
    }
    if items.iter().any(|item| item.is_empty()) {
        return Err(BadLink::new(format!(
            "link '{text}' has an empty part; write it like lte-drive,loss=5%"
        )));
    }
    Ok(items)
}

/// The first part: a profile or a trace file.
fn begin(link: &mut LinkSpec, item: &str, load: Load) -> Result<(), BadLink> {
    if let Some(profile) = profile(item) {
        let inner = parse_link(profile.settings, load)?;
        (link.up, link.down) = (inner.up, inner.down);
        link.source = profile.source.to_string();
        return Ok(());
    }
    if !item.contains(['/', '.']) {
        return Err(unknown(item));
    }
    let rate = read_trace(item, load)?;
    link.source = format!("trace {item}");
    if item.ends_with(".down") {
        link.down.rate = rate;
    } else {
        link.up.rate = rate;
    }
    Ok(())
}

fn read_trace(name: &str, load: Load) -> Result<RateSpec, BadLink> {
    let (_, trace) =
        trace::parse(&load(name)?, None).map_err(|e| BadLink::new(format!("{name}: {e}")))?;
    Ok(RateSpec::Trace {
        name: name.to_string(),
        trace: Arc::new(trace),
    })
}

fn unknown(item: &str) -> BadLink {
    let key = item.split(['=', '*']).next().unwrap_or(item).trim();
    let bare = key.trim_start_matches("up.").trim_start_matches("down.");
    let shown: String = key.chars().take(64).collect();
    let hint = if item.contains(['=', '*']) {
        nearest(bare, KEYS).map_or_else(
            || format!("the settings are {}", KEYS.join(", ")),
            |near| format!("did you mean {near}?"),
        )
    } else {
        nearest(key, PROFILES.iter().map(|p| p.name)).map_or_else(
            || "see `wirelab-link profiles`, or give a trace file by its path".to_string(),
            |near| format!("did you mean {near}?"),
        )
    };
    BadLink::new(format!("unknown link or setting '{shown}'; {hint}"))
}

struct Settings<'a> {
    load: Load<'a>,
    seen: HashSet<(String, bool)>,
}

impl Settings<'_> {
    /// Apply `[up.|down.]key=value` or `[up.|down.]key*factor`. False where the item is neither.
    fn apply(&mut self, link: &mut LinkSpec, item: &str) -> Result<bool, BadLink> {
        let Some(at) = item.find(['=', '*']) else {
            return Ok(false);
        };
        let (name, value) = (item[..at].trim(), item[at + 1..].trim());
        let scale = item[at..].starts_with('*');
        let (key, up, down) = match (name.strip_prefix("up."), name.strip_prefix("down.")) {
            (Some(key), _) => (key, true, false),
            (_, Some(key)) => (key, false, true),
            _ => (name, true, true),
        };
        if !KEYS.contains(&key) {
            return Ok(false);
        }
        if key.starts_with("rtt") && !(up && down) {
            return Err(BadLink::new(format!(
                "'{item}': {key} is of both directions; give delay or jitter for one"
            )));
        }
        let sides = [(up, &mut link.up), (down, &mut link.down)];
        for (is_up, side) in sides
            .into_iter()
            .enumerate()
            .filter(|(_, (wanted, _))| *wanted)
            .map(|(i, (_, s))| (i == 0, s))
        {
            if scale {
                rescale(side, key, value)?;
                continue;
            }
            let twice = match key {
                "rtt" => "delay",
                "rtt-sd" => "jitter",
                "trace" => "rate",
                key => key,
            };
            if twice == "rate" && self.seen.contains(&("outage".to_string(), is_up)) {
                return Err(BadLink::new(format!(
                    "'{item}' stands after an outage of that rate; give the rate first"
                )));
            }
            if !self.seen.insert((twice.to_string(), is_up)) {
                return Err(BadLink::new(format!(
                    "'{item}': {twice} is given twice for one direction; give it once"
                )));
            }
            set(side, key, value, self.load)?;
        }
        Ok(true)
    }
}

fn rescale(side: &mut DirectionSpec, key: &str, value: &str) -> Result<(), BadLink> {
    let factor = units::number(key, value)?;
    match key {
        "rate" => {
            side.rate = match &side.rate {
                RateSpec::Unlimited => RateSpec::Unlimited,
                _ if factor == 0.0 => {
                    return Err(BadLink::new(
                        "rate*0 leaves no capacity; use loss=100% for a dead link",
                    ));
                }
                RateSpec::Constant(bps) => {
                    RateSpec::Constant(((*bps as f64 * factor).round() as u64).max(1))
                }
                RateSpec::Trace { name, trace } => RateSpec::Trace {
                    name: name.clone(),
                    trace: Arc::new(trace.scaled(factor)?),
                },
                RateSpec::Generated(generator) => RateSpec::Generated(generator.scaled(factor)),
            }
        }
        "delay" | "rtt" => side.delay_ns = (side.delay_ns as f64 * factor).round() as u64,
        "loss" => side.loss = side.loss.scaled(factor),
        _ => {
            return Err(BadLink::new(format!(
                "{key} cannot be scaled; these can: {}",
                SCALABLE.join(", ")
            )));
        }
    }
    Ok(())
}

fn set(side: &mut DirectionSpec, key: &str, value: &str, load: Load) -> Result<(), BadLink> {
    match key {
        "rate" => side.rate = rate(value)?,
        "trace" => side.rate = read_trace(value, load)?,
        "delay" => side.delay_ns = units::duration_ns(key, value)?.round() as u64,
        "rtt" => side.delay_ns = (units::duration_ns(key, value)? / 2.0).round() as u64,
        "jitter" => spread(side, units::duration_ns(key, value)?),
        // Two independent directions of sd s add up to sqrt(2) s.
        "rtt-sd" => spread(
            side,
            units::duration_ns(key, value)? * std::f64::consts::FRAC_1_SQRT_2,
        ),
        "jitter-tick" => {
            let tick_ns = units::duration_ns(key, value)?.round() as u64;
            if tick_ns < MIN_TICK_NS {
                return Err(BadLink::new(format!(
                    "jitter-tick '{value}' is below 10ms; give 10ms or more"
                )));
            }
            jitter(side, key)?.tick_ns = tick_ns;
        }
        "jitter-correlation" => {
            let correlation = units::fraction(key, value)?;
            if correlation > 0.999 {
                return Err(BadLink::new(format!(
                    "jitter-correlation '{value}' is above 0.999; that never changes"
                )));
            }
            jitter(side, key)?.correlation = correlation;
        }
        "loss" => side.loss = loss(value)?,
        "queue" => (side.queue, side.discipline) = queue(value)?,
        "mtu" => side.mtu = mtu(value)?,
        "outage" => side.rate = outage(&side.rate, value)?,
        "duplicate" => side.marks.duplicate = units::fraction(key, value)?,
        "corrupt" => side.marks.corrupt = units::fraction(key, value)?,
        "reorder" => {
            side.marks.reorder = units::fraction(key, value)?;
            side.marks.reorder_ns = DEFAULT_REORDER_NS;
        }
        _ if side.marks.reorder == 0.0 => {
            return Err(BadLink::new(format!(
                "{key} without reorder has no meaning; give reorder before it"
            )));
        }
        _ => side.marks.reorder_ns = units::duration_ns(key, value)?.round() as u64,
    }
    Ok(())
}

fn spread(side: &mut DirectionSpec, sd_ns: f64) {
    let old = side.jitter.unwrap_or(JitterSpec {
        sd_ns,
        tick_ns: DEFAULT_TICK_NS,
        correlation: 0.0,
    });
    side.jitter = (sd_ns > 0.0).then_some(JitterSpec { sd_ns, ..old });
}

fn jitter<'a>(side: &'a mut DirectionSpec, key: &str) -> Result<&'a mut JitterSpec, BadLink> {
    side.jitter.as_mut().ok_or_else(|| {
        BadLink::new(format!(
            "{key} without jitter has no meaning; give jitter before it"
        ))
    })
}

fn rate(value: &str) -> Result<RateSpec, BadLink> {
    if value == "unlimited" {
        return Ok(RateSpec::Unlimited);
    }
    match arguments(value, "gen")? {
        Some(pairs) => Ok(RateSpec::Generated(generator(&pairs)?)),
        None => Ok(RateSpec::Constant(units::rate_bps("rate", value)?)),
    }
}

/// The `key=value` pairs in `name(...)`; None where the text is something else.
fn arguments<'a>(text: &'a str, name: &str) -> Result<Option<Vec<(&'a str, &'a str)>>, BadLink> {
    let Some(inner) = text
        .strip_prefix(name)
        .and_then(|t| t.trim().strip_prefix('('))
    else {
        return Ok(None);
    };
    let inner = inner
        .strip_suffix(')')
        .ok_or_else(|| BadLink::new(format!("'{text}' does not end with a parenthesis")))?;
    if inner.trim().is_empty() {
        return Ok(Some(vec![]));
    }
    let pair = |part: &'a str| {
        part.split_once('=')
            .map(|(k, v)| (k.trim(), v.trim()))
            .ok_or_else(|| BadLink::new(format!("'{part}' in '{text}' is not key=value")))
    };
    inner
        .split(',')
        .map(pair)
        .collect::<Result<_, _>>()
        .map(Some)
}

fn generator(pairs: &[(&str, &str)]) -> Result<Generator, BadLink> {
    const NAMES: [&str; 5] = ["median", "sigma", "correlation", "outage", "recovery"];
    known(pairs, &NAMES, "gen")?;
    let find = |name: &str| {
        pairs
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
    };
    let median = find("median")
        .ok_or_else(|| BadLink::new("gen needs median, like gen(median=2Mbit/s,sigma=0.8)"))?;
    let fraction = |name: &str, default: f64| {
        find(name).map_or(Ok(default), |value| units::fraction(name, value))
    };
    let made = Generator {
        median_bps: units::rate_bps("median", median)? as f64,
        sigma: find("sigma").map_or(Ok(0.0), |value| units::number("sigma", value))?,
        correlation: fraction("correlation", 0.0)?,
        outage: fraction("outage", 0.0)?,
        recovery: fraction("recovery", 1.0)?,
    };
    if made.sigma > 3.0 || made.correlation > 0.999 || (made.outage > 0.0 && made.recovery <= 0.0) {
        return Err(BadLink::new(
            "gen needs sigma <= 3, correlation <= 0.999, and recovery above 0 where there are outages",
        ));
    }
    Ok(made)
}

fn known(pairs: &[(&str, &str)], names: &[&str], of: &str) -> Result<(), BadLink> {
    for (i, (key, _)) in pairs.iter().enumerate() {
        if !names.contains(key) {
            let hint = nearest(key, names.iter().copied()).map_or_else(
                || format!("it has {}", names.join(", ")),
                |near| format!("did you mean {near}?"),
            );
            return Err(BadLink::new(format!(
                "unknown '{key}' in {of}(...); {hint}"
            )));
        }
        if pairs[..i].iter().any(|(other, _)| other == key) {
            return Err(BadLink::new(format!(
                "{key} is given twice in {of}(...); give it once"
            )));
        }
    }
    Ok(())
}

fn loss(value: &str) -> Result<LossSpec, BadLink> {
    let Some(pairs) = arguments(value, "ge")? else {
        let p = units::fraction("loss", value)?;
        return Ok(if p > 0.0 {
            LossSpec::Iid(p)
        } else {
            LossSpec::None
        });
    };
    known(&pairs, &["p", "r", "bad", "good"], "ge")?;
    let find = |name: &str, default: Option<f64>| match pairs.iter().find(|(key, _)| *key == name) {
        Some((_, value)) => units::fraction(name, value),
        None => {
            default.ok_or_else(|| BadLink::new(format!("ge needs {name}, like ge(p=1%,r=25%)")))
        }
    };
    Ok(LossSpec::GilbertElliott {
        to_bad: find("p", None)?,
        to_good: find("r", None)?,
        loss_bad: find("bad", Some(1.0))?,
        loss_good: find("good", Some(0.0))?,
    })
}

/// A rate that is zero for a while, again and again: `every(60s,for=2s,at=10s)`. What waits then is sent afterwards.
fn outage(rate: &RateSpec, value: &str) -> Result<RateSpec, BadLink> {
    let refuse = || {
        BadLink::new(format!(
            "outage '{value}' is none; write it like every(60s,for=2s) or every(60s,for=2s,at=10s)"
        ))
    };
    let bps = match rate {
        RateSpec::Constant(bps) => *bps,
        // So fast that what waited through an outage leaves at once.
        RateSpec::Unlimited => units::MAX_RATE as u64,
        _ => {
            return Err(BadLink::new(
                "an outage needs a constant rate; a trace or generator has its own",
            ));
        }
    };
    let inner = value
        .strip_prefix("every(")
        .and_then(|v| v.strip_suffix(')'))
        .ok_or_else(refuse)?;
    let (period, rest) = inner.split_once(',').ok_or_else(refuse)?;
    let pairs: Vec<(&str, &str)> = rest
        .split(',')
        .map(|part| part.split_once('=').ok_or_else(refuse))
        .collect::<Result<_, _>>()?;
    let pairs: Vec<(&str, &str)> = pairs
        .into_iter()
        .map(|(k, v)| (k.trim(), v.trim()))
        .collect();
    known(&pairs, &["for", "at"], "outage")?;
    let time = |text: &str| units::duration_ns("outage", text).map(|ns| ns.round() as u64);
    let (period, length) = (
        time(period)?,
        time(find(&pairs, "for").ok_or_else(refuse)?)?,
    );
    let at = find(&pairs, "at").map_or(Ok(period.saturating_sub(length)), time)?;
    if length == 0 || length >= period || at > period - length {
        return Err(BadLink::new(format!(
            "outage '{value}' does not fit into its period"
        )));
    }
    let trace = Trace::from_pieces([(at, bps), (length, 0), (period - length - at, bps)])?;
    Ok(RateSpec::Trace {
        name: format!("outage {value}"),
        trace: Arc::new(trace),
    })
}

/// A limit, or a discipline with its parameters.
fn queue(value: &str) -> Result<(QueueLimit, Discipline), BadLink> {
    if let Some(pairs) = arguments(value, "drophead")? {
        known(&pairs, &["limit"], "drophead")?;
        return Ok((late_limit(&pairs)?, Discipline::DropHead));
    }
    if let Some(pairs) = arguments(value, "codel")? {
        return Ok((late_limit(&pairs)?, codel(value, &pairs)?));
    }
    if let Some(pairs) = arguments(value, "red")? {
        let limit = find(&pairs, "limit").map_or(Ok(QueueLimit::Packets(1000)), queue_limit)?;
        return Ok((limit, red(value, &pairs)?));
    }
    Ok((queue_limit(value)?, Discipline::DropTail))
}

fn codel(value: &str, pairs: &[(&str, &str)]) -> Result<Discipline, BadLink> {
    known(pairs, &["limit", "target", "interval"], "codel")?;
    // RFC 8289, sections 4.2 and 4.3: 5 ms and 100 ms.
    let time =
        |name, default| find(pairs, name).map_or(Ok(default), |v| units::duration_ns(name, v));
    let (target_ns, interval_ns) = (time("target", 5e6)? as u64, time("interval", 100e6)? as u64);
    if target_ns == 0 || interval_ns <= target_ns {
        return Err(BadLink::new(format!(
            "queue '{value}': the interval must be above the target, and that above 0"
        )));
    }
    Ok(Discipline::Codel {
        target_ns,
        interval_ns,
    })
}

fn red(value: &str, pairs: &[(&str, &str)]) -> Result<Discipline, BadLink> {
    known(pairs, &["limit", "min", "max", "p"], "red")?;
    let size = |name: &str| match find(pairs, name) {
        Some(text) => units::size_bytes(name, text),
        None => Err(BadLink::new(format!(
            "red needs {name}, like red(min=15kB,max=45kB)"
        ))),
    };
    let (min_bytes, max_bytes) = (size("min")?, size("max")?);
    let max_p = find(pairs, "p").map_or(Ok(0.1), |v| units::fraction("p", v))?;
    if min_bytes >= max_bytes {
        return Err(BadLink::new(format!(
            "queue '{value}': min must be below max"
        )));
    }
    Ok(Discipline::Red {
        min_bytes,
        max_bytes,
        max_p,
    })
}

/// The limit of a queue that is judged at its head: how long a packet will wait is not known when it arrives.
fn late_limit(pairs: &[(&str, &str)]) -> Result<QueueLimit, BadLink> {
    match find(pairs, "limit").map_or(Ok(QueueLimit::Packets(1000)), queue_limit)? {
        QueueLimit::Delay(_) => Err(BadLink::new(
            "the limit of this discipline is in packets or bytes, like limit=100p",
        )),
        limit => Ok(limit),
    }
}

fn find<'a>(pairs: &[(&str, &'a str)], name: &str) -> Option<&'a str> {
    pairs
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| *value)
}

fn queue_limit(value: &str) -> Result<QueueLimit, BadLink> {
    let refuse = |_| {
        BadLink::new(format!(
            "queue '{value}' is no limit; write it like 100p, 64kB, 200ms, none, codel() or red(min=15kB,max=45kB)"
        ))
    };
    if value == "none" {
        return Ok(QueueLimit::Unlimited);
    }
    if let Some(packets) = value.strip_suffix('p') {
        let packets: u64 = packets.trim().parse().map_err(|_| refuse(()))?;
        return if packets > 0 {
            Ok(QueueLimit::Packets(packets))
        } else {
            Err(refuse(()))
        };
    }
    if let Ok(ns) = units::duration_ns("queue", value) {
        return Ok(QueueLimit::Delay(ns.round() as u64));
    }
    match units::size_bytes("queue", value) {
        Ok(bytes) if bytes >= u64::from(ETHERNET_MTU) => Ok(QueueLimit::Bytes(bytes)),
        Ok(_) => Err(BadLink::new(format!(
            "queue '{value}' cannot hold one packet of 1500 B; give 1500B or more"
        ))),
        Err(_) => Err(refuse(())),
    }
}

fn mtu(value: &str) -> Result<u32, BadLink> {
    match value.trim_end_matches('B').parse() {
        // RFC 791: every module must forward a datagram of 68 octets.
        Ok(bytes) if (68..=ETHERNET_MTU).contains(&bytes) => Ok(bytes),
        _ => Err(BadLink::new(format!(
            "mtu '{value}' is not a whole number of bytes from 68 to 1500"
        ))),
    }
}

fn consistent(link: &LinkSpec) -> Result<(), BadLink> {
    for (name, side) in [("up", &link.up), ("down", &link.down)] {
        if side.rate == RateSpec::Unlimited
            && (side.queue, side.discipline) != (DirectionSpec::IDEAL.queue, Discipline::DropTail)
        {
            return Err(BadLink::new(format!(
                "link '{}': {name} has a queue but no rate, so it never fills; give a rate",
                link.text
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::parse_link;
    use crate::{BadLink, JitterSpec, LinkSpec, LossSpec, QueueLimit, RateSpec};

    fn load(name: &str) -> Result<Vec<u8>, BadLink> {
        match name {
            "dir/x.up" => Ok(b"1\n2\n".to_vec()),
            other => Err(BadLink::new(format!("no file {other}"))),
        }
    }

    fn link(text: &str) -> LinkSpec {
        parse_link(text, &load).expect(text)
    }

    fn refused(text: &str) -> String {
        parse_link(text, &load).expect_err(text).to_string()
    }

    #[test]
    fn settings_hold_for_both_directions_and_a_round_trip_is_split_evenly() {
        let link = link("rate=2Mbit/s,rtt=80ms,loss=5%");
        for side in [&link.up, &link.down] {
            assert_eq!(side.rate, RateSpec::Constant(2_000_000));
            assert_eq!(side.delay_ns, 40_000_000);
            assert_eq!(side.loss, LossSpec::Iid(0.05));
        }
    }

    #[test]
    fn a_direction_can_be_set_alone() {
        let link = link("up.rate=1Mbit/s,down.delay=5ms,up.queue=64kB,down.mtu=576");
        assert_eq!(
            (&link.up.rate, &link.down.rate),
            (&RateSpec::Constant(1_000_000), &RateSpec::Unlimited)
        );
        assert_eq!((link.up.delay_ns, link.down.delay_ns), (0, 5_000_000));
        assert_eq!(
            (link.up.queue, link.down.mtu),
            (QueueLimit::Bytes(64_000), 576)
        );
    }

    #[test]
    fn lte_drive_splits_the_spread_of_the_round_trip_over_both_directions() {
        let link = link("lte-drive");
        for side in [&link.up, &link.down] {
            assert_eq!(side.delay_ns, 34_750_000);
            let Some(JitterSpec {
                sd_ns,
                tick_ns,
                correlation,
            }) = side.jitter
            else {
                panic!("no jitter")
            };
            assert!((sd_ns - 3.96e6).abs() < 1e4 && tick_ns == 1_000_000_000 && correlation == 0.0);
        }
    }

    #[test]
    fn modifiers_change_a_profile() {
        let (plain, changed) = (link("lte-drive"), link("lte-drive,loss=10%,rate*0.5"));
        assert_eq!(changed.up.loss, LossSpec::Iid(0.1));
        let ratio = changed
            .up
            .rate
            .mean_bps()
            .zip(plain.up.rate.mean_bps())
            .map(|(a, b)| a / b);
        assert!(ratio.is_some_and(|r| (r - 0.5).abs() < 1e-9));
    }

    #[test]
    fn bursts_of_loss_have_the_mean_of_their_chain() {
        let link = link("loss=ge(p=1%,r=19%,bad=50%)");
        assert!((link.up.loss.mean() - 0.025).abs() < 1e-12);
    }

    #[test]
    fn an_outage_is_a_stretch_without_capacity() {
        let RateSpec::Trace { trace, .. } =
            link("rate=8Mbit/s,outage=every(5s,for=2s,at=1s)").up.rate
        else {
            panic!("no trace")
        };
        assert_eq!(trace.per_second(), vec![8e6, 0.0, 0.0, 8e6, 8e6]);
    }

    #[test]
    fn a_trace_file_limits_the_direction_its_name_says() {
        let link = link("dir/x.up,rtt=10ms");
        assert_eq!(link.up.rate.mean_bps(), Some(12e6));
        assert_eq!(link.down.rate, RateSpec::Unlimited);
    }

    #[test]
    fn what_makes_no_sense_is_refused_in_a_sentence() {
        assert_eq!(
            refused("lte-drve"),
            "unknown link or setting 'lte-drve'; did you mean lte-drive?"
        );
        assert_eq!(
            refused("ideal,los=5%"),
            "unknown link or setting 'los'; did you mean loss?"
        );
        assert_eq!(
            refused("ideal,wifi"),
            "'wifi' is a link of its own; it can only come first"
        );
        assert!(refused("rtt=10ms,delay=5ms").contains("delay is given twice"));
        assert!(refused("queue=10p").contains("no rate"));
        assert!(refused("jitter-tick=1s").contains("give jitter before it"));
        assert!(refused("up.rtt=5ms").contains("both directions"));
        assert!(refused("rate=1Mbit/s,queue=100B").contains("cannot hold one packet"));
        assert!(refused("loss=ge(p=1%)").contains("ge needs r"));
        assert!(refused("loss=ge(p=1%,r=2%,q=3%)").contains("unknown 'q'"));
        assert!(refused("rate=1Mbit/s,rate*0").contains("no capacity"));
        assert!(refused("rate=1Mbit/s,queue=codel(limit=20ms)").contains("packets or bytes"));
        assert!(
            refused("rate=1Mbit/s,queue=codel(target=5ms,interval=5ms)")
                .contains("above the target")
        );
        assert!(refused("rate=1Mbit/s,queue=red(min=9kB)").contains("red needs max"));
        assert!(refused("queue=codel()").contains("no rate"));
        assert!(refused("outage=every(2s,for=2s)").contains("does not fit"));
        assert!(refused("lte-drive,up.outage=every(9s,for=2s)").contains("constant rate"));
        assert!(refused("outage=every(9s,for=2s),rate=1Mbit/s").contains("give the rate first"));
        assert!(refused("outage=2s").contains("write it like"));
        assert!(refused("reorder-delay=5ms").contains("give reorder before it"));
        assert!(refused("mtu=9000").contains("68 to 1500"));
        assert!(refused("a/b.trace").contains("no file"));
        assert!(refused("ideal,").contains("empty part") && refused("").contains("empty part"));
    }
}
