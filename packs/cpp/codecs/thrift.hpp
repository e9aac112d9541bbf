// Thrift with the official library: the compiler's structs as a source and as a sink.
#pragma once
#include <thrift/protocol/TBinaryProtocol.h>
#include <thrift/protocol/TCompactProtocol.h>
#include <thrift/transport/TBufferTransports.h>

#include "objects.hpp"

namespace wirelab::th {

// Access to a field, by its name, in any of the compiler's structs. Required fields have no
// presence flag.
#define WIRELAB_TH_FIELD(ACCESS, NAME)                                    \
    ACCESS {                                                              \
        template <class O>                                                \
        static auto& get(O& o) { return o.NAME; }                         \
        template <class O>                                                \
        static bool has(const O& o) {                                     \
            if constexpr (requires { o.__isset.NAME; }) return o.__isset.NAME; \
            else return true;                                             \
        }                                                                 \
        template <class O>                                                \
        static void mark(O& o) {                                          \
            if constexpr (requires { o.__isset.NAME; }) o.__isset.NAME = true; \
        }                                                                 \
    };

template <std::size_t I>
struct Named;
WIRELAB_TH_FIELD(struct ItemsNamed, items)
WIRELAB_TH_FIELD(struct EntriesNamed, entries)
WIRELAB_TH_FIELD(struct ValueNamed, value)

// The field of the struct that wraps a null in a list or map.
template <class T>
using Wrapped = std::conditional_t<is_list<Strip<T>>, ItemsNamed,
                                   std::conditional_t<is_map<Strip<T>>, EntriesNamed, ValueNamed>>;

// A field, or what a reference to a struct in a cycle points to. The library drops a reference to a
// struct without fields that are set.
template <class O>
const O& opened(const O& field) {
    return field;
}
template <class O>
const O& opened(const std::shared_ptr<O>& box) {
    static const O EMPTY;
    return box ? *box : EMPTY;
}
template <class O>
O& made(O& field) {
    return field;
}
template <class O>
O& made(std::shared_ptr<O>& box) {
    box = std::make_shared<O>();
    return *box;
}

template <class O, class A>
struct FromField;

// An item of a list, a value of a map, a present field, or a struct.
template <class O>
struct From {
    const O* at;

    template <class W>
    bool there() const {
        return FromField<O, Wrapped<W>>{at}.template there<W>();
    }
    template <class W>
    auto inner() const {
        return FromField<O, Wrapped<W>>{at}.template inner<W>();
    }
    template <class T>
    auto get() const {
        if constexpr (is_instant<T>) return Timestamp::of_nanos(*at);
        else if constexpr (is_octets<T>) return Octets{*at};
        else if constexpr (is_text<T>) return std::string_view(*at);
        else return static_cast<T>(*at);
    }
    template <class>
    std::size_t size() const {
        return at->size();
    }
    template <class, class Visit>
    void each(Visit visit) const {
        for (auto&& item : *at) visit(From<std::decay_t<decltype(item)>>{&item});
    }
    template <class, class Visit>
    void entries(Visit visit) const {
        for (const auto& [key, value] : *at) {
            visit(std::string_view(key), From<std::decay_t<decltype(value)>>{&value});
        }
    }
    template <class>
    From record() const {
        return *this;
    }
    template <std::size_t I>
    auto field() const {
        return FromField<O, Named<I>>{at};
    }
    // The library reads a union as a struct: it has exactly one field that is set.
    template <class U>
    std::size_t which() const {
        std::size_t set = 0, last = 0;
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((Named<I>::has(*at) ? void((++set, last = I)) : void()), ...);
        }(std::make_index_sequence<U::ALTERNATIVES>());
        if (set != 1) throw Failure("a union has " + std::to_string(set) + " alternatives that are known");
        return last;
    }
    template <class, std::size_t I>
    auto alternative() const {
        return FromField<O, Named<I>>{at};
    }
};

template <class O, class A>
struct FromField {
    const O* at;
    auto value() const {
        if (!A::has(*at)) throw Failure("a field is missing");
        const auto& found = opened(A::get(*at));
        return From<std::decay_t<decltype(found)>>{&found};
    }

