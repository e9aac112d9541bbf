//! Publisher, server and observer on a network in virtual time that drops and duplicates datagrams
//! by number.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use wirelab_coap::io::Engine;
use wirelab_coap::{Fate, Limits, Method, Observer, Publisher, Registration, Server, Transmission};

const MS: i64 = 1_000_000;
const SECOND: i64 = 1000 * MS;
const DELAY: i64 = 10 * MS;

/// A direction of the network; its datagrams are counted from 0, starting with the first message of
/// the trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Leg {
    PublisherToServer,
    ServerToPublisher,
    ServerToObserver,
    ObserverToServer,
}
use Leg::{ObserverToServer, PublisherToServer, ServerToObserver, ServerToPublisher};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Lose,
    Double,
}

struct Net {
    now: i64,
    publisher: Publisher,
    server: Server,
    observer: Observer,
    flying: BTreeMap<(i64, u64), (Leg, Vec<u8>)>,
    next: u64,
    counts: [u64; 4],
    faults: Vec<(Leg, u64, Does)>,
    arrived: Vec<(i64, Vec<u8>)>,
    fates: Vec<(u64, Fate, i64)>,
    waiting: VecDeque<(u64, Vec<u8>, bool)>,
}

fn at(port: u16) -> SocketAddr {
    SocketAddr::new([127, 0, 0, 1].into(), port)
}

impl Net {
    /// Connected and registered.
    fn new(faults: &[(Leg, u64, Does)]) -> Self {
        let fixed = Transmission {
            ack_random_factor: 1.0,
            ..Transmission::default()
        };
        Self::with(fixed, faults)
    }

    fn with(fixed: Transmission, faults: &[(Leg, u64, Does)]) -> Self {
        Self::with_server(fixed, fixed, faults)
    }

    fn with_server(
        fixed: Transmission,
        servers: Transmission,
        faults: &[(Leg, u64, Does)],
    ) -> Self {
        let mut net = Self::calling(fixed, servers, &[]);
        net.run_until(2 * SECOND);
        assert!(net.publisher.is_reachable());
        assert_eq!(net.observer.registration(), &Registration::Registered);
        (net.counts, net.faults) = ([0; 4], faults.to_vec());
        net
    }

    /// A ping and a registration are about to be sent.
    fn calling(fixed: Transmission, servers: Transmission, faults: &[(Leg, u64, Does)]) -> Self {
        let rng = fastrand::Rng::with_seed;
        let mut net = Self {
            now: SECOND,
            publisher: Publisher::new(at(1), "wirelab/t", Method::Post, fixed, rng(1)),
            server: Server::new(servers, Limits::default(), rng(2)),
            observer: Observer::new(at(1), "wirelab/t", fixed, rng(3)),
            flying: BTreeMap::new(),
            next: 0,
            counts: [0; 4],
            faults: faults.to_vec(),
            arrived: Vec::new(),
            fates: Vec::new(),
            waiting: VecDeque::new(),
        };
        net.publisher.ping(net.now);
        net.observer.register(net.now);
        net
    }

    fn publish(&mut self, bodies: &[Vec<u8>], confirmable: bool) {
        let first = self.fates.len() as u64 + self.waiting.len() as u64;
        self.waiting.extend(
            bodies
                .iter()
                .zip(first..)
                .map(|(body, ticket)| (ticket, body.clone(), confirmable)),
        );
        self.step();
    }

    fn launch(&mut self, leg: Leg, bytes: Vec<u8>) {
        let number = self.counts[leg as usize];
        self.counts[leg as usize] += 1;
        let does: Vec<Does> = self
            .faults
            .iter()
            .filter(|f| (f.0, f.1) == (leg, number))
            .map(|f| f.2)
            .collect();
        if does.contains(&Does::Lose) {
            return;
        }
        for _ in 0..=does.len() {
            self.flying
                .insert((self.now + DELAY, self.next), (leg, bytes.clone()));
            self.next += 1;
        }
    }

