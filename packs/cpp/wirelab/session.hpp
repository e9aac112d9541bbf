// A codec with its corpus: single messages for peers, timed loops for measurements. Equivalent to
// packs/rust/runtime.
#pragma once
#include <algorithm>
#include <ctime>
#include <memory>
#include <span>

#include "json.hpp"
#include "native.hpp"
#include "wirelab_pack.h"

namespace wirelab {

using Bytes = std::span<const std::uint8_t>;

inline std::string_view text(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
inline Bytes bytes(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

// Prevents the compiler from removing an unused value.
template <class T>
inline void keep(const T& value) {
    asm volatile("" : : "g"(&value) : "memory");
}

// The messages under test, shared by all sessions on them.
template <class M>
using Corpus = std::shared_ptr<const std::vector<M>>;

struct AnySession {
    virtual ~AnySession() = default;
    virtual Bytes encode(std::uint64_t index) = 0;
    virtual std::uint64_t decode(Bytes bytes) = 0;
    virtual std::string_view to_json(Bytes bytes) = 0;
    virtual wl_timing run(std::uint32_t phase, std::uint64_t first, std::uint64_t count, std::uint64_t iterations) = 0;
};

// A codec of a message M. `Domain` is the application's object (M, or a JSON DOM), `Object` the
// library's; if the library accepts the domain object itself, there are no phases populate and
// encode.
template <class Codec, class M>
class Session final : public AnySession {
    using Domain = typename Codec::Domain;
    static constexpr bool HAS_OBJECTS = requires(Codec codec, Domain domain) { codec.populate(domain); };
    static constexpr bool HAS_ACCESS = requires(Codec codec, Bytes bytes) { codec.access(bytes); };

public:
    explicit Session(Corpus<M> corpus) : corpus_(std::move(corpus)) {
        domain_.reserve(corpus_->size());
        for (const M& native : *corpus_) {
            if constexpr (std::is_same_v<Domain, M>) {
                domain_.push_back(&native);
            } else {
                domain_.push_back(std::make_unique<Domain>(codec_.domain(native)));
            }
            const Bytes made = codec_.serialize(*domain_.back());
            encoded_.emplace_back(made);
        }
    }

    Bytes encode(std::uint64_t index) override { return codec_.serialize(*part(domain_, index, 1)[0]); }

    std::uint64_t decode(Bytes bytes) override {
        Checksum sum;
        codec_.decode(aligned(bytes), sum);
        return sum.value();
    }

    std::string_view to_json(Bytes bytes) override {
        M native{};
        if constexpr (std::is_same_v<Domain, M>) {
            codec_.convert(aligned(bytes), native);
        } else {
            Domain domain{};
            codec_.convert(aligned(bytes), domain);
            codec_.native(domain, native);
        }
        json_.Clear();
        write_json(native, json_);
        return {json_.GetString(), json_.GetSize()};
    }

    wl_timing run(std::uint32_t phase, std::uint64_t first, std::uint64_t count, std::uint64_t iterations) override {
        switch (phase) {
            case WL_POPULATE:
                if constexpr (HAS_OBJECTS) {
                    return timed(part(domain_, first, count), iterations, [&](const auto& one, wl_timing&) {
                        keep(codec_.populate(*one));
                    });
                }
                break;
            case WL_ENCODE:
                if constexpr (HAS_OBJECTS) {
                    fill();
                    return timed(part(objects_, first, count), iterations, [&](auto& one, wl_timing& tally) {
                        produced(codec_.encode(one), tally);
                    });
                }
                [[fallthrough]];
            case WL_SERIALIZE:
                return timed(part(domain_, first, count), iterations, [&](const auto& one, wl_timing& tally) {
                    produced(codec_.serialize(*one), tally);
                });
            case WL_ACCESS:
                if constexpr (HAS_ACCESS) {
                    return timed(part(encoded_, first, count), iterations, [&](const auto& one, wl_timing& tally) {
                        tally.bytes += one.view().size();
                        codec_.access(one.view());
                    });
                }
                break;
            case WL_ACCESS_VALIDATED:
                if constexpr (requires { codec_.access_validated(Bytes()); }) {
                    return timed(part(encoded_, first, count), iterations, [&](const auto& one, wl_timing& tally) {
                        tally.bytes += one.view().size();
                        codec_.access_validated(one.view());
                    });
                }
                break;
            case WL_DESERIALIZE:
                // With a DOM, the message is usable as soon as the DOM exists.
                if constexpr (!std::is_same_v<Domain, M>) return built(first, count, iterations);
                [[fallthrough]];
            case WL_DECODE:
                return timed(part(encoded_, first, count), iterations, [&](const auto& one, wl_timing& tally) {
                    Checksum sum;
                    codec_.decode(one.view(), sum);
                    tally.bytes += one.view().size();
                    tally.checksum += sum.value();
                });
            case WL_CONVERT:
                return built(first, count, iterations);
            default:
                throw Failure("there is no phase " + std::to_string(phase));
        }
        throw Failure("this codec has no phase " + std::to_string(phase));
    }

private:
    // One allocation per message: zero-copy formats need each message aligned as malloc aligns it.
    class Message {
    public:
        explicit Message(Bytes bytes) : bytes_(new std::uint8_t[bytes.size()]), size_(bytes.size()) {
            std::copy(bytes.begin(), bytes.end(), bytes_.get());
        }
        Bytes view() const { return {bytes_.get(), size_}; }

    private:
        std::unique_ptr<std::uint8_t[]> bytes_;
        std::size_t size_;
    };

    wl_timing built(std::uint64_t first, std::uint64_t count, std::uint64_t iterations) {
        return timed(part(encoded_, first, count), iterations, [&](const auto& one, wl_timing& tally) {
            tally.bytes += one.view().size();
            Domain domain{};
            codec_.convert(one.view(), domain);
            keep(domain);
        });
    }

    static void produced(Bytes bytes, wl_timing& tally) {
        keep(bytes);
        tally.bytes += bytes.size();
        tally.checksum += bytes.size();
    }

    void fill() {
        if constexpr (HAS_OBJECTS) {
            if (!objects_.empty()) return;
            for (const auto& one : domain_) objects_.push_back(codec_.populate(*one));
        }
    }

    static std::uint64_t now(clockid_t clock) {
        timespec time{};
        clock_gettime(clock, &time);
        return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
    }

    // The timed loop: only the operation and two additions per message.
    template <class T, class Operation>
    static wl_timing timed(std::span<T> items, std::uint64_t iterations, Operation operation) {
        wl_timing tally{};
        const std::uint64_t wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_THREAD_CPUTIME_ID);
        for (std::uint64_t round = 0; round < iterations; ++round) {
            for (T& item : items) operation(item, tally);
        }
        tally.cpu_ns = now(CLOCK_THREAD_CPUTIME_ID) - cpu;
        tally.wall_ns = now(CLOCK_MONOTONIC) - wall;
        tally.operations = iterations * items.size();
        return tally;
    }

    template <class T>
    static std::span<T> part(std::vector<T>& items, std::uint64_t first, std::uint64_t count) {
        if (first > items.size() || count > items.size() - first) {
            throw Failure("messages " + std::to_string(first) + " to " + std::to_string(first) + "+" +
                          std::to_string(count) + " of a corpus of " + std::to_string(items.size()));
        }
        return std::span<T>(items).subspan(first, count);
    }

    Bytes aligned(Bytes bytes) {
        if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(std::max_align_t) == 0) return bytes;
        copy_.assign(bytes.begin(), bytes.end());
        return copy_;
    }

    template <class C, class D>
    struct ObjectOf {
        using Type = int;
    };
    template <class C, class D>
        requires requires(C codec, D domain) { codec.populate(domain); }
    struct ObjectOf<C, D> {
        using Type = decltype(std::declval<C&>().populate(std::declval<const D&>()));
    };
    using Held = std::conditional_t<std::is_same_v<Domain, M>, const M*, std::unique_ptr<Domain>>;

    Codec codec_;
    Corpus<M> corpus_;
    std::vector<Held> domain_;
    std::vector<Message> encoded_;
    std::vector<typename ObjectOf<Codec, Domain>::Type> objects_;
    std::vector<std::uint8_t> copy_;
    JsonBuffer json_;
};

template <class Codec, class M>
std::unique_ptr<AnySession> open_session(Corpus<M> corpus) {
    return std::make_unique<Session<Codec, M>>(std::move(corpus));
}

}  // namespace wirelab
