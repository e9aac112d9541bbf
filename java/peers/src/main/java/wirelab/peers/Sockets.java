package wirelab.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/** Sockets with TCP_NODELAY as it was asked for. */
final class Sockets extends SocketFactory {
    private final boolean noDelay;

    Sockets(boolean noDelay) {
        this.noDelay = noDelay;
    }

    @Override
    public Socket createSocket() throws IOException {
        Socket socket = new Socket();
        socket.setTcpNoDelay(noDelay);
        return socket;
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return set(new Socket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return set(new Socket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress own, int ownPort) throws IOException {
        return set(new Socket(host, port, own, ownPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress own, int ownPort) throws IOException {
        return set(new Socket(host, port, own, ownPort));
    }

    private Socket set(Socket socket) throws IOException {
        socket.setTcpNoDelay(noDelay);
        return socket;
    }
}