    fn step(&mut self) {
        while self
            .waiting
            .front()
            .is_some_and(|(_, body, con)| self.publisher.is_free(*con, body.len()))
        {
            let (ticket, body, con) = self.waiting.pop_front().unwrap();
            self.publisher.publish(self.now, ticket, &body, con);
        }
        self.arrived.extend(
            self.observer
                .take_arrivals()
                .into_iter()
                .map(|body| (self.now, body)),
        );
        self.fates.extend(
            self.publisher
                .take_fates()
                .into_iter()
                .map(|(ticket, fate)| (ticket, fate, self.now)),
        );
        for (_, bytes) in std::mem::take(self.publisher.outgoing()) {
            self.launch(PublisherToServer, bytes);
        }
        for (_, bytes) in std::mem::take(self.observer.outgoing()) {
            self.launch(ObserverToServer, bytes);
        }
        for (to, bytes) in std::mem::take(self.server.outgoing()) {
            self.launch(
                if to == at(2) {
                    ServerToPublisher
                } else {
                    ServerToObserver
                },
                bytes,
            );
        }
    }

    fn run_until(&mut self, end: i64) {
        self.step();
        loop {
            let deadlines = [
                self.publisher.deadline(),
                self.server.deadline(),
                self.observer.deadline(),
            ];
            let flight = self.flying.keys().next().map(|(at, _)| *at);
            let Some(next) = deadlines
                .into_iter()
                .flatten()
                .chain(flight)
                .min()
                .filter(|&next| next <= end)
            else {
                break;
            };
            self.now = next.max(self.now);
            while let Some(entry) = self
                .flying
                .first_entry()
                .filter(|entry| entry.key().0 <= self.now)
            {
                let (leg, bytes) = entry.remove();
                match leg {
                    PublisherToServer => self.server.receive(self.now, at(2), &bytes),
                    ObserverToServer => self.server.receive(self.now, at(3), &bytes),
                    ServerToPublisher => self.publisher.receive(self.now, at(1), &bytes),
                    ServerToObserver => self.observer.receive(self.now, at(1), &bytes),
                }
                self.step();
            }
            self.publisher.expire(self.now);
            self.server.expire(self.now);
            self.observer.expire(self.now);
            self.step();
        }
        self.now = end;
    }

    fn run(&mut self, seconds: i64) {
        self.run_until(self.now + seconds * SECOND);
    }

    fn bodies(&self) -> Vec<Vec<u8>> {
        self.arrived.iter().map(|(_, body)| body.clone()).collect()
    }

    fn acknowledged(&self) -> usize {
        self.fates
            .iter()
            .filter(|(_, fate, _)| *fate == Fate::Acknowledged)
            .count()
    }
}

fn messages(count: usize, length: usize) -> Vec<Vec<u8>> {
    let body = |index: usize| {
        (0..length)
            .map(|place| (place * 7 + index * 31 + place / 251) as u8)
            .collect()
    };
    (0..count).map(body).collect()
}

#[test]
fn every_message_arrives_once_and_in_order_at_every_size() {
    for length in [0, 10, 1023, 1024, 1025, 2048, 1157, 12_000, 60_000, 100_000] {
        for confirmable in [false, true] {
            let sent: Vec<_> = messages(5, length);
            let mut net = Net::new(&[]);
            net.publish(&sent, confirmable);
            net.run(300);
            if confirmable || length <= 1024 {
                assert_eq!(
                    net.bodies(),
                    sent,
                    "{length} bytes, confirmable: {confirmable}"
                );
            } else {
                let (mut came, mut sent) = (net.bodies(), sent);
                came.sort();
                sent.sort();
                assert_eq!(came, sent, "{length} bytes");
            }
            assert_eq!(net.acknowledged(), if confirmable { 5 } else { 0 });
        }
    }
}

#[test]
fn a_small_message_takes_one_datagram_each_way_and_con_one_more() {
    let mut net = Net::new(&[]);
    net.publish(&messages(1, 10), false);
    net.run(30);
    assert_eq!(
        net.counts,
        [1, 1, 1, 0],
        "NON: request, its response, notification"
    );
    let mut net = Net::new(&[]);
    net.publish(&messages(1, 10), true);
    net.run(30);
    assert_eq!(
        net.counts,
        [1, 1, 1, 1],
        "CON: request, acknowledgement, notification, acknowledgement"
    );
}