    template <class>
    bool there() const {
        return A::has(*at);
    }
    // A null in an optional field shares its presence flag.
    template <class W>
    auto inner() const {
        if constexpr (is_optional<typename W::value_type>) return *this;
        else return value();
    }
};

template <class O, class A>
struct IntoField;

template <class O>
struct Into {
    static constexpr bool COUNTS = false;
    O* at;

    template <class W>
    auto some() {
        return IntoField<O, Wrapped<W>>{at}.template some<W>();
    }
    template <class>
    void none() {}
    template <class V>
    void put(const V& value) {
        if constexpr (std::is_same_v<O, std::string>) at->assign(std::string_view(slot(value)));
        else *at = static_cast<O>(slot(value));
    }

    struct Many {
        O* at;
        auto next() {
            if constexpr (std::is_same_v<O, std::vector<bool>>) return IntoBools{at};
            else return Into<typename O::value_type>{&at->emplace_back()};
        }
        auto next(std::string_view key) {
            auto& value = at->try_emplace(at->end(), std::string(key))->second;
            return Into<std::decay_t<decltype(value)>>{&value};
        }
        void end() {}
    };
    template <class>
    Many list(std::size_t size) {
        at->reserve(size);
        return {at};
    }
    template <class>
    Many map(std::size_t) {
        return {at};
    }
    template <class>
    Into record(std::size_t) {
        return *this;
    }
    template <std::size_t I, class>
    auto field() {
        return IntoField<O, Named<I>>{at};
    }
    template <std::size_t, class>
    void absent() {}
    void end() {}
    template <class, std::size_t I>
    auto alternative() {
        Named<I>::mark(*at);
        return IntoField<O, Named<I>>{at};
    }
};

template <class O, class A>
struct IntoField {
    static constexpr bool COUNTS = false;
    O* at;
    auto value() {
        auto& field = made(A::get(*at));
        return Into<std::decay_t<decltype(field)>>{&field};
    }

    template <class W>
    auto some() {
        if constexpr (is_optional<typename W::value_type>) {
            return *this;
        } else {
            A::mark(*at);
            return value();
        }
    }
    template <class>
    void none() {}
};

template <class M, class Root, class Protocol>
class Wire {
    using Buffer = apache::thrift::transport::TMemoryBuffer;
    // Structs within each other: the levels of recursive records, and what wraps their nulls.
    static constexpr std::uint32_t MOST = 256;

public:
    Wire() {
        writer_.setRecurisionLimit(MOST);
        start();
    }
    static auto source(const Root& object) {
        if constexpr (is_record<M> || is_union<M>) return From<Root>{&object};
        else return FromField<Root, ValueNamed>{&object};
    }
    static auto sink(Root& object) {
        if constexpr (is_record<M> || is_union<M>) return Into<Root>{&object};
        else return IntoField<Root, ValueNamed>{&object};
    }
    Bytes write(const Root& object) {
        out_->resetBuffer();
        object.write(&writer_);
        std::uint8_t* data = nullptr;
        std::uint32_t size = 0;
        out_->getBuffer(&data, &size);
        return {data, size};
    }
    void read(Bytes bytes, Root& object) {
        // The buffer is only read: an observing transport never writes to it.
        in_->resetBuffer(const_cast<std::uint8_t*>(bytes.data()), static_cast<std::uint32_t>(bytes.size()));
        try {
            object.read(&*reader_);
        } catch (...) {
            start();
            throw;
        }
        if (in_->available_read() != 0) {
            throw Failure(std::to_string(in_->available_read()) + " bytes after the end of the message");
        }
    }

private:
    // A reader that threw counts its levels wrong.
    void start() { reader_.emplace(in_).setRecurisionLimit(MOST); }

    std::shared_ptr<Buffer> out_ = std::make_shared<Buffer>();
    std::shared_ptr<Buffer> in_ = std::make_shared<Buffer>();
    Protocol writer_{out_};
    std::optional<Protocol> reader_;
};

template <class M, class Root, class Protocol>
using Codec = Objects<M, Root, Wire<M, Root, Protocol>>;

}  // namespace wirelab::th
