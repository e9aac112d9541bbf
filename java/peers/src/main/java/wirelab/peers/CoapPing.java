package wirelab.peers;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * CoAP ping: an empty confirmable message, which a server answers with a reset (RFC 7252, section
 * 4.3).
 */
final class CoapPing {
    private static final int RST = 0x70;

    private CoapPing() {}

    /**
     * Ping over a connected socket, which reports a refused port; the library's own ping does not.
     * Retransmits as RFC 7252, section 4.2, specifies for confirmable messages. Throws a fatal
     * fault if no CoAP server answers.
     */
    static void ping(Setup setup, long withinMs) throws Fault {
        byte[] ping = {0x40, 0, (byte) ThreadLocalRandom.current().nextInt(), 1};
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(setup.address(), setup.port()));
            byte[] answer = exchange(socket, ping, setup.getInt("ack_timeout_ms", 1), withinMs);
            if ((answer[0] & 0xff) != RST || answer[2] != ping[2] || answer[3] != ping[3]) {
                throw Fault.fatal("connect " + setup.server(), "the answer is not that of a CoAP server");
            }
        } catch (SocketTimeoutException e) {
            throw setup.timeoutFault();
        } catch (IOException e) {
            boolean isRefused = e instanceof PortUnreachableException;
            throw isRefused ? Fault.fatal("connect " + setup.server(), "connection refused") : setup.refusedFault(e);
        }
    }

    private static byte[] exchange(DatagramSocket socket, byte[] ping, long ackTimeoutMs, long withinMs) throws IOException {
        DatagramPacket answer = new DatagramPacket(new byte[64], 64);
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
        for (long waitMs = ackTimeoutMs; ; waitMs *= 2) {
            socket.send(new DatagramPacket(ping, ping.length));
            long leftMs = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            socket.setSoTimeout((int) Math.max(1, Math.min(waitMs, leftMs)));
            try {
                socket.receive(answer);
                return answer.getData();
            } catch (SocketTimeoutException e) {
                if (leftMs <= waitMs) {
                    throw e;
                }
            }
        }
    }
}