#[test]
fn con_survives_the_loss_of_any_one_datagram_and_delivers_once() {
    for length in [10, 3000] {
        for leg in [
            PublisherToServer,
            ServerToPublisher,
            ServerToObserver,
            ObserverToServer,
        ] {
            for number in 0..6 {
                for does in [Does::Lose, Does::Double] {
                    let mut sent = messages(2, length);
                    let mut net = Net::new(&[(leg, number, does)]);
                    net.publish(&sent, true);
                    net.run(60);
                    // A lost last block is fetched while the next message arrives, so the order may
                    // change.
                    let mut came = net.bodies();
                    came.sort();
                    sent.sort();
                    assert!(
                        came == sent,
                        "{length} bytes, {does:?} {number} of {leg:?}: {} came",
                        came.len()
                    );
                    assert_eq!(net.acknowledged(), 2);
                }
            }
        }
    }
}

#[test]
fn a_lost_con_request_costs_exactly_one_timeout() {
    let mut net = Net::new(&[(PublisherToServer, 0, Does::Lose)]);
    net.publish(&messages(1, 10), true);
    net.run(60);
    assert_eq!(net.arrived[0].0, 2 * SECOND + 2 * SECOND + 2 * DELAY);
    assert_eq!(net.fates, [(0, Fate::Acknowledged, 4 * SECOND + 2 * DELAY)]);
}

#[test]
fn con_is_given_up_after_five_copies_and_62_s_and_the_next_message_then_goes_out() {
    let lost: Vec<_> = (0..5)
        .map(|number| (PublisherToServer, number, Does::Lose))
        .collect();
    let mut net = Net::new(&lost);
    let sent = messages(2, 10);
    net.publish(&sent, true);
    net.run(100);
    assert_eq!(net.bodies(), sent[1..]);
    let given_up = Fate::Failed("no acknowledgement after 5 transmissions".into());
    assert_eq!(net.fates[0], (0, given_up, 2 * SECOND + 62 * SECOND));
    assert_eq!(net.fates[1].1, Fate::Acknowledged);
}

#[test]
fn a_ping_and_a_registration_are_sent_anew_when_five_copies_are_lost() {
    let lost: Vec<_> = (0..5)
        .flat_map(|copy| [PublisherToServer, ObserverToServer].map(|leg| (leg, copy, Does::Lose)))
        .collect();
    let fixed = Transmission {
        ack_random_factor: 1.0,
        ..Transmission::default()
    };
    let mut net = Net::calling(fixed, fixed, &lost);
    net.run_until(SECOND + 62 * SECOND);
    assert!(!net.publisher.is_reachable());
    assert_eq!(net.observer.registration(), &Registration::Pending);
    net.run(1);
    assert!(net.publisher.is_reachable());
    assert_eq!(net.observer.registration(), &Registration::Registered);
    assert_eq!(net.counts, [6, 1, 1, 6]);
    net.publish(&messages(1, 10), true);
    net.run(30);
    assert_eq!((net.bodies(), net.acknowledged()), (messages(1, 10), 1));
}

#[test]
fn non_loses_exactly_the_message_of_the_lost_datagram() {
    for leg in [PublisherToServer, ServerToObserver] {
        let sent = messages(5, 10);
        let mut net = Net::new(&[(leg, 2, Does::Lose)]);
        net.publish(&sent, false);
        net.run(20);
        assert_eq!(net.bodies(), [&sent[..2], &sent[3..]].concat(), "{leg:?}");
        assert_eq!(net.fates, []);
    }
}

#[test]
fn a_non_datagram_that_comes_twice_is_one_message() {
    for leg in [PublisherToServer, ServerToObserver, ServerToPublisher] {
        for length in [10, 3000] {
            let sent = messages(1, length);
            let mut net = Net::new(&[(leg, 0, Does::Double), (leg, 1, Does::Double)]);
            net.publish(&sent, false);
            net.run(20);
            assert_eq!(net.bodies(), sent, "{leg:?}, {length} bytes");
        }
    }
}

