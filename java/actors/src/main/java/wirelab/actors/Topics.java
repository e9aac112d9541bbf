package wirelab.actors;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartition;

/** Two topics for each epoch, so that none starts behind what another left, and what is done can be thrown away. */
final class Topics implements AutoCloseable {
    private final Admin admin;

    Topics(String server) {
        Properties config = new Properties();
        config.put("bootstrap.servers", server);
        admin = Admin.create(config);
    }

    void make(List<Epoch> epochs, String prefix) throws Exception {
        admin.createTopics(epochs.stream().flatMap(epoch -> names(epoch, prefix))
                .map(name -> new NewTopic(name, 1, (short) 1).configs(Map.of("file.delete.delay.ms", "0"))).toList())
                .all().get();
    }

    void drop(Epoch epoch, String prefix) throws Exception {
        admin.deleteTopics(names(epoch, prefix).toList()).all().get();
    }

    private static Stream<String> names(Epoch epoch, String prefix) {
        return Stream.of(epoch.handed(prefix), epoch.passed(prefix)).map(TopicPartition::topic);
    }

    @Override
    public void close() {
        admin.close();
    }
}
