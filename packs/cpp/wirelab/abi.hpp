// The C ABI of wirelab_pack.h for a message type. No exception leaves these functions.
#pragma once
#include <functional>
#include <string>

#include "session.hpp"

namespace wirelab {

template <class M>
struct Opener {
    const char* name;
    std::unique_ptr<AnySession> (*open)(Corpus<M>);
};

inline std::string& last_error() {
    thread_local std::string sentence;
    return sentence;
}

template <class Work>
int guarded(Work work) {
    try {
        work();
        return 0;
    } catch (const std::exception& failure) {
        last_error() = failure.what();
    } catch (...) {
        last_error() = "the library threw something without a word";
        return -2;
    }
    return -1;
}

// Parses JSON Lines; blank lines are ignored.
template <class M>
std::vector<M> parse_corpus(std::string_view lines) {
    std::vector<M> corpus;
    for (std::size_t number = 1; !lines.empty(); ++number) {
        const std::size_t end = std::min(lines.find('\n'), lines.size());
        const std::string_view line = lines.substr(0, end);
        lines.remove_prefix(std::min(end + 1, lines.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        try {
            rapidjson::Document document;
            parse_json<keeps_digits<M>>(line, document);
            copy<M>(FromJson<keeps_digits<M>>{&document}, into(corpus.emplace_back()));
        } catch (const Failure& failure) {
            throw Failure("corpus line " + std::to_string(number) + ": " + failure.what());
        }
    }
    return corpus;
}

}  // namespace wirelab

struct wl_session {
    std::unique_ptr<wirelab::AnySession> inner;
};

// Defines the exported functions: the message type, the pack's description (a string literal), and
// its codecs.
#define WIRELAB_EXPORT(MESSAGE, DESCRIBE, OPENERS)                                                                  \
    struct wl_corpus {                                                                                              \
        wirelab::Corpus<MESSAGE> messages;                                                                          \
    };                                                                                                              \
    extern "C" {                                                                                                    \
    WIRELAB_VISIBLE uint32_t wl_abi_version(void) { return WL_PACK_ABI; }                                           \
    WIRELAB_VISIBLE const char* wl_describe(void) { return DESCRIBE; }                                              \
    WIRELAB_VISIBLE const char* wl_last_error(void) { return wirelab::last_error().c_str(); }                       \
    WIRELAB_VISIBLE int wl_corpus_open(const uint8_t* jsonl, size_t len, wl_corpus** out) {                         \
        return wirelab::guarded([&] {                                                                               \
            auto made = std::make_unique<wl_corpus>();                                                              \
            made->messages = std::make_shared<const std::vector<MESSAGE>>(                                          \
                wirelab::parse_corpus<MESSAGE>(wirelab::text({jsonl, len})));                                       \
            *out = made.release();                                                                                  \
        });                                                                                                         \
    }                                                                                                               \
    WIRELAB_VISIBLE uint64_t wl_corpus_len(const wl_corpus* corpus) { return corpus->messages->size(); }            \
    WIRELAB_VISIBLE void wl_corpus_close(wl_corpus* corpus) { delete corpus; }                                      \
    WIRELAB_VISIBLE int wl_session_open(const wl_corpus* corpus, const char* codec, wl_session** out) {             \
        return wirelab::guarded([&] {                                                                               \
            for (const auto& [name, open] : OPENERS) {                                                              \
                if (std::string_view(name) != codec) continue;                                                      \
                *out = new wl_session{open(corpus->messages)};                                                      \
                return;                                                                                             \
            }                                                                                                       \
            throw wirelab::Failure(std::string("there is no codec '") + codec + "' in this pack");                  \
        });                                                                                                         \
    }                                                                                                               \
    WIRELAB_VISIBLE void wl_session_close(wl_session* session) { delete session; }                                  \
    WIRELAB_VISIBLE int wl_encode(wl_session* session, uint64_t index, const uint8_t** out, size_t* len) {          \
        return wirelab::guarded([&] {                                                                               \
            const wirelab::Bytes made = session->inner->encode(index);                                              \
            *out = made.data();                                                                                     \
            *len = made.size();                                                                                     \
        });                                                                                                         \
    }                                                                                                               \
    WIRELAB_VISIBLE int wl_decode(wl_session* session, const uint8_t* bytes, size_t len, uint64_t* checksum) {      \
        return wirelab::guarded([&] { *checksum = session->inner->decode({bytes, len}); });                         \
    }                                                                                                               \
    WIRELAB_VISIBLE int wl_to_json(wl_session* session, const uint8_t* bytes, size_t len, const uint8_t** out,      \
                                   size_t* out_len) {                                                               \
        return wirelab::guarded([&] {                                                                               \
            const std::string_view made = session->inner->to_json({bytes, len});                                    \
            *out = wirelab::bytes(made).data();                                                                     \
            *out_len = made.size();                                                                                 \
        });                                                                                                         \
    }                                                                                                               \
    WIRELAB_VISIBLE int wl_run(wl_session* session, uint32_t phase, uint64_t first, uint64_t count,                 \
                               uint64_t iterations, wl_timing* out) {                                               \
        return wirelab::guarded([&] { *out = session->inner->run(phase, first, count, iterations); });              \
    }                                                                                                               \
    }
#define WIRELAB_VISIBLE __attribute__((visibility("default")))
