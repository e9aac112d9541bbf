//! The part of rtnetlink that a lab needs: veth pairs, addresses, neighbours and routes.
//!
//! Running `ip` would take 0.1 s per host. The crate `rtnetlink` needs an async runtime, and `neli`
//! covers no more than `message`, so the requests are encoded here.

mod message;

use std::cell::Cell;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::check;
use message::{AddressInfo, LinkInfo, Message, NeighbourInfo, RouteInfo, check_answer};

const VETH_INFO_PEER: u16 = 1;
const IPV4: u8 = libc::AF_INET as u8;

/// A routing socket of the network namespace in which it was opened.
pub struct Netlink {
    socket: OwnedFd,
    sequence: Cell<u32>,
}

impl Netlink {
    /// Open in this thread's network namespace.
    pub fn open() -> io::Result<Netlink> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: takes no pointers; the returned descriptor has no other owner.
        let socket = unsafe {
            OwnedFd::from_raw_fd(check(libc::socket(
                libc::AF_NETLINK,
                kind,
                libc::NETLINK_ROUTE,
            ))?)
        };
        Ok(Netlink {
            socket,
            sequence: Cell::new(0),
        })
    }

    /// Create a veth pair: `name` in this namespace, with the address `own` if given, and `peer`
    /// with the address `mac` in the namespace `peer_ns`.
    pub fn add_veth(
        &self,
        (name, own): (&str, Option<[u8; 6]>),
        (peer, mac): (&str, [u8; 6]),
        peer_ns: RawFd,
    ) -> io::Result<()> {
        let create = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
        let mut message = Message::new(libc::RTM_NEWLINK, create, &LinkInfo::default())
            .string(libc::IFLA_IFNAME, name);
        if let Some(own) = own {
            message = message.attribute(libc::IFLA_ADDRESS, &own);
        }
        let message = message.nested(libc::IFLA_LINKINFO, |m| {
            m.attribute(libc::IFLA_INFO_KIND, b"veth")
                .nested(libc::IFLA_INFO_DATA, |m| {
                    m.nested(VETH_INFO_PEER, |m| {
                        m.raw(message::Wire::bytes(&LinkInfo::default()))
                            .string(libc::IFLA_IFNAME, peer)
                            .attribute(libc::IFLA_ADDRESS, &mac)
                            .attribute(libc::IFLA_NET_NS_FD, &(peer_ns as u32).to_ne_bytes())
                    })
                })
        });
        self.request(&message)
    }

    /// Set the transmit queue length of a device.
    pub fn set_queue(&self, index: u32, packets: u32) -> io::Result<()> {
        let info = LinkInfo {
            index,
            ..LinkInfo::default()
        };
        let message = Message::new(libc::RTM_NEWLINK, 0, &info);
        self.request(&message.attribute(libc::IFLA_TXQLEN, &packets.to_ne_bytes()))
    }

    /// Bring a device up.
    pub fn up(&self, index: u32) -> io::Result<()> {
        let info = LinkInfo {
            index,
            flags: libc::IFF_UP as u32,
            change: libc::IFF_UP as u32,
            ..LinkInfo::default()
        };
        self.request(&Message::new(libc::RTM_NEWLINK, 0, &info))
    }

    /// Add an IPv4 address to a device.
    pub fn add_address(&self, index: u32, address: [u8; 4], prefix: u8) -> io::Result<()> {
        let info = AddressInfo {
            family: IPV4,
            prefix,
            index,
            ..AddressInfo::default()
        };
        let broadcast = u32::from_be_bytes(address) | (u32::MAX >> prefix);
        let create = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
        let message = Message::new(libc::RTM_NEWADDR, create, &info)
            .attribute(libc::IFA_LOCAL, &address)
            .attribute(libc::IFA_ADDRESS, &address)
            .attribute(libc::IFA_BROADCAST, &broadcast.to_be_bytes());
        self.request(&message)
    }

    /// Add a permanent neighbour, which needs no ARP exchange.
    pub fn add_neighbour(&self, index: u32, address: [u8; 4], mac: [u8; 6]) -> io::Result<()> {
        let info = NeighbourInfo {
            family: IPV4,
            index,
            state: libc::NUD_PERMANENT,
            ..NeighbourInfo::default()
        };
        let create = libc::NLM_F_CREATE | libc::NLM_F_REPLACE;
        let message = Message::new(libc::RTM_NEWNEIGH, create, &info)
            .attribute(libc::NDA_DST, &address)
            .attribute(libc::NDA_LLADDR, &mac);
        self.request(&message)
    }

    /// Add a route to `destination/prefix` directly through a device.
    pub fn add_route(&self, index: u32, destination: [u8; 4], prefix: u8) -> io::Result<()> {
        let info = RouteInfo {
            family: IPV4,
            destination_prefix: prefix,
            table: libc::RT_TABLE_MAIN,
            protocol: libc::RTPROT_BOOT,
            scope: libc::RT_SCOPE_LINK,
            kind: libc::RTN_UNICAST,
            ..RouteInfo::default()
        };
        let create = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
        let message = Message::new(libc::RTM_NEWROUTE, create, &info)
            .attribute(libc::RTA_DST, &destination)
            .attribute(libc::RTA_OIF, &index.to_ne_bytes());
        self.request(&message)
    }

    /// Send a request and wait for its acknowledgement.
    fn request(&self, message: &Message) -> io::Result<()> {
        self.sequence.set(self.sequence.get() + 1);
        let bytes = message.encode(self.sequence.get());
        let fd = self.socket.as_raw_fd();
        let mut answer = [0u8; 4096];
        // SAFETY: both buffers are valid for the lengths given.
        let received = unsafe {
            check(libc::send(fd, bytes.as_ptr().cast(), bytes.len(), 0) as libc::c_int)?;
            check(libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0) as libc::c_int)?
        };
        check_answer(&answer[..received as usize], self.sequence.get())
    }
}

/// The index of a device in this thread's network namespace.
pub fn device_index(name: &str) -> io::Result<u32> {
    let name = std::ffi::CString::new(name)?;
    // SAFETY: `name` is NUL-terminated and outlives the call.
    match unsafe { libc::if_nametoindex(name.as_ptr()) } {
        0 => Err(io::Error::last_os_error()),
        index => Ok(index),
    }
}
