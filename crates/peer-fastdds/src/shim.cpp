// The part that needs Fast DDS's classes, behind a C ABI: a participant, writers and readers with
// their QoS, messages as bytes.

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include <fastdds/dds/domain/DomainParticipant.hpp>
#include <fastdds/dds/domain/DomainParticipantFactory.hpp>
#include <fastdds/dds/log/Log.hpp>
#include <fastdds/dds/log/StdoutErrConsumer.hpp>
#include <fastdds/dds/publisher/DataWriter.hpp>
#include <fastdds/dds/publisher/Publisher.hpp>
#include <fastdds/dds/subscriber/DataReader.hpp>
#include <fastdds/dds/subscriber/DataReaderListener.hpp>
#include <fastdds/dds/subscriber/SampleInfo.hpp>
#include <fastdds/dds/subscriber/Subscriber.hpp>
#include <fastdds/dds/topic/TypeSupport.hpp>
#include <fastdds/rtps/flowcontrol/FlowControllerDescriptor.hpp>
#include <fastdds/rtps/transport/UDPv4TransportDescriptor.h>
#include <fastrtps/config.h>
#include <fastrtps/utils/IPFinder.h>
#include <fastrtps/utils/IPLocator.h>

#include "message.hpp"

using namespace eprosima::fastdds::dds;
using eprosima::fastdds::rtps::FlowControllerDescriptor;
using eprosima::fastdds::rtps::UDPv4TransportDescriptor;
using eprosima::fastrtps::Duration_t;
using eprosima::fastrtps::rtps::InstanceHandle_t;
using eprosima::fastrtps::rtps::IPFinder;
using eprosima::fastrtps::rtps::IPLocator;
using eprosima::fastrtps::rtps::Locator_t;

extern "C" {
struct wl_domain {
  const char *own;  // IPv4
  uint16_t port;  // RTPS base port
  bool loopback;
  uint32_t packet;  // maximum UDP payload
  int64_t lease_ns;
  int32_t flow_bytes;  // per period; 0: no flow controller
  uint64_t flow_period_ms;
};

struct wl_settings {
  bool reliable;
  bool transient_local;
  bool multicast;
  bool controlled;  // uses the flow controller
  int32_t depth;  // history depth; 0 keeps all
  int32_t samples;  // limit if all are kept
  int64_t lifespan_ns;  // 0: forever
  int64_t heartbeat_ns;
};

struct wl_listener {
  void (*arrived)(void *context, const uint8_t *bytes, size_t length);
  void (*matched)(void *context, const uint8_t *writer);
  void *context;
};
}

namespace {

const char *const CONTROLLER = "wirelab";
const char *const DATA_GROUP = "239.255.0.1";  // DDSI-RTPS 2.3, 9.6.2.4.1
constexpr int32_t ALLOCATED = 100;

Duration_t duration(int64_t ns) { return {static_cast<int32_t>(ns / 1'000'000'000), static_cast<uint32_t>(ns % 1'000'000'000)}; }

using GuidBytes = std::array<uint8_t, 16>;

// In wire format.
GuidBytes guid_bytes(const eprosima::fastrtps::rtps::GUID_t &guid) {
  GuidBytes bytes;
  std::copy_n(guid.guidPrefix.value, guid.guidPrefix.size, bytes.begin());
  std::copy_n(guid.entityId.value, guid.entityId.size, bytes.begin() + guid.guidPrefix.size);
  return bytes;
}

class Listener : public DataReaderListener {
 public:
  explicit Listener(const wl_listener &listener) : hearer_(listener) {}

  void on_data_available(DataReader *reader) override {
    thread_local Message message;
    SampleInfo info;
    while (reader->take_next_sample(&message, &info) == ReturnCode_t::RETCODE_OK) {
      if (info.valid_data) {
        std::lock_guard<std::mutex> one(mutex_);
        hearer_.arrived(hearer_.context, message.held.data(), message.held.size());
      }
    }
  }

  void on_subscription_matched(DataReader *, const SubscriptionMatchedStatus &status) override {
    if (status.current_count_change > 0) {
      std::lock_guard<std::mutex> one(mutex_);
      hearer_.matched(hearer_.context, guid_bytes(eprosima::fastrtps::rtps::iHandle2GUID(status.last_publication_handle)).data());
    }
  }

