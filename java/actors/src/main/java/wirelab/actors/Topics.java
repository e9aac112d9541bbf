package wirelab.actors;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/**
 * Two topics per epoch, so that no epoch starts behind messages of another, and the data of a
 * finished epoch can be deleted.
 */
final class Topics implements AutoCloseable {
    private final Admin admin;

    Topics(String server) {
        Properties config = new Properties();
        config.put("bootstrap.servers", server);
        admin = Admin.create(config);
    }

    void create(List<Epoch> epochs, String prefix) throws Exception {
        admin.createTopics(epochs.stream().flatMap(epoch -> listNames(epoch, prefix))
                .map(name -> new NewTopic(name, 1, (short) 1).configs(Map.of("file.delete.delay.ms", "0"))).toList())
                .all().get();
    }

    void delete(Epoch epoch, String prefix) throws Exception {
        admin.deleteTopics(listNames(epoch, prefix).toList()).all().get();
    }

    private static Stream<String> listNames(Epoch epoch, String prefix) {
        return Stream.of(epoch.fromAToB(prefix), epoch.fromBToC(prefix)).map(TopicPartition::topic);
    }

    @Override
    public void close() {
        admin.close();
    }
}
