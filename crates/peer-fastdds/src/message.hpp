// The message type in plain CDR: struct Message { sequence<octet> data; }, final and without a key.

#pragma once

#include <cstring>
#include <vector>

#include <fastdds/dds/topic/TopicDataType.hpp>

// An outgoing message is borrowed; an incoming one is copied, because Fast DDS owns it only during
// the take.
struct Message {
  const uint8_t *bytes = nullptr;
  uint32_t length = 0;
  std::vector<uint8_t> held;
};

class MessageType : public eprosima::fastdds::dds::TopicDataType {
  using Payload = eprosima::fastrtps::rtps::SerializedPayload_t;
  static constexpr uint32_t HEAD = 8;  // the encapsulation, and the sequence's length

 public:
  MessageType() {
    setName(NAME);
    // Fast DDS crashes at 0, although that means no maximum.
    m_typeSize = HEAD;
    auto_fill_type_object(false);
    auto_fill_type_information(false);
  }

  // The type name that Cyclone's peer uses.
  static constexpr const char *NAME = "wirelab::Message";

  bool serialize(void *data, Payload *payload) override {
    const auto *message = static_cast<const Message *>(data);
    if (payload->max_size < HEAD + message->length) {
      return false;
    }
    const uint32_t n = message->length;
    const uint8_t head[HEAD] = {0, CDR_LE, 0, 0, uint8_t(n), uint8_t(n >> 8), uint8_t(n >> 16), uint8_t(n >> 24)};
    payload->encapsulation = CDR_LE;
    payload->length = HEAD + n;
    std::memcpy(payload->data, head, HEAD);
    if (n != 0) {
      std::memcpy(payload->data + HEAD, message->bytes, n);
    }
    return true;
  }

  bool deserialize(Payload *payload, void *data) override {
    const uint8_t *d = payload->data;
    if (payload->length < HEAD) {
      return false;
    }
    const bool little = d[1] & 1;
    const uint32_t n = little ? d[4] | d[5] << 8 | d[6] << 16 | uint32_t(d[7]) << 24 : uint32_t(d[4]) << 24 | d[5] << 16 | d[6] << 8 | d[7];
    if (n > payload->length - HEAD) {
      return false;
    }
    static_cast<Message *>(data)->held.assign(d + HEAD, d + HEAD + n);
    return true;
  }

  std::function<uint32_t()> getSerializedSizeProvider(void *data) override {
    const uint32_t length = static_cast<const Message *>(data)->length;
    return [length] { return HEAD + length; };
  }

  void *createData() override { return new Message; }
  void deleteData(void *data) override { delete static_cast<Message *>(data); }
  bool getKey(void *, eprosima::fastrtps::rtps::InstanceHandle_t *, bool) override { return false; }
};
