package wirelab.peers;

import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a protocol has to know to connect. Checked: the qos is one of the described, the options are known. */
public record Setup(
        String address, int port, String qos, Map<String, String> options, String topic, String client, long timeoutMs) {
    /** The server as messages name it. */
    public String server() {
        return address.contains(":") ? "[" + address + "]:" + port : address + ":" + port;
    }

    public String text(String option) {
        return options.get(option);
    }

    /** An option as a whole number of at least `least`. Throws a fatal fault. */
    public int number(String option, int least) throws Fault {
        try {
            int value = Integer.parseInt(text(option));
            if (value >= least) {
                return value;
            }
        } catch (NumberFormatException e) {
            // Said below.
        }
        throw Fault.fatal("option " + option, "\"" + text(option) + "\" is no whole number from " + least);
    }

    /** An option as true or false. Throws a fatal fault. */
    public boolean flag(String option) throws Fault {
        String text = text(option);
        if (!text.equals("true") && !text.equals("false")) {
            throw Fault.fatal("option " + option, "\"" + text + "\" is neither true nor false");
        }
        return text.equals("true");
    }

    /** Whether an option has its other value and not its usual one. Throws a fatal fault where it has neither. */
    public boolean isOther(String option, String usual, String other) throws Fault {
        String text = text(option);
        if (!text.equals(usual) && !text.equals(other)) {
            throw Fault.fatal("option " + option, "\"" + text + "\" is neither " + usual + " nor " + other);
        }
        return text.equals(other);
    }

    /** Of a requester: whether each request has a connection of its own. Throws a fatal fault. */
    boolean connectsEach() throws Fault {
        return isOther("connection", "kept", "each");
    }

    /** The same under another name. */
    Setup named(String other) {
        return new Setup(address, port, qos, options, topic, other, timeoutMs);
    }

    /** Run what connects, no longer than connecting may take. Throws a fatal fault that names the server. */
    <T> T within(Callable<T> connect) throws Fault {
        FutureTask<T> task = new FutureTask<>(connect);
        Thread thread = new Thread(task, "connect");
        thread.setDaemon(true);
        thread.start();
        try {
            return task.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | InterruptedException e) {
            throw timedOut();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            boolean isLate = cause instanceof TimeoutException || cause instanceof SocketTimeoutException;
            throw cause instanceof Fault fault ? fault : isLate ? timedOut() : refused(cause);
        }
    }

    /** The fault of a server that did not answer in time. */
    public Fault timedOut() {
        double seconds = timeoutMs / 1000.0;
        String shown = seconds == Math.rint(seconds) ? Long.toString((long) seconds) : Double.toString(seconds);
        return Fault.fatal("connect " + server(), "no answer within " + shown + " s");
    }

    /** The fault of a step on the way to a usable connection. */
    public Fault refused(Throwable cause) {
        return Fault.fatal("connect " + server(), Tls.explained(cause));
    }

    /** The fault of a connection that broke after it could be used. */
    public Fault broken(Throwable cause) {
        return Fault.fatal("connection to " + server(), cause);
    }
}
