// The part that needs Cyclone's types: entities with their QoS, writing a message, taking samples.

#include <dds/dds.h>
#include <dds/version.h>

#include "message.h"

enum { TAKE_AT_ONCE = 64 };

struct wl_settings {
  bool reliable;
  bool transient_local;
  int32_t depth;  // 0 keeps all
  int64_t lifespan_ns;  // 0: forever
};

typedef void (*wl_arrived)(void *context, const uint8_t *bytes, size_t length);
typedef void (*wl_matched)(void *context, const uint8_t *writer);

struct wl_listener {
  wl_arrived arrived;
  wl_matched matched;
  void *context;
};

const char *wl_version(void) { return DDS_VERSION; }

dds_entity_t wl_topic(dds_entity_t participant, const char *name) {
  return dds_create_topic(participant, &wirelab_Message_desc, name, NULL, NULL);
}

static dds_qos_t *qos_of(const struct wl_settings *settings) {
  dds_qos_t *qos = dds_create_qos();
  dds_history_kind_t kind = settings->depth == 0 ? DDS_HISTORY_KEEP_ALL : DDS_HISTORY_KEEP_LAST;
  int32_t depth = settings->depth == 0 ? 1 : settings->depth;
  dds_qset_history(qos, kind, depth);
  dds_qset_reliability(qos, settings->reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT, DDS_INFINITY);
  if (settings->transient_local) {
    dds_qset_durability(qos, DDS_DURABILITY_TRANSIENT_LOCAL);
    dds_qset_durability_service(qos, 0, kind, depth, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED, DDS_LENGTH_UNLIMITED);
  }
  return qos;
}

dds_entity_t wl_writer(dds_entity_t participant, dds_entity_t topic, const struct wl_settings *settings) {
  dds_qos_t *qos = qos_of(settings);
  if (settings->lifespan_ns != 0) {
    dds_qset_lifespan(qos, settings->lifespan_ns);
  }
  dds_entity_t writer = dds_create_writer(participant, topic, qos, NULL);
  dds_delete_qos(qos);
  return writer;
}

static void on_data(dds_entity_t reader, void *arg) {
  const struct wl_listener *listener = arg;
  void *samples[TAKE_AT_ONCE] = {NULL};
  dds_sample_info_t infos[TAKE_AT_ONCE];
  int32_t taken;
  do {
    taken = dds_take(reader, samples, infos, TAKE_AT_ONCE, TAKE_AT_ONCE);
    for (int32_t i = 0; i < taken; i++) {
      const wirelab_Message *message = samples[i];
      if (infos[i].valid_data) {
        listener->arrived(listener->context, message->data._buffer, message->data._length);
      }
    }
    if (taken > 0) {
      dds_return_loan(reader, samples, taken);
    }
    // If fewer were taken, there are none left: another take would cost as much as one that
    // succeeds.
  } while (taken == TAKE_AT_ONCE);
}

static void on_match(dds_entity_t reader, const dds_subscription_matched_status_t status, void *arg) {
  const struct wl_listener *listener = arg;
  if (status.current_count_change <= 0) {
    return;
  }
  dds_builtintopic_endpoint_t *writer = dds_get_matched_publication_data(reader, status.last_publication_handle);
  // NULL if the writer has already left.
  if (writer != NULL) {
    listener->matched(listener->context, writer->key.v);
    dds_builtintopic_free_endpoint(writer);
  }
}

// `callbacks` must live until the reader is deleted.
dds_entity_t wl_reader(dds_entity_t participant, dds_entity_t topic, const struct wl_settings *settings, struct wl_listener *callbacks) {
  dds_qos_t *qos = qos_of(settings);
  dds_listener_t *listener = dds_create_listener(callbacks);
  dds_lset_data_available(listener, on_data);
  dds_lset_subscription_matched(listener, on_match);
  dds_entity_t reader = dds_create_reader(participant, topic, qos, listener);
  dds_delete_listener(listener);
  dds_delete_qos(qos);
  return reader;
}

dds_return_t wl_write(dds_entity_t writer, const uint8_t *bytes, uint32_t length) {
  // dds_write only reads the message.
  wirelab_Message message = {{length, length, (uint8_t *)bytes, false}};
  return dds_write(writer, &message);
}
