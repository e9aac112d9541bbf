package wirelab.peers;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Whether a CoAP server is there: an empty confirmable message, which it resets (RFC 7252, section 4.3). */
final class CoapPing {
    private static final int RST = 0x70;

    private CoapPing() {}

    /**
     * A ping over a connected socket: the library's own never hears that a port is refused. It may be lost, so it is sent again as
     * RFC 7252, section 4.2, has it for what wants an answer. Throws the fault to tell.
     */
    static void ping(Setup setup, long withinMs) throws Fault {
        byte[] ping = {0x40, 0, (byte) ThreadLocalRandom.current().nextInt(), 1};
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(setup.address(), setup.port()));
            byte[] found = answer(socket, ping, setup.number("ack_timeout_ms", 1), withinMs);
            if ((found[0] & 0xff) != RST || found[2] != ping[2] || found[3] != ping[3]) {
                throw Fault.fatal("connect " + setup.server(), "what answers there is no CoAP server");
            }
        } catch (SocketTimeoutException e) {
            throw setup.timedOut();
        } catch (IOException e) {
            boolean isRefused = e instanceof PortUnreachableException;
            throw isRefused ? Fault.fatal("connect " + setup.server(), "connection refused") : setup.refused(e);
        }
    }

    private static byte[] answer(DatagramSocket socket, byte[] asked, long againMs, long withinMs) throws IOException {
        DatagramPacket answer = new DatagramPacket(new byte[64], 64);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
        for (long waitMs = againMs; ; waitMs *= 2) {
            socket.send(new DatagramPacket(asked, asked.length));
            long leftMs = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
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
