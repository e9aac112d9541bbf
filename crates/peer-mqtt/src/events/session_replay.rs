//! An event loop that keeps the requests which the library's event loop drops when its connection
//! breaks.

/// Defines `Loop` for one version of MQTT. The versions differ only in their types `EventLoop`,
/// `Event`, `Request`, `Packet`, `Level` and in `to_client_event`. `$known` is an empty publication
/// of QoS 2.
macro_rules! replaying_loop {
    ($known:expr) => {
        /// The library's event loop, and the requests that it held when its connection broke.
        pub struct Loop {
            events: EventLoop,
            /// Maximum number of publications in flight: as configured, and as the server allows.
            inflight: u16,
            window: u16,
            kept: std::collections::VecDeque<Request>,
            /// The pending request comes from `kept` and has never been sent.
            fed: bool,
            connected: bool,
        }

        impl Loop {
            pub fn new(events: EventLoop, inflight: u16) -> Self {
                Self {
                    events,
                    inflight,
                    window: inflight,
                    kept: Default::default(),
                    fed: false,
                    connected: false,
                }
            }

            /// The next event. Events that the library had read but not returned when it failed go
            /// to `unread`.
            ///
            /// # Errors
            /// Why the connection ended or could not be established.
            pub async fn next(
                &mut self,
                session: &mut Session,
                unread: &mut std::collections::VecDeque<ClientEvent>,
            ) -> Result<ClientEvent, String> {
                self.feed();
                match self.events.poll().await {
                    Ok(event) => {
                        let happened = to_client_event(event, session);
                        if let ClientEvent::Connected { resumed, window } = happened {
                            self.window =
                                window.map_or(self.window, |most| self.inflight.min(most));
                            unread.extend(self.resume(session, resumed));
                        }
                        Ok(happened)
                    }
                    Err(error) => {
                        self.connected = false;
                        let read = std::mem::take(&mut self.events.state.events);
                        self.keep(&read);
                        unread.extend(
                            read.into_iter()
                                .map(|event| to_client_event(event, session)),
                        );
                        Err(why(&error))
                    }
                }
            }

            /// Passes on kept requests that have never been sent, one at a time: pending requests
            /// bypass the library's limit of publications in flight, and it loses those beyond the
            /// limit.
            fn feed(&mut self) {
                if !self.events.pending.is_empty() {
                    return;
                }
                let state = &self.events.state;
                let room = state.inflight() < self.window && state.collision.is_none();
                let next = match self.connected && room {
                    true => self.kept.pop_front(),
                    false => None,
                };
                self.fed = next.is_some();
                self.events.pending.extend(next);
            }

            /// Keeps the pending requests, because the library clears them when the server has no
            /// session, including those it must still deliver. `last` are the events before the
            /// connection broke.
            fn keep(&mut self, last: &std::collections::VecDeque<Event>) {
                let left = |event: &Event| {
                    matches!(
                        event,
                        Event::Outgoing(Outgoing::Publish(_) | Outgoing::AwaitAck(_))
                    )
                };
                if std::mem::take(&mut self.fed)
                    && !last.iter().any(left)
                    && let Some(first) = self.events.pending.pop_front()
                {
                    // It precedes all kept requests.
                    self.kept.push_front(first);
                }
                self.kept.append(&mut self.events.pending);
            }

            /// Resumes the session. Messages whose outcome can no longer become known are reported
            /// as refused.
            fn resume(&mut self, session: &mut Session, present: bool) -> Vec<ClientEvent> {
                self.connected = true;
                match present {
                    true => self.remind(session),
                    false => session.ended(),
                }
                let mut lost = Vec::new();
                let mut begun = Vec::new();
                for mut request in std::mem::take(&mut self.kept) {
                    match &mut request {
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
                        Request::PubRel(release) => {
                            begun.push(((false, session.turn_of(release.pkid)), request));
                        }
                        Request::Publish(publish) => {
                            // DUP, as MQTT 3.1.1 and 5, section 3.3.1.1 require.
                            publish.dup = true;
                            begun.push(((true, session.turn_of(publish.pkid)), request));
                        }
                        // Subscriptions are made again if the session is gone; acknowledgements
                        // belong to the old connection.
                        _ => {}
                    }
                }
                if !present && let Some(mut publish) = self.events.state.collision.take() {
                    // It was waiting for a packet identifier, and precedes all requests without
                    // one.
                    publish.pkid = 0;
                    self.kept.push_front(Request::Publish(publish));
                }
                // The library orders them by packet identifier, with PUBRELs after publications, so
                // that a message whose PUBREL was lost would arrive late.
                begun.sort_by_key(|(turn, _)| *turn);
                self.events
                    .pending
                    .extend(begun.into_iter().map(|(_, request)| request));
                lost
            }

            /// Replays the QoS 2 messages that have arrived to the library: it has forgotten their
            /// identifiers and would reject their PUBREL.
            fn remind(&mut self, session: &Session) {
                let state = &mut self.events.state;
                for &id in &session.seen {
                    let mut known = $known;
                    known.pkid = id;
                    let _ = state.handle_incoming_packet(Packet::Publish(known));
                }
                state.events.clear();
            }
        }

        /// The cause, without the names of the library's layers.
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

pub(super) use replaying_loop;
