package wirelab.peers;

import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The parameters of a connection. Its qos is one of those described; its options are known. */
public record Setup(
        String address, int port, String qos, Map<String, String> options, String topic, String client, long timeoutMs) {
    /** The server's address and port, as error messages name it. */
    public String server() {
        return address.contains(":") ? "[" + address + "]:" + port : address + ":" + port;
    }

    public String getText(String option) {
        return options.get(option);
    }

    /** An option as a whole number of at least `least`. Throws a fatal fault. */
    public int getInt(String option, int least) throws Fault {
        try {
            int value = Integer.parseInt(getText(option));
            if (value >= least) {
                return value;
            }
        } catch (NumberFormatException e) {
            // The fault below covers this case too.
        }
        throw Fault.fatal("option " + option, "\"" + getText(option) + "\" is not a whole number of at least " + least);
    }

    /** An option as true or false. Throws a fatal fault for any other value. */
    public boolean getBoolean(String option) throws Fault {
        String text = getText(option);
        if (!text.equals("true") && !text.equals("false")) {
            throw Fault.fatal("option " + option, "\"" + text + "\" is neither true nor false");
        }
        return text.equals("true");
    }

    /**
     * Whether an option has its alternative value, not its default. Throws a fatal fault for any
     * other value.
     */
    public boolean isAlternative(String option, String standard, String alternative) throws Fault {
        String text = getText(option);
        if (!text.equals(standard) && !text.equals(alternative)) {
            throw Fault.fatal("option " + option, "\"" + text + "\" is neither " + standard + " nor " + alternative);
        }
        return text.equals(alternative);
    }

    /**
     * Whether a requester opens a connection per request. Throws a fatal fault for an unknown
     * value.
     */
    boolean connectsPerRequest() throws Fault {
        return isAlternative("connection", "kept", "each");
    }

    /** The same setup with another client name. */
    Setup withClient(String other) {
        return new Setup(address, port, qos, options, topic, other, timeoutMs);
    }

    /** Connect within the connect timeout. Throws a fatal fault that names the server. */
    <T> T runWithinTimeout(Callable<T> connect) throws Fault {
        FutureTask<T> task = new FutureTask<>(connect);
        Thread thread = new Thread(task, "connect");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | InterruptedException e) {
            throw timeoutFault();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            boolean isLate = cause instanceof TimeoutException || cause instanceof SocketTimeoutException;
            throw cause instanceof Fault fault ? fault : isLate ? timeoutFault() : refusedFault(cause);
        }
    }

    /** The fault of a server that did not answer in time. */
    public Fault timeoutFault() {
        double seconds = timeoutMs / 1000.0;
        String shown = seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds);
        return Fault.fatal("connect " + server(), "no answer within " + shown + " s");
    }

    /** The fault of a failed step while connecting. */
    public Fault refusedFault(Throwable cause) {
        return Fault.fatal("connect " + server(), Tls.explainDistrust(cause));
    }

    /** The fault of a connection lost after it was established. */
    public Fault brokenFault(Throwable cause) {
        return Fault.fatal("connection to " + server(), cause);
    }
}
