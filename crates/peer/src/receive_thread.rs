//! A subscriber that polls on its own thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::protocol::Subscriber;

/// A thread that receives until the subscriber is closed.
pub struct ReceiveThread {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl ReceiveThread {
    /// Runs `receive` on a new thread. It must return soon after its argument becomes true: `close`
    /// waits for it.
    pub fn start(receive: impl FnOnce(&AtomicBool) + Send + 'static) -> Box<dyn Subscriber> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = thread::spawn(move || receive(&stopped));
        Box::new(Self { stop, thread })
    }
}

impl Subscriber for ReceiveThread {
    fn close(self: Box<Self>) {
        self.stop.store(true, Ordering::Release);
        let _ = self.thread.join();
    }
}