#[test]
fn non_loses_exactly_the_message_of_the_lost_block_and_sends_no_block_again() {
    // Three messages of three blocks; the publisher sends the first block of each at once.
    for (leg, number) in [
        (PublisherToServer, 4),
        (ServerToPublisher, 1),
        (ServerToObserver, 1),
        (ObserverToServer, 1),
    ] {
        let sent = messages(3, 3000);
        let mut net = Net::new(&[(leg, number, Does::Lose)]);
        net.publish(&sent, false);
        net.run(60);
        assert_eq!(net.arrived.len(), 2, "{number} of {leg:?}");
        let publishers = matches!(leg, PublisherToServer | ServerToPublisher);
        assert_eq!(
            net.fates.len(),
            usize::from(publishers),
            "only the publisher's own transfer tells"
        );
        assert!(net.counts[PublisherToServer as usize] <= 9);
        assert_eq!(net.observer.abandoned(), u64::from(!publishers));
    }
}

#[test]
fn each_of_100_rapid_con_updates_is_notified_although_the_observer_is_slower() {
    let sent = messages(100, 10);
    let mut net = Net::with(
        Transmission {
            ack_random_factor: 1.0,
            nstart: 100,
            ..Transmission::default()
        },
        &[],
    );
    net.publish(&sent, true);
    net.run(1);
    assert_eq!(net.bodies(), sent);
    let mut net = Net::new(&[]);
    net.publish(&sent, false);
    net.run(1);
    assert_eq!(net.bodies(), sent);
}

#[test]
fn an_observer_that_acknowledges_nothing_is_removed_after_62_s() {
    let silent: Vec<_> = (0..5)
        .map(|number| (ServerToObserver, number, Does::Lose))
        .collect();
    let mut net = Net::new(&silent);
    net.publish(&messages(2, 10), true);
    net.run(61);
    assert_eq!(net.server.counts().lost_observers, 0);
    net.run(2);
    assert_eq!(
        (net.server.counts().lost_observers, net.arrived.len()),
        (1, 0)
    );
}

#[test]
fn the_registration_is_renewed_5_to_15_s_after_the_state_has_aged_and_then_notifies_again() {
    let silent: Vec<_> = (0..5)
        .map(|number| (ServerToObserver, number, Does::Lose))
        .collect();
    let mut net = Net::new(&silent);
    let sent = messages(3, 10);
    net.publish(&sent[..1], true);
    net.run_until(64 * SECOND);
    assert_eq!(net.counts[ObserverToServer as usize], 0);
    net.run_until(78 * SECOND);
    assert_eq!(
        net.counts[ObserverToServer as usize], 1,
        "registered at 1 s, fresh for 60 s"
    );
    assert_eq!(
        net.bodies(),
        sent[..1],
        "the renewal's answer brings the state that was missed"
    );
    net.publish(&sent[1..2], true);
    net.run(1);
    assert_eq!(net.bodies(), sent[..2]);
}

#[test]
fn a_renewal_that_brings_nothing_new_is_no_message() {
    let mut net = Net::new(&[]);
    net.publish(&messages(1, 10), true);
    net.run(600);
    assert!(net.counts[ObserverToServer as usize] >= 8, "renewed");
    assert_eq!(net.arrived.len(), 1);
}

#[test]
fn after_deregistration_nothing_is_notified() {
    let mut net = Net::new(&[]);
    net.observer.deregister(net.now);
    net.run(1);
    net.publish(&messages(1, 10), true);
    net.run(5);
    assert_eq!((net.arrived.len(), net.acknowledged()), (0, 1));
}

#[test]
fn a_message_beyond_the_servers_limit_is_refused_and_said_so() {
    let mut net = Net::new(&[]);
    net.publish(&messages(1, (16 << 20) + 1), true);
    net.run(10_000);
    let (_, fate, _) = &net.fates[0];
    assert_eq!(fate, &Fate::Failed("the server answered 4.13".into()));
}

