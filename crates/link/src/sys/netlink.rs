//! Just enough rtnetlink to make a lab: veth pairs, addresses, neighbours, routes. Forking `ip`
//! would take 0.1 s per host.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::check;

const VETH_INFO_PEER: u16 = 1;

/// One request under construction.
struct Message(Vec<u8>);

impl Message {
    fn new(kind: u16, flags: libc::c_int, body: &[u8]) -> Message {
        let mut bytes = vec![0; 16];
        bytes[4..6].copy_from_slice(&kind.to_ne_bytes());
        let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK | flags) as u16;
        bytes[6..8].copy_from_slice(&flags.to_ne_bytes());
        bytes.extend_from_slice(body);
        Message(bytes)
    }

    fn attribute(mut self, kind: u16, value: &[u8]) -> Message {
        self.0
            .extend_from_slice(&((4 + value.len()) as u16).to_ne_bytes());
        self.0.extend_from_slice(&kind.to_ne_bytes());
        self.0.extend_from_slice(value);
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    /// An attribute that holds what `fill` adds.
    fn nested(mut self, kind: u16, fill: impl FnOnce(Message) -> Message) -> Message {
        let start = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        let mut filled = fill(self);
        let length = (filled.0.len() - start) as u16;
        filled.0[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        filled.0[start + 2..start + 4].copy_from_slice(&kind.to_ne_bytes());
        filled
    }

    fn raw(mut self, bytes: &[u8]) -> Message {
        self.0.extend_from_slice(bytes);
        self
    }
}

/// struct ifinfomsg.
fn link_body(index: u32, flags: u32, change: u32) -> [u8; 16] {
    let mut body = [0; 16];
    body[4..8].copy_from_slice(&index.to_ne_bytes());
    body[8..12].copy_from_slice(&flags.to_ne_bytes());
    body[12..16].copy_from_slice(&change.to_ne_bytes());
    body
}

/// A routing socket of the network namespace in which it was opened.
pub struct Netlink(OwnedFd);

impl Netlink {
    /// Open in this thread's network namespace.
    pub fn open() -> io::Result<Netlink> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
        // SAFETY: takes no pointers; the returned descriptor is owned by nobody else.
        let fd = unsafe {
            OwnedFd::from_raw_fd(check(libc::socket(
                libc::AF_NETLINK,
                kind,
                libc::NETLINK_ROUTE,
            ))?)
        };
        Ok(Netlink(fd))
    }

    /// A veth pair: `name` here, with the address `own` if one is given; `peer` with the address
    /// `mac` in the namespace `peer_ns`.
    pub fn add_veth(
        &self,
        (name, own): (&str, Option<[u8; 6]>),
        (peer, mac): (&str, [u8; 6]),
        peer_ns: RawFd,
    ) -> io::Result<()> {
        let create = libc::NLM_F_CREATE | libc::NLM_F_EXCL;
        let mut message = Message::new(libc::RTM_NEWLINK, create, &link_body(0, 0, 0))
            .attribute(libc::IFLA_IFNAME, &text(name));
        if let Some(own) = own {
            message = message.attribute(libc::IFLA_ADDRESS, &own);
        }
        let message = message.nested(libc::IFLA_LINKINFO, |m| {
            m.attribute(libc::IFLA_INFO_KIND, b"veth")
                .nested(libc::IFLA_INFO_DATA, |m| {
                    m.nested(VETH_INFO_PEER, |m| {
                        m.raw(&link_body(0, 0, 0))
                            .attribute(libc::IFLA_IFNAME, &text(peer))
                            .attribute(libc::IFLA_ADDRESS, &mac)
                            .attribute(libc::IFLA_NET_NS_FD, &(peer_ns as u32).to_ne_bytes())
                    })
                })
        });
        self.ask(message)
    }

    /// How many packets may wait in a device.
    pub fn set_queue(&self, index: u32, packets: u32) -> io::Result<()> {
        let message = Message::new(libc::RTM_NEWLINK, 0, &link_body(index, 0, 0));
        self.ask(message.attribute(libc::IFLA_TXQLEN, &packets.to_ne_bytes()))
    }

    /// Bring a device up.
    pub fn up(&self, index: u32) -> io::Result<()> {
        let flag = libc::IFF_UP as u32;
        self.ask(Message::new(
            libc::RTM_NEWLINK,
            0,
            &link_body(index, flag, flag),
        ))
    }

    /// Give a device an IPv4 address.
    pub fn add_address(&self, index: u32, address: [u8; 4], prefix: u8) -> io::Result<()> {
        let mut body = [libc::AF_INET as u8, prefix, 0, 0, 0, 0, 0, 0];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        let broadcast = u32::from_be_bytes(address) | (u32::MAX >> prefix);
        let message = Message::new(
            libc::RTM_NEWADDR,
            libc::NLM_F_CREATE | libc::NLM_F_EXCL,
            &body,
        )
        .attribute(libc::IFA_LOCAL, &address)
        .attribute(libc::IFA_ADDRESS, &address)
        .attribute(libc::IFA_BROADCAST, &broadcast.to_be_bytes());
        self.ask(message)
    }

    /// A neighbour that is never asked for.
    pub fn add_neighbour(&self, index: u32, address: [u8; 4], mac: [u8; 6]) -> io::Result<()> {
        let mut body = [libc::AF_INET as u8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        body[4..8].copy_from_slice(&index.to_ne_bytes());
        body[8..10].copy_from_slice(&libc::NUD_PERMANENT.to_ne_bytes());
        let message = Message::new(
            libc::RTM_NEWNEIGH,
            libc::NLM_F_CREATE | libc::NLM_F_REPLACE,
            &body,
        )
        .attribute(libc::NDA_DST, &address)
        .attribute(libc::NDA_LLADDR, &mac);
        self.ask(message)
    }

    /// A route to `destination/prefix` directly over a device.
    pub fn add_route(&self, index: u32, destination: [u8; 4], prefix: u8) -> io::Result<()> {
        // family, prefix, source prefix, tos, table, protocol, scope, type, flags (struct rtmsg)
        let (table, protocol) = (libc::RT_TABLE_MAIN, libc::RTPROT_BOOT);
        let (scope, kind) = (libc::RT_SCOPE_LINK, libc::RTN_UNICAST);
        let body = [
            libc::AF_INET as u8,
            prefix,
            0,
            0,
            table,
            protocol,
            scope,
            kind,
            0,
            0,
            0,
            0,
        ];
        let message = Message::new(
            libc::RTM_NEWROUTE,
            libc::NLM_F_CREATE | libc::NLM_F_EXCL,
            &body,
        )
        .attribute(libc::RTA_DST, &destination)
        .attribute(libc::RTA_OIF, &index.to_ne_bytes());
        self.ask(message)
    }

    /// Send a request and wait for its acknowledgement.
    fn ask(&self, message: Message) -> io::Result<()> {
        let mut bytes = message.0;
        let length = bytes.len() as u32;
        bytes[0..4].copy_from_slice(&length.to_ne_bytes());
        let fd = self.0.as_raw_fd();
        let mut answer = [0u8; 4096];
        // SAFETY: both buffers are valid for the lengths given.
        let received = unsafe {
            check(libc::send(fd, bytes.as_ptr().cast(), bytes.len(), 0) as libc::c_int)?;
            check(libc::recv(fd, answer.as_mut_ptr().cast(), answer.len(), 0) as libc::c_int)?
        };
        // An acknowledgement is an error message (struct nlmsgerr) whose code is 0.
        let code = i32::from_ne_bytes([answer[16], answer[17], answer[18], answer[19]]);
        match code {
            _ if received < 20 => Err(io::Error::other("netlink gave a short answer")),
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(-code)),
        }
    }
}

fn text(name: &str) -> Vec<u8> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.push(0);
    bytes
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
