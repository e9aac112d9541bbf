//! Datagrams from each publisher's address are sent on to every subscriber's address of its topic, as they are.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, UdpSocket};

use socket2::{Domain, Socket, Type};
use wirelab_transport::handshake::{Hello, Role};

/// What a client hears after its hello.
const WELCOME: &[u8] = b"{\"wirelab\":1,\"ok\":true}";
/// Asked of the kernel, which grants at most net.core.rmem_max.
const RECEIVE_BUFFER: usize = 4 << 20;

/// A bound socket with as much receive buffer as the kernel grants.
///
/// # Errors
/// When the address is taken.
pub fn open(listen: SocketAddr) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(listen), Type::DGRAM, None)?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
    socket.bind(&listen.into())?;
    Ok(socket)
}

/// Who is known by its address.
#[derive(Default)]
struct Relay {
    publishers: HashMap<SocketAddr, Registered>,
    subscribers: HashMap<String, Vec<SocketAddr>>,
}

struct Registered {
    hello: Vec<u8>,
    topic: String,
}

/// Relays for ever.
pub fn serve(socket: &UdpSocket) {
    let mut relay = Relay::default();
    let mut buffer = vec![0; 1 << 16];
    loop {
        // An error here is an ICMP answer to something sent before: a client has left.
        let Ok((length, from)) = socket.recv_from(&mut buffer) else {
            continue;
        };
        let datagram = &buffer[..length];
        match relay.publishers.get(&from) {
            // An answer was lost, and the hello came again.
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
