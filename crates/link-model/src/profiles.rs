//! Named links, each with the source of its numbers.

/// A named link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// Its name.
    pub name: &'static str,
    /// What it stands for.
    pub summary: &'static str,
    /// What it means, as settings of a link text.
    pub settings: &'static str,
    /// Where the numbers come from.
    pub source: &'static str,
}

/// All of them.
pub const PROFILES: &[Profile] = &[
    Profile {
        name: "ideal",
        summary: "no impairment",
        settings: "rate=unlimited",
        source: "nothing is added; what remains is the emulator's own delay (see its lateness)",
    },
    Profile {
        name: "wifi",
        summary: "a quiet home Wi-Fi",
        settings: "down.rate=40Mbit/s,up.rate=33Mbit/s,delay=1ms",
        source: "Apple Network Link Conditioner, preset 'Wi-Fi': 40 and 33 Mbit/s, 1 ms each way, no loss",
    },
    Profile {
        name: "lte-drive",
        summary: "a car on LTE: capacity changes every second, with outages",
        settings: "up.rate=gen(median=2.077Mbit/s,sigma=0.874,correlation=0.441,outage=0.97%,recovery=53.7%),rtt=69.5ms,rtt-sd=5.6ms,jitter-tick=1s",
        source: "RTT N(69.5, 5.6) ms drawn every second: Proos and Carlsson 2020 after Huang et al., MobiSys 2012; uplink: generator fitted to the drive traces \
                 att-lte-driving, att-lte-driving-2016 and tmobile-lte-driving of mahimahi and Pantheon; downlink not limited, as in Proos and Carlsson 2020",
    },
    Profile {
        name: "nb-iot",
        summary: "a sensor on NB-IoT (Cat-NB1)",
        settings: "down.rate=26kbit/s,up.rate=66kbit/s,rtt=1600ms",
        source: "peak rates of Cat-NB1, 3GPP Release 13: 26 kbit/s down, 66 kbit/s up (multi-tone); RTT: the lower end of the 1.6 to 10 s usually given for NB-IoT",
    },
];

/// The profile of that name.
pub fn profile(name: &str) -> Option<&'static Profile> {
    PROFILES.iter().find(|profile| profile.name == name)
}
