//! An event loop that keeps what the library's drops when its connection breaks.

/// Defines `Loop` over one version's `EventLoop`, `Event`, `Request`, `Packet`, `Level` and `happened`, which are alike but for their types. `$known`
/// is an empty publication of QoS 2.
macro_rules! keeping {
    ($known:expr) => {
        /// The library's event loop, and the requests it had when its connection broke.
        pub struct Loop {
            events: EventLoop,
            inflight: u16,
            kept: std::collections::VecDeque<Request>,
            connected: bool,
        }

        impl Loop {
            pub fn new(events: EventLoop, inflight: u16) -> Self {
                Self {
                    events,
                    inflight,
                    kept: Default::default(),
                    connected: false,
                }
            }

            /// The next event. What the library has read and not told when it fails goes to `unread`.
            ///
            /// # Errors
            /// Why the connection has ended, or could not be made.
            pub async fn next(
                &mut self,
                session: &mut Session,
                unread: &mut std::collections::VecDeque<Happened>,
            ) -> Result<Happened, String> {
                self.feed();
                match self.events.poll().await {
                    Ok(event) => {
                        let happened = happened(event, session);
                        if let Happened::Connected { resumed, window } = happened {
                            self.inflight = self.inflight.min(window);
                            unread.extend(self.resume(session, resumed));
                        }
                        Ok(happened)
                    }
                    Err(error) => {
                        self.connected = false;
                        // It clears what is pending when the server has no session: not what it promised to deliver.
                        self.kept.append(&mut self.events.pending);
                        let read = std::mem::take(&mut self.events.state.events);
                        unread.extend(read.into_iter().map(|event| happened(event, session)));
                        Err(why(&error))
                    }
                }
            }

            /// Hands over what was kept and has never been sent, one by one: what is pending passes by the library's limit of
            /// publications under way, beyond which it loses them.
            fn feed(&mut self) {
                let state = &self.events.state;
                let room = state.inflight() < self.inflight && state.collision.is_none();
                if self.connected && room && self.events.pending.is_empty() {
                    self.events.pending.extend(self.kept.pop_front());
                }
            }

            /// Goes on where the connection broke; what cannot be known any more is told as refused.
            fn resume(&mut self, session: &mut Session, present: bool) -> Vec<Happened> {
                self.connected = true;
                let mut lost = Vec::new();
                let state = &mut self.events.state;
                if present {
                    // It has forgotten these identifiers, and would take their PUBREL for an error.
                    for &id in &session.seen {
                        let mut known = $known;
                        known.pkid = id;
                        let _ = state.handle_incoming_packet(Packet::Publish(known));
                    }
                    state.events.clear();
                } else {
                    session.ended();
                    self.kept.extend(state.collision.take().map(|mut publish| {
                        publish.pkid = 0;
                        Request::Publish(publish)
                    }));
                }
                for request in std::mem::take(&mut self.kept) {
                    match &request {
                        Request::Publish(publish) if publish.pkid == 0 => {
                            self.kept.push_back(request);
                        }
                        Request::Publish(publish)
                            if !present && publish.qos == Level::ExactlyOnce =>
                        {
                            lost.push(session.refused(publish.pkid));
                        }
                        Request::PubRel(release) if !present => {
                            lost.push(session.refused(release.pkid));
                        }
                        Request::Publish(_) | Request::PubRel(_) => {
                            self.events.pending.push_back(request);
                        }
                        // The subscription is made again where the session is gone; acknowledgements belong to the old connection.
                        _ => {}
                    }
                }
                lost
            }
        }

        /// The cause without the library's own names of its layers.
        fn why(error: &ConnectionError) -> String {
            match error {
                ConnectionError::Io(error) => error.to_string(),
                ConnectionError::MqttState(error) => error.to_string(),
                ConnectionError::ConnectionRefused(code) => format!("the server refused: {code:?}"),
                other => other.to_string(),
            }
        }
    };
}

pub(super) use keeping;
