package wirelab.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** Sockets with TCP_NODELAY as it was asked for; encrypted ones hold the server's certificate against its address. */
final class Sockets extends SocketFactory {
    private final boolean noDelay;
    private final SocketFactory maker;

    Sockets(boolean noDelay) {
        this(noDelay, SocketFactory.getDefault());
    }

    Sockets(boolean noDelay, SocketFactory maker) {
        this.noDelay = noDelay;
        this.maker = maker;
    }

    @Override
    public Socket createSocket() throws IOException {
        return set(maker.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return set(maker.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return set(maker.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress own, int ownPort) throws IOException {
        return set(maker.createSocket(host, port, own, ownPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress own, int ownPort) throws IOException {
        return set(maker.createSocket(host, port, own, ownPort));
    }

    private Socket set(Socket socket) throws IOException {
        socket.setTcpNoDelay(noDelay);
        if (socket instanceof SSLSocket encrypted) {
            SSLParameters parameters = encrypted.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            encrypted.setSSLParameters(parameters);
        }
        return socket;
    }
}