 private:
  const wl_listener hearer_;
  // Samples and matches come on separate threads.
  std::mutex mutex_;
};

// Policies that writers and readers share.
template <typename Qos>
Qos qos_of(Qos qos, const wl_settings &settings) {
  const bool all = settings.depth == 0;
  const int32_t samples = all ? settings.samples : settings.depth;
  qos.reliability().kind = settings.reliable ? RELIABLE_RELIABILITY_QOS : BEST_EFFORT_RELIABILITY_QOS;
  qos.reliability().max_blocking_time = eprosima::fastrtps::c_TimeInfinite;
  qos.durability().kind = settings.transient_local ? TRANSIENT_LOCAL_DURABILITY_QOS : VOLATILE_DURABILITY_QOS;
  qos.history().kind = all ? KEEP_ALL_HISTORY_QOS : KEEP_LAST_HISTORY_QOS;
  qos.history().depth = all ? 1 : settings.depth;
  qos.resource_limits().max_samples = samples;
  qos.resource_limits().max_instances = 1;
  qos.resource_limits().max_samples_per_instance = samples;
  qos.resource_limits().allocated_samples = std::min(samples, ALLOCATED);
  qos.endpoint().history_memory_policy = eprosima::fastrtps::rtps::DYNAMIC_REUSABLE_MEMORY_MODE;
  // Shared memory would bypass the link.
  qos.data_sharing().off();
  return qos;
}

DomainParticipantQos qos_of(const wl_domain &domain) {
  DomainParticipantQos qos;
  auto udp = std::make_shared<UDPv4TransportDescriptor>();
  udp->interfaceWhiteList.emplace_back(domain.own);
  udp->maxMessageSize = domain.packet;
  qos.transport().use_builtin_transports = false;
  qos.transport().user_transports.push_back(udp);
  auto &wire = qos.wire_protocol();
  wire.port.portBase = domain.port;
  auto &discovery = wire.builtin.discovery_config;
  discovery.leaseDuration = duration(domain.lease_ns);
  discovery.leaseDuration_announcementperiod = duration(std::min<int64_t>(domain.lease_ns / 3, 3'000'000'000));
  if (domain.loopback) {
    // Without a port: those of the first participants.
    Locator_t peer;
    IPLocator::setIPv4(peer, domain.own);
    wire.builtin.initialPeersList.push_back(peer);
  }
  if (domain.flow_bytes != 0) {
    auto flow = std::make_shared<FlowControllerDescriptor>();
    flow->name = CONTROLLER;
    flow->max_bytes_per_period = domain.flow_bytes;
    flow->period_ms = domain.flow_period_ms;
    qos.flow_controllers().push_back(flow);
  }
  return qos;
}

Topic *topic_of(DomainParticipant *participant, const char *name) { return participant->create_topic(name, MessageType::NAME, TOPIC_QOS_DEFAULT); }

}  // namespace

extern "C" {

const char *wl_version() noexcept { return FASTRTPS_VERSION_STR; }

// Whether Fast DDS would use the interface with this address. Just after it is set up, the kernel
// does not report it as running yet.
bool wl_reaches(const char *own) noexcept {
  std::vector<IPFinder::info_IP> found;
  IPFinder::getIPs(&found, true);
  return std::any_of(found.begin(), found.end(), [own](const IPFinder::info_IP &ip) { return ip.name == own; });
}

// Returns null if it cannot join; Fast DDS writes the reason to standard error.
DomainParticipant *wl_join(const wl_domain *domain) noexcept {
  // Its default is standard output, which the peer needs.
  auto log = std::make_unique<StdoutErrConsumer>();
  log->stderr_threshold(Log::Kind::Info);
  Log::ClearConsumers();
  Log::RegisterConsumer(std::move(log));
  DomainParticipant *participant = DomainParticipantFactory::get_instance()->create_participant(0, qos_of(*domain));
  if (participant == nullptr) {
    Log::Flush();
    return nullptr;
  }
  TypeSupport(new MessageType).register_type(participant);
  return participant;
}

void wl_leave(DomainParticipant *participant) noexcept {
  participant->delete_contained_entities();
  DomainParticipantFactory::get_instance()->delete_participant(participant);
}

DataWriter *wl_writer(DomainParticipant *participant, const char *topic, const wl_settings *settings) noexcept {
  DataWriterQos qos = qos_of(DataWriterQos(), *settings);
  if (settings->lifespan_ns != 0) {
    qos.lifespan().duration = duration(settings->lifespan_ns);
  }
  qos.reliable_writer_qos().times.heartbeatPeriod = duration(settings->heartbeat_ns);
  if (settings->controlled) {
    qos.publish_mode().kind = ASYNCHRONOUS_PUBLISH_MODE;
    qos.publish_mode().flow_controller_name = CONTROLLER;
  }
  Topic *made = topic_of(participant, topic);
  Publisher *publisher = participant->create_publisher(PublisherQos());
  return made == nullptr || publisher == nullptr ? nullptr : publisher->create_datawriter(made, qos);
}

// `listener` must live until the process ends.
DataReader *wl_reader(DomainParticipant *participant, const char *topic, const wl_settings *settings, const wl_listener *listener, uint16_t port) noexcept {
  DataReaderQos qos = qos_of(DataReaderQos(), *settings);
  if (settings->multicast) {
    Locator_t group;
    IPLocator::setIPv4(group, DATA_GROUP);
    group.port = port;
    qos.endpoint().multicast_locator_list.push_back(group);
  }
  Topic *made = topic_of(participant, topic);
  Subscriber *subscriber = participant->create_subscriber(SubscriberQos());
  // Never freed: a callback may still use it while the peer exits.
  return made == nullptr || subscriber == nullptr ? nullptr : subscriber->create_datareader(made, qos, new Listener(*listener));
}

// 0, or a return code of the DDS standard.
uint32_t wl_write(DataWriter *writer, const uint8_t *bytes, uint32_t length) noexcept {
  Message message{bytes, length, {}};
  return writer->write(&message, InstanceHandle_t())();
}

// The GUID: 16 bytes.
void wl_guid(DataWriter *writer, uint8_t *bytes) noexcept {
  const GuidBytes guid = guid_bytes(writer->guid());
  std::copy(guid.begin(), guid.end(), bytes);
}

// Number of readers that the writer has matched.
int32_t wl_matched(DataWriter *writer) noexcept {
  PublicationMatchedStatus status;
  writer->get_publication_matched_status(status);
  return status.current_count;
}

// 0 if all reliable readers have acknowledged everything, otherwise the return code.
uint32_t wl_acknowledged(DataWriter *writer, int64_t within_ns) noexcept { return writer->wait_for_acknowledgments(duration(within_ns))(); }

}  // extern "C"
