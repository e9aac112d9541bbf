//! Named links (profiles), each with the source of its numbers.

/// A profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// What it models.
    pub summary: &'static str,
    /// Its settings as a link text.
    pub settings: &'static str,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// All profiles.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "ideal",
        summary: "no impairment",
        settings: "rate=unlimited",
        source: "nothing is added; what remains is the emulator's own delay (see its lateness)",
    },
    Profile {
        name: "localhost",
        summary: "all on one machine: no impairment, named for studies that ran so",
        settings: "rate=unlimited",
        source: "Maltsev and others 2024 ran clients and broker on one machine; nothing is added",
    },
    Profile {
        name: "ethernet-95",
        summary: "100 Mbit/s Ethernet: a switch port of its own as a host's link, one cable for all as a lab's segment",
        settings: "rate=95Mbit/s",
        source: "Kang and others 2020: 95 Mbit/s measured with iperf3 on a cluster of Raspberry Pi 3; no delay is given there, none is added",
    },
    Profile {
        name: "wifi",
        summary: "a quiet home Wi-Fi",
        settings: "down.rate=40Mbit/s,up.rate=33Mbit/s,delay=1ms",
        source: "assumed: 40 and 33 Mbit/s and 1 ms each way, what is usually quoted for preset 'Wi-Fi' of Apple's Network Link Conditioner; not checked against it",
    },
    Profile {
        name: "edge",
        summary: "2.5G: EDGE",
        settings: "down.rate=240kbit/s,up.rate=200kbit/s,rtt=840ms",
        source: "preset 'Edge' of WebPageTest (www/settings/connectivity.ini.sample): 240 and 200 kbit/s, 840 ms",
    },
    Profile {
        name: "3g",
        summary: "3G, as web tests assume it",
        settings: "down.rate=1.6Mbit/s,up.rate=768kbit/s,rtt=300ms",
        source: "preset '3G' of WebPageTest (www/settings/connectivity.ini.sample): 1.6 Mbit/s and 768 kbit/s, 300 ms",
    },
    Profile {
        name: "lte",
        summary: "LTE, standing still",
        settings: "rate=12Mbit/s,rtt=70ms",
        source: "preset 'LTE' of WebPageTest (www/settings/connectivity.ini.sample): 12 Mbit/s each way, 70 ms",
    },
    Profile {
        name: "lte-drive",
        summary: "a car on LTE: capacity changes every second, with outages",
        settings: "up.rate=gen(median=2.098Mbit/s,sigma=0.849,correlation=0.449,outage=0.97%,recovery=53.7%),rtt=69.5ms,rtt-sd=5.6ms,jitter-tick=1s",
        source: "RTT N(69.5, 5.6) ms drawn every second: Proos and Carlsson 2020 after Huang and others, MobiSys 2012; uplink: generator fitted to the drive traces att-lte-driving, att-lte-driving-2016 and tmobile-lte-driving that mahimahi and Pantheon ship; downlink not limited, as in Proos and Carlsson 2020",
    },
    Profile {
        name: "5g",
        summary: "early 5G (non-standalone, 3.5 GHz)",
        settings: "down.rate=880Mbit/s,up.rate=130Mbit/s,rtt=22ms",
        source: "assumed, after what is quoted of Xu and others, SIGCOMM 2020 (UDP capacity by day, mean RTT); not checked against the paper",
    },
    Profile {
        name: "nb-iot",
        summary: "a sensor on NB-IoT (Cat-NB1)",
        settings: "down.rate=26kbit/s,up.rate=62kbit/s,rtt=1600ms",
        source: "peak rates of Cat-NB1 (3GPP Release 13) as blog.mbedded.ninja, Cellular Communication Protocols, has them: 26 kbit/s down, 62 kbit/s up; RTT: assumed, the lower end of the latency of 1.6 to 10 s given there",
    },
    Profile {
        name: "lte-m",
        summary: "a sensor on LTE-M (Cat-M1, half duplex)",
        settings: "down.rate=300kbit/s,up.rate=375kbit/s,rtt=100ms",
        source: "peak rates of half-duplex Cat-M1 with scheduling delays (3GPP Release 13) as rfwireless-world.com, LTE-M device categories, has them: 300 and 375 kbit/s; RTT: assumed, from the 0.1 s for a message at the edge of normal coverage in the white paper Evaluation of LTE-M towards 5G IoT requirements",
    },
    Profile {
        name: "lora-like",
        summary: "a slow radio with LoRaWAN's timing",
        settings: "rate=5470bit/s,down.delay=1s",
        source: "LoRaWAN regional parameters EU863-870: DR5 (SF7, 125 kHz) is 5,470 bit/s (docs.rakwireless.com, RUI3, data rate by region); RECEIVE_DELAY1 is 1 s. No duty cycle, no collisions",
    },
    Profile {
        name: "satellite-geo",
        summary: "a geostationary satellite",
        settings: "down.rate=100Mbit/s,up.rate=10Mbit/s,rtt=600ms",
        source: "Michel and others, IMC 2022 (and blog.apnic.net, 28 November 2022): the geostationary subscription of 100 and 10 Mbit/s, and a minimum latency of about 600 ms",
    },
    Profile {
        name: "satellite-leo",
        summary: "a low-orbit satellite (Starlink in 2022)",
        settings: "down.rate=178Mbit/s,up.rate=17Mbit/s,rtt=50ms",
        source: "Michel and others, IMC 2022 (and blog.apnic.net, 28 November 2022): median RTT to European servers about 50 ms; rates: assumed, 178 and 17 Mbit/s as the medians of that study are quoted, not checked against the paper",
    },
];

/// The profile with this name.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}

#[cfg(test)]
mod tests {
    use super::PROFILES;
    use crate::grammar::parse_link;
    use crate::{BadLink, CounterRng, Direction};

    #[test]
    fn every_profile_is_a_link_and_names_its_source() {
        let no_files = |name: &str| Err(BadLink::new(format!("no file {name}")));
        for profile in PROFILES {
            let link = parse_link(profile.name, &no_files).expect(profile.name);
            assert_eq!(link.source, profile.source);
            assert!(!profile.source.is_empty());
            for direction in [&link.up, &link.down] {
                Direction::new(direction, CounterRng::new(1), 0).expect(profile.name);
            }
        }
    }
}
