// Protobuf with the official library: protoc's classes as a source and as a sink.
#pragma once
#include <google/protobuf/message_lite.h>

#include "dom.hpp"
#include "entries.hpp"
#include "objects.hpp"

namespace wirelab::pb {

// Access to a field, by its name, in any of protoc's classes.
#define WIRELAB_PB_FIELD(ACCESS, NAME)                                                          \
    ACCESS {                                                                                    \
        template <class O>                                                                      \
        static bool has(const O& o) { return o.has_##NAME(); }                                  \
        template <class O>                                                                      \
        static decltype(auto) get(const O& o) { return o.NAME(); }                              \
        template <class O>                                                                      \
        static auto* mut(O& o) { return o.mutable_##NAME(); }                                   \
        template <class O, class... V>                                                          \
        static void set(O& o, V... v) { o.set_##NAME(v...); }                                   \
    };

template <std::size_t I>
struct Named;
WIRELAB_PB_FIELD(struct ItemsNamed, items)
WIRELAB_PB_FIELD(struct EntriesNamed, entries)
WIRELAB_PB_FIELD(struct ValueNamed, value)

// The field of the message that wraps a value which cannot be an item of a list or map.
template <class T>
using Wrapped = std::conditional_t<is_list<Strip<T>>, ItemsNamed,
                                   std::conditional_t<is_map<Strip<T>>, EntriesNamed, ValueNamed>>;

// A timestamp as google.protobuf.Timestamp has it: a message of seconds and nanos.
template <class O>
Timestamp instant_of(const O& message) {
    std::int64_t nanos = 0;
    if (__builtin_mul_overflow(message.seconds(), std::int64_t{1000000000}, &nanos) ||
        __builtin_add_overflow(nanos, message.nanos(), &nanos)) {
        throw Failure("a timestamp exceeds 64 bits of ns");
    }
    return Timestamp::of_nanos(nanos);
}
template <class O>
void set_instant(O& message, std::int64_t nanos) {
    std::int64_t seconds = nanos / 1000000000, rest = nanos % 1000000000;
    if (rest < 0) --seconds, rest += 1000000000;
    message.set_seconds(seconds);
    message.set_nanos(static_cast<std::int32_t>(rest));
}

template <class O>
struct FromItem;

template <class O, class A>
struct FromField {
    const O* at;

    template <class W>
    bool there() const {
        using T = Strip<W>;
        if constexpr (is_list<T> || is_map<T>) return !A::get(*at).empty();
        else return A::has(*at);
    }
    template <class>
    FromField inner() const {
        return *this;
    }
    template <class T>
    decltype(auto) get() const {
        return FromItem<std::decay_t<decltype(A::get(*at))>>::template value<T>(A::get(*at));
    }
    template <class>
    std::size_t size() const {
        return static_cast<std::size_t>(A::get(*at).size());
    }
    template <class, class Visit>
    void each(Visit visit) const {
        for (const auto& item : A::get(*at)) visit(FromItem<std::decay_t<decltype(item)>>{&item});
    }
    template <class, class Visit>
    void entries(Visit visit) const {
        const auto& map = A::get(*at);
        using V = std::decay_t<decltype(map.begin()->second)>;
        Entries<const V*> all;
        for (const auto& entry : map) all.add(entry.first, &entry.second);
        all.each([&](std::string_view key, const V* value) { visit(key, FromItem<V>{value}); });
    }
    template <class>
    auto record() const {
        return message();
    }
    template <class U>
    std::size_t which() const {
        return message().template which<U>();
    }
    template <class U, std::size_t I>
    auto alternative() const {
        return message().template alternative<U, I>();
    }

private:
    auto message() const { return FromItem<std::decay_t<decltype(A::get(*at))>>{&A::get(*at)}; }
};

// An item of a list, a value of a map, or a message.
template <class O>
struct FromItem {
    const O* at;

    template <class T>
    static auto value(const O& scalar) {
        if constexpr (is_instant<T> && std::is_class_v<O>) return instant_of(scalar);
        else if constexpr (is_instant<T>) return Timestamp::of_nanos(scalar);
        else if constexpr (is_octets<T>) return Octets{scalar};
        else if constexpr (is_text<T>) return std::string_view(scalar);
        else return scalar;
    }
    template <class W>
    bool there() const {
        return FromField<O, Wrapped<W>>{at}.template there<W>();
    }
    template <class W>
    auto inner() const {
        return FromField<O, Wrapped<W>>{at};
    }
    template <class T>
    auto get() const {
        return value<T>(*at);
    }
    template <class L>
    std::size_t size() const {
        return FromField<O, Wrapped<L>>{at}.template size<L>();
    }
    template <class L, class Visit>
    void each(Visit visit) const {
        FromField<O, Wrapped<L>>{at}.template each<L>(visit);
    }
    template <class L, class Visit>
    void entries(Visit visit) const {
        FromField<O, Wrapped<L>>{at}.template entries<L>(visit);
    }
    template <class>
    FromItem record() const {
        return *this;
    }
    template <std::size_t I>
    auto field() const {
        return FromField<O, Named<I>>{at};
    }
    // A union is a message with a oneof, whose fields are numbered from 1. A list or map in it is
    // wrapped in a message.
    template <class>
    std::size_t which() const {
        if (at->value_case() == 0) throw Failure("a union has no alternative that is known");
        return static_cast<std::size_t>(at->value_case()) - 1;
    }
    template <class U, std::size_t I>
    auto alternative() const {
        const FromField<O, Named<I>> found{at};
        if constexpr (is_list<Alternative<U, I>> || is_map<Alternative<U, I>>) return found.template record<U>();
        else return found;
    }
};

template <class O>
struct IntoItem;

template <class O, class A>
struct IntoField {
    static constexpr bool COUNTS = false;
    O* at;

    template <class>
    IntoField some() {
        return *this;
    }
    template <class>
    void none() {}
    template <class V>
    void put(const V& value) {
        const auto plain = slot(value);
        using F = std::decay_t<decltype(A::get(*at))>;
        if constexpr (is_instant<V> && std::is_class_v<F>) set_instant(*A::mut(*at), plain);
        else if constexpr (std::is_same_v<decltype(plain), const std::string_view>) A::set(*at, plain.data(), plain.size());
        else A::set(*at, plain);
    }

    template <class Container>
    struct Many {
        Container* at;
        auto next() {
            using Item = std::decay_t<decltype(*at->begin())>;
            return IntoItem<Item>{at->Add()};
        }
        auto next(std::string_view key) {
            auto& value = (*at)[std::string(key)];
            return IntoItem<std::decay_t<decltype(value)>>{&value};
        }
        void end() {}
    };
    template <class>
    auto list(std::size_t size) {
        auto* all = A::mut(*at);
        all->Reserve(static_cast<int>(size));
        return Many<std::decay_t<decltype(*all)>>{all};
    }
    template <class>
    auto map(std::size_t) {
        auto* all = A::mut(*at);
        return Many<std::decay_t<decltype(*all)>>{all};
    }
    template <class>
    auto record(std::size_t) {
        return message();
    }
    template <class U, std::size_t I>
    auto alternative() {
        return message().template alternative<U, I>();
    }

private:
    auto message() {
        auto* made = A::mut(*at);
        return IntoItem<std::decay_t<decltype(*made)>>{made};
    }
};

template <class O>
struct IntoItem {
    static constexpr bool COUNTS = false;
    O* at;

    template <class W>
    auto some() {
        return IntoField<O, Wrapped<W>>{at};
    }
    template <class>
    void none() {}
    template <class V>
    void put(const V& value) {
        if constexpr (is_instant<V> && std::is_class_v<O>) set_instant(*at, slot(value));
        else *at = O(slot(value));
    }
    template <class L>
    auto list(std::size_t size) {
        return IntoField<O, Wrapped<L>>{at}.template list<L>(size);
    }
    template <class T>
    auto map(std::size_t size) {
        return IntoField<O, Wrapped<T>>{at}.template map<T>(size);
    }
    template <class>
    IntoItem record(std::size_t) {
        return *this;
    }
    template <std::size_t I, class>
    auto field() {
        return IntoField<O, Named<I>>{at};
    }
    template <std::size_t, class>
    void absent() {}
    void end() {}
    template <class U, std::size_t I>
    auto alternative() {
        IntoField<O, Named<I>> made{at};
        if constexpr (is_list<Alternative<U, I>> || is_map<Alternative<U, I>>) return made.template record<U>(0);
        else return made;
    }
};

// A complete message: a record or union is its own message, anything else is wrapped in a field
// `value`.
template <class M, class Root>
class Wire {
public:
    static auto source(const Root& object) {
        if constexpr (is_record<M> || is_union<M>) return FromItem<Root>{&object};
        else return FromField<Root, ValueNamed>{&object};
    }
    static auto sink(Root& object) {
        if constexpr (is_record<M> || is_union<M>) return IntoItem<Root>{&object};
        else return IntoField<Root, ValueNamed>{&object};
    }
    Bytes write(const Root& object) {
        const std::size_t size = object.ByteSizeLong();
        buffer_.resize(size);
        if (size > INT32_MAX) throw Failure("a Protobuf message holds 2 GiB at most");
        object.SerializeWithCachedSizesToArray(buffer_.data());
        return buffer_;
    }
    static void read(Bytes bytes, Root& object) {
        if (!object.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
            throw Failure("not a whole valid Protobuf message");
        }
        // ParseFromArray calls this and rejects the message if it returns false. proto3 has no
        // required fields, but with CODE_SIZE, libprotobuf 3.21 reports a map entry as
        // uninitialized if its empty message was omitted.
        keep(object.IsInitialized());
    }

private:
    std::vector<std::uint8_t> buffer_;
};

// `Root` is protoc's class of a message.
template <class M, class Root>
using Native = Objects<M, Root, Wire<M, Root>>;

// From a JSON DOM and back.
template <class M, class Root>
using Dom = Objects<M, Root, Wire<M, Root>, DomDomain<M>>;

}  // namespace wirelab::pb
