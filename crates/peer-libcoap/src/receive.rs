//! A thread that lets libcoap receive until it is told to end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use wirelab_peer::Subscriber;

/// How long libcoap waits before the thread looks whether it is to end.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub struct ReceiveThread {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl ReceiveThread {
    /// Starts it. `process` takes what has come, and waits at most so long for more.
    pub fn start(mut process: impl FnMut(Duration) + Send + 'static) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            while !told.load(Ordering::Acquire) {
                process(POLL_INTERVAL);
            }
        });
        Self { stop, thread }
    }
}

impl Subscriber for ReceiveThread {
    fn close(self: Box<Self>) {
        self.stop.store(true, Ordering::Release);
        // The thread takes the endpoint with it, and libcoap tells the server.
        let _ = self.thread.join();
    }
}