#[test]
fn at_25_percent_loss_the_fate_of_each_con_message_is_known_and_none_comes_twice() {
    let mut rng = fastrand::Rng::with_seed(9);
    let mut faults = Vec::new();
    for leg in [
        PublisherToServer,
        ServerToPublisher,
        ServerToObserver,
        ObserverToServer,
    ] {
        faults.extend(
            (0..2000)
                .filter(|_| rng.f64() < 0.25)
                .map(|number| (leg, number, Does::Lose)),
        );
    }
    let sent: Vec<Vec<u8>> = (0..200u32)
        .map(|index| index.to_be_bytes().to_vec())
        .collect();
    let mut net = Net::new(&faults);
    net.publish(&sent, true);
    net.run(20_000);
    let mut came = net.bodies();
    // Some are given up, and some fall between the loss of an observer and its renewal.
    assert!((100..200).contains(&came.len()), "{}", came.len());
    came.sort();
    came.dedup();
    assert_eq!(came.len(), net.arrived.len());
    assert_eq!(net.fates.len(), 200, "the fate of each message is known");
}

#[test]
fn the_smaller_block_size_of_the_two_sides_is_used() {
    for (clients, servers) in [(64, 1024), (1024, 64), (16, 16)] {
        let size = |block_size| Transmission {
            block_size,
            ..Transmission::default()
        };
        let sent = messages(3, 2000);
        let mut net = Net::with_server(size(clients), size(servers), &[]);
        net.publish(&sent, true);
        net.run(50);
        assert!(
            net.bodies() == sent,
            "{clients} and {servers}: {} came",
            net.arrived.len()
        );
        assert_eq!(net.acknowledged(), 3);
        // 1024 to a server of 64: the first block, then 976 bytes in 16 blocks.
        let blocks = if clients == 1024 {
            17
        } else {
            2000_u64.div_ceil(clients as u64)
        };
        assert_eq!(net.counts[PublisherToServer as usize], 3 * blocks);
    }
}

#[test]
fn a_body_that_is_to_stay_whole_takes_one_datagram_each_way_and_a_longer_one_blocks() {
    let whole = Transmission {
        whole: 1400,
        ..Transmission::default()
    };
    for (length, datagrams) in [(1157, 1), (1400, 1), (1401, 2)] {
        let sent = messages(2, length);
        let mut net = Net::with_server(whole, Transmission::default(), &[]);
        net.publish(&sent, true);
        net.run(20);
        assert!(net.bodies() == sent, "{length}: {} came", net.arrived.len());
        assert_eq!(net.counts[PublisherToServer as usize], 2 * datagrams);
        assert_eq!(net.counts[ServerToObserver as usize], 2 * datagrams);
    }
}

#[test]
fn noise_makes_nobody_panic_and_a_trial_goes_on_after_it() {
    let mut rng = fastrand::Rng::with_seed(4);
    let mut net = Net::new(&[]);
    net.publish(&messages(1, 3000), true);
    let mut seen: Vec<Vec<u8>> = net
        .flying
        .values()
        .map(|(_, bytes)| bytes.clone())
        .collect();
    net.run(1);
    seen.push(b"\x44\x01\x00\x07aaaa\x60\x57wirelab\x01t\xc1\x0e".to_vec());
    for _ in 0..100_000 {
        let mut noise = seen[rng.usize(..seen.len())].clone();
        for _ in 0..rng.usize(1..6) {
            let place = rng.usize(..noise.len().min(40));
            noise[place] = rng.u8(..);
        }
        noise.truncate(rng.usize(..=noise.len()));
        let from = at(rng.u16(5..9));
        net.server.receive(net.now, from, &noise);
        net.publisher.receive(net.now, at(1), &noise);
        net.observer.receive(net.now, at(1), &noise);
        net.server.outgoing().clear();
    }
    let sent = messages(2, 500);
    net.publish(&sent[1..], true);
    net.run(300);
    assert!(net.bodies().contains(&sent[1]));
}
