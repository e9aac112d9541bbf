//! Forwards datagrams from each publisher's address unchanged to every subscriber's address of its
//! topic.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};

use socket2::{Domain, Socket, Type};
use wirelab_transport::handshake::{Hello, Role};

/// The relay's answer to a hello.
const WELCOME: &[u8] = b"{\"wirelab\":1,\"ok\":true}";
/// Requested size; the kernel limits it to net.core.rmem_max.
const RECEIVE_BUFFER: usize = 4 << 20;

/// A bound socket with the largest receive buffer that the kernel grants.
///
/// # Errors
/// If the address is in use.
pub fn open(listen: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(listen), Type::DGRAM, None)?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
    socket.bind(&listen.into())?;
    Ok(socket)
}

/// Clients by address.
#[derive(Default)]
struct Relay {
    publishers: HashMap<SocketAddr, Registered>,
    subscribers: HashMap<String, Vec<SocketAddr>>,
}

struct Registered {
    hello: Vec<u8>,
    topic: String,
}

/// Relays forever.
pub fn serve(socket: &UdpSocket) {
    let mut relay = Relay::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        // An ICMP error for an earlier datagram: a client has left.
        let Ok((length, from)) = socket.recv_from(&mut buffer) else {
            continue;
        };
        let datagram = &buffer[..length];
        match relay.publishers.get(&from) {
            // The answer was lost, and the hello was repeated.
            Some(publisher) if *publisher.hello == *datagram => answer(socket, from),
            Some(publisher) => {
                for subscriber in relay
                    .subscribers
                    .get(&publisher.topic)
                    .into_iter()
                    .flatten()
                {
                    let _ = socket.send_to(datagram, subscriber);
                }
            }
            None => relay.register(socket, from, datagram),
        }
    }
}

impl Relay {
    fn register(&mut self, socket: &UdpSocket, from: SocketAddr, datagram: &[u8]) {
        let Some(hello) = Hello::parse(datagram) else {
            return;
        };
        match hello.role {
            Role::Publisher => {
                self.publishers.insert(
                    from,
                    Registered {
                        hello: datagram.to_vec(),
                        topic: hello.topic,
                    },
                );
            }
            Role::Subscriber => {
                let subscribers = self.subscribers.entry(hello.topic).or_default();
                if !subscribers.contains(&from) {
                    subscribers.push(from);
                }
            }
        }
        answer(socket, from);
    }
}

fn answer(socket: &UdpSocket, to: SocketAddr) {
    if let Err(error) = socket.send_to(WELCOME, to) {
        eprintln!("answer {to}: {error}");
    }
}
