package wirelab.peers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Creates sockets with the given TCP_NODELAY. TLS sockets check that the server's certificate names
 * its address.
 */
final class PeerSocketFactory extends SocketFactory {
    private final boolean noDelay;
    private final SocketFactory delegate;

    PeerSocketFactory(boolean noDelay) {
        this(noDelay, SocketFactory.getDefault());
    }

    PeerSocketFactory(boolean noDelay, SocketFactory delegate) {
        this.noDelay = noDelay;
        this.delegate = delegate;
    }

    @Override
    public Socket createSocket() throws IOException {
        return configure(delegate.createSocket());
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        return configure(delegate.createSocket(host, port));
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        return configure(delegate.createSocket(host, port));
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress own, int ownPort) throws IOException {
        return configure(delegate.createSocket(host, port, own, ownPort));
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress own, int ownPort) throws IOException {
        return configure(delegate.createSocket(host, port, own, ownPort));
    }

    private Socket configure(Socket socket) throws IOException {
        socket.setTcpNoDelay(noDelay);
        if (socket instanceof SSLSocket tlsSocket) {
            SSLParameters parameters = tlsSocket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            tlsSocket.setSSLParameters(parameters);
        }
        return socket;
    }
}
