// Cap'n Proto with the official library: the compiler's readers as a source, its builders as a
// sink.
#pragma once
#include <capnp/message.h>
#include <capnp/serialize-packed.h>
#include <capnp/serialize.h>
#include <kj/io.h>

#include "session.hpp"

namespace wirelab::cp {

// Access to a field, by its name, in any of the compiler's structs.
#define WIRELAB_CP_FIELD(ACCESS, NAME)                                              \
    ACCESS {                                                                        \
        template <class O>                                                          \
        static auto get(O o) { return o.get##NAME(); }                              \
        template <class O>                                                          \
        static bool has(O o) { return o.has##NAME(); }                              \
        template <class O, class V>                                                 \
        static void set(O o, V v) { o.set##NAME(v); }                               \
        template <class O, class... N>                                              \
        static auto init(O o, N... n) { return o.init##NAME(n...); }                \
    };

template <std::size_t I>
struct Named;
WIRELAB_CP_FIELD(struct ItemsNamed, Items)
WIRELAB_CP_FIELD(struct EntriesNamed, Entries)
WIRELAB_CP_FIELD(struct ValueNamed, Value)

// The field of the struct that wraps a null in a list.
template <class T>
using Wrapped = std::conditional_t<is_list<Strip<T>>, ItemsNamed,
                                   std::conditional_t<is_map<Strip<T>>, EntriesNamed, ValueNamed>>;

// Whether a field is a union of Void and a value, for a scalar that may be absent.
template <class G>
inline constexpr bool is_void_or_value = requires(G group) { group.isValue(); };

template <class O, class A>
struct FromField;

// An item of a list, a present field, or a struct.
template <class V>
struct From {
    V at;

    template <class W>
    bool there() const {
        return FromField<V, Wrapped<W>>{at}.template there<W>();
    }
    template <class W>
    auto inner() const {
        return FromField<V, Wrapped<W>>{at}.template inner<W>();
    }
    template <class T>
    auto get() const {
        if constexpr (is_instant<T>) return Timestamp::of_nanos(at);
        else if constexpr (is_octets<T>) return Octets{{reinterpret_cast<const char*>(at.begin()), at.size()}};
        else if constexpr (is_text<T>) return std::string_view(at.begin(), at.size());
        else return static_cast<T>(at);
    }
    template <class>
    std::size_t size() const {
        return at.size();
    }
    template <class, class Visit>
    void each(Visit visit) const {
        for (auto item : at) visit(From<decltype(item)>{item});
    }
    template <class M, class Visit>
    void entries(Visit visit) const {
        for (auto entry : at) {
            const auto key = entry.getKey();
            visit(std::string_view(key.begin(), key.size()), FromField<decltype(entry), ValueNamed>{entry});
        }
    }
    template <class>
    From record() const {
        return *this;
    }
    template <std::size_t I>
    auto field() const {
        return FromField<V, Named<I>>{at};
    }
    // A union is a struct with an unnamed union.
    template <class>
    std::size_t which() const {
        return static_cast<std::size_t>(at.which());
    }
    template <class, std::size_t I>
    auto alternative() const {
        return FromField<V, Named<I>>{at};
    }
};

template <class O, class A>
struct FromField {
    O at;
    auto value() const {
        auto found = A::get(at);
        if constexpr (is_void_or_value<decltype(found)>) return From<decltype(found.getValue())>{found.getValue()};
        else return From<decltype(found)>{found};
    }

    template <class>
    bool there() const {
        if constexpr (is_void_or_value<decltype(A::get(at))>) return A::get(at).isValue();
        else return A::has(at);
    }
    template <class>
    FromField inner() const {
        return *this;
    }
};

// A scalar in the form that builders accept. Text must end with a NUL; that of native objects does.
template <class V>
auto given(const V& value) {
    const auto plain = slot(value);
    if constexpr (requires { value.view(); }) {
        return capnp::Data::Reader(reinterpret_cast<const kj::byte*>(plain.data()), plain.size());
    } else if constexpr (std::is_same_v<decltype(plain), const std::string_view>) {
        return capnp::Text::Reader(plain.data(), plain.size());
    } else {
        return plain;
    }
}

template <class O, class A>
struct IntoField;

template <class O>
struct Into {
    static constexpr bool COUNTS = false;
    O at;
    template <std::size_t I, class>
    auto field() {
        return IntoField<O, Named<I>>{at};
    }
    template <std::size_t, class>
    void absent() {}
    void end() {}
    template <class>
    Into record(std::size_t) {
        return *this;
    }
    template <class, std::size_t I>
    auto alternative() {
        return IntoField<O, Named<I>>{at};
    }
};

template <class L>
struct IntoItem;

template <class L>
struct Many {
    L at;
    unsigned index = 0;
    auto next() { return IntoItem<L>{at, index++}; }
    auto next(std::string_view key) {
        auto entry = at[index++];
        entry.setKey(given(key));
        return IntoField<decltype(entry), ValueNamed>{entry};
    }
    void end() {}
};

template <class L>
struct IntoItem {
    static constexpr bool COUNTS = false;
    L at;
    unsigned index;

    template <class W>
    auto some() {
        return IntoField<decltype(at[index]), Wrapped<W>>{at[index]};
    }
    template <class>
    void none() {}
    template <class V>
    void put(const V& value) {
        at.set(index, given(value));
    }
    template <class>
    auto list(std::size_t size) {
        auto made = at.init(index, static_cast<unsigned>(size));
        return Many<decltype(made)>{made};
    }
    template <class T>
    auto map(std::size_t size) {
        return list<T>(size);
    }
    template <class>
    auto record(std::size_t) {
        return Into<decltype(at[index])>{at[index]};
    }
    template <class, std::size_t I>
    auto alternative() {
        return IntoField<decltype(at[index]), Named<I>>{at[index]};
    }
};

template <class O, class A>
struct IntoField {
    static constexpr bool COUNTS = false;
    O at;

    template <class>
    IntoField some() {
        return *this;
    }
    template <class>
    void none() {}
    template <class V>
    void put(const V& value) {
        if constexpr (is_void_or_value<decltype(A::get(at))>) A::get(at).setValue(given(value));
        else A::set(at, given(value));
    }
    template <class>
    auto list(std::size_t size) {
        auto made = A::init(at, static_cast<unsigned>(size));
        return Many<decltype(made)>{made};
    }
    template <class T>
    auto map(std::size_t size) {
        return list<T>(size);
    }
    template <class>
    auto record(std::size_t) {
        auto made = A::init(at);
        return Into<decltype(made)>{made};
    }
    template <class, std::size_t I>
    auto alternative() {
        auto made = A::init(at);
        return IntoField<decltype(made), Named<I>>{made};
    }
};

// `Root` is the compiler's struct of a message. A message that is not a record is wrapped in a
// field `value`.
template <class M, class Root>
class Base {
public:
    using Domain = M;

protected:
    static void fill(capnp::MessageBuilder& message, const M& native) {
        auto root = message.initRoot<Root>();
        if constexpr (is_record<M> || is_union<M>) copy<M>(wirelab::from(native), Into<decltype(root)>{root});
        else copy<M>(wirelab::from(native), IntoField<decltype(root), ValueNamed>{root});
    }
    static auto source(capnp::MessageReader& message) {
        auto root = message.getRoot<Root>();
        if constexpr (is_record<M> || is_union<M>) return From<decltype(root)>{root};
        else return FromField<decltype(root), ValueNamed>{root};
    }
    static kj::ArrayPtr<const kj::byte> bytes_of(Bytes bytes) { return {bytes.data(), bytes.size()}; }
};

template <class M, class Root>
class Unpacked : public Base<M, Root> {
public:
    Bytes serialize(const M& native) {
        capnp::MallocMessageBuilder message;
        this->fill(message, native);
        words_ = capnp::messageToFlatArray(message);
        const auto made = words_.asBytes();
        return {made.begin(), made.size()};
    }
    void access(Bytes bytes) {
        capnp::FlatArrayMessageReader message(words(bytes));
        keep(message.getRoot<Root>());
    }
    void decode(Bytes bytes, Checksum& sum) {
        capnp::FlatArrayMessageReader message(words(bytes));
        whole(message, bytes);
        fold<M>(this->source(message), sum);
    }
    void convert(Bytes bytes, M& native) {
        capnp::FlatArrayMessageReader message(words(bytes));
        whole(message, bytes);
        copy<M>(this->source(message), wirelab::into(native));
    }

private:
    static kj::ArrayPtr<const capnp::word> words(Bytes bytes) {
        if (bytes.size() % sizeof(capnp::word) != 0) throw Failure("a message is not made of whole words");
        return {reinterpret_cast<const capnp::word*>(bytes.data()), bytes.size() / sizeof(capnp::word)};
    }
    static void whole(capnp::FlatArrayMessageReader& message, Bytes bytes) {
        if (message.getEnd() != words(bytes).end()) throw Failure("bytes after the end of the message");
    }

    kj::Array<capnp::word> words_;
};

template <class M, class Root>
class Packed : public Base<M, Root> {
public:
    Bytes serialize(const M& native) {
        capnp::MallocMessageBuilder message;
        this->fill(message, native);
        capnp::writePackedMessage(out_.emplace(), message);
        const auto made = out_->getArray();
        return {made.begin(), made.size()};
    }
    void decode(Bytes bytes, Checksum& sum) {
        kj::ArrayInputStream in(this->bytes_of(bytes));
        capnp::PackedMessageReader message(in);
        whole(in);
        fold<M>(this->source(message), sum);
    }
    void convert(Bytes bytes, M& native) {
        kj::ArrayInputStream in(this->bytes_of(bytes));
        capnp::PackedMessageReader message(in);
        whole(in);
        copy<M>(this->source(message), wirelab::into(native));
    }

private:
    static void whole(kj::ArrayInputStream& in) {
        if (in.tryGetReadBuffer().size() != 0) throw Failure("bytes after the end of the message");
    }

    std::optional<kj::VectorOutputStream> out_;
};

}  // namespace wirelab::cp
