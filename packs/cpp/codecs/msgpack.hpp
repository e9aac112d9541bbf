// MessagePack with msgpack-cxx: its packer as a sink, its objects as a source. Records are maps
// with text keys.
#pragma once
#include <msgpack.hpp>

#include "entries.hpp"
#include "session.hpp"
#include "unions.hpp"

namespace wirelab::mp {

// A reused buffer with the interface that the packer requires.
struct Buffer {
    std::vector<std::uint8_t> bytes;
    void write(const char* from, std::size_t count) {
        const auto* begin = reinterpret_cast<const std::uint8_t*>(from);
        bytes.insert(bytes.end(), begin, begin + count);
    }
};

using Packer = msgpack::packer<Buffer>;

struct Into {
    static constexpr bool COUNTS = true, HOLDS_ANY = true;
    Packer* out;

    template <class>
    Into some() {
        return *this;
    }
    template <class>
    void none() {
        out->pack_nil();
    }
    template <class V>
    void put(const V& value) {
        const auto plain = slot(value);
        if constexpr (is_octets<V> || std::is_same_v<V, Octets>) {
            out->pack_bin(size(plain.size()));
            out->pack_bin_body(plain.data(), size(plain.size()));
        } else if constexpr (std::is_same_v<decltype(plain), const std::string_view>) {
            string(plain);
        } else {
            out->pack(plain);
        }
    }
    Into next() { return *this; }
    Into next(std::string_view key) {
        string(key);
        return *this;
    }
    void end() {}
    template <class>
    Into list(std::size_t count) {
        out->pack_array(size(count));
        return *this;
    }
    template <class>
    Into map(std::size_t count) {
        out->pack_map(size(count));
        return *this;
    }
    template <class T>
    struct Fields {
        Packer* out;
        template <std::size_t I, class>
        Into field() {
            if constexpr (is_tuple<T>) return Into{out};
            return Into{out}.next(T::keys[I]);
        }
        template <std::size_t, class>
        void absent() {}
        void end() {}
    };
    template <class T>
    Fields<T> record(std::size_t count) {
        if constexpr (is_tuple<T>) out->pack_array(size(count));
        else out->pack_map(size(count));
        return {out};
    }
    // In a union a timestamp is text: its number would be an integer.
    struct IntoText {
        static constexpr bool COUNTS = false;
        Packer* out;
        void put(const Timestamp& value) { Into{out}.string(value.text()); }
    };
    template <class U, std::size_t I>
    auto alternative() {
        if constexpr (is_instant<Alternative<U, I>>) return IntoText{out};
        else return *this;
    }

private:
    static std::uint32_t size(std::size_t count) {
        if (count > UINT32_MAX) throw Failure(std::to_string(count) + " is beyond MessagePack's lengths");
        return static_cast<std::uint32_t>(count);
    }
    void string(std::string_view value) {
        out->pack_str(size(value.size()));
        out->pack_str_body(value.data(), size(value.size()));
    }
};

// An unpacked object; null for an absent key.
struct From {
    const msgpack::object* at;

    template <class W>
    bool there() const {
        if constexpr (is_absent<W>) return at != nullptr;
        return at != nullptr && !at->is_nil();
    }
    template <class>
    From inner() const {
        return *this;
    }
    template <class T>
    auto get() const {
        if constexpr (is_instant<T>) return Timestamp::of_nanos(as<std::int64_t>());
        else if constexpr (is_octets<T>) return Octets{{need(msgpack::type::BIN).via.bin.ptr, at->via.bin.size}};
        else if constexpr (is_text<T>) return view(need(msgpack::type::STR));
        else return as<T>();
    }
    template <class L>
    std::size_t size() const {
        if constexpr (is_list<L>) return need(msgpack::type::ARRAY).via.array.size;
        else return need(msgpack::type::MAP).via.map.size;
    }
    template <class, class Visit>
    void each(Visit visit) const {
        for (std::uint32_t index = 0; index < at->via.array.size; ++index) visit(From{at->via.array.ptr + index});
    }
    template <class, class Visit>
    void entries(Visit visit) const {
        Entries<From> all;
        members([&](std::string_view key, From value) { all.add(key, value); });
        all.each(visit);
    }
    // In the order of the message.
    template <class Visit>
    void members(Visit visit) const {
        for (std::uint32_t index = 0; index < at->via.map.size; ++index) {
            const msgpack::object_kv& entry = at->via.map.ptr[index];
            visit(view(From{&entry.key}.need(msgpack::type::STR)), From{&entry.val});
        }
    }
    struct FromText {
        const msgpack::object* at;
        template <class>
        Timestamp get() const {
            return Timestamp::parse(From{at}.template get<std::string>());
        }
    };
    template <class U, std::size_t I>
    auto alternative() const {
        if constexpr (is_instant<Alternative<U, I>>) return FromText{at};
        else return *this;
    }
    template <class U>
    std::size_t which() const {
        return first_taking<U>(*this);
    }
    Kind kind() const {
        if (at == nullptr) return Kind::none;
        switch (at->type) {
            case msgpack::type::BOOLEAN: return Kind::boolean;
            case msgpack::type::POSITIVE_INTEGER:
            case msgpack::type::NEGATIVE_INTEGER: return Kind::integer;
            case msgpack::type::FLOAT32:
            case msgpack::type::FLOAT64: return Kind::real;
            case msgpack::type::STR: return Kind::text;
            case msgpack::type::BIN: return Kind::octets;
            case msgpack::type::ARRAY: return Kind::list;
            case msgpack::type::MAP: return Kind::object;
            default: return Kind::none;
        }
    }
    // An integer as a value of any type.
    Any integer() const {
        if (at->type == msgpack::type::POSITIVE_INTEGER && at->via.u64 > INT64_MAX) return {at->via.u64};
        return {as<std::int64_t>()};
    }
    std::size_t length() const { return kind() == Kind::list ? at->via.array.size : at->via.map.size; }

    template <class T>
    struct Items {
        const msgpack::object* first;
        template <std::size_t I>
        From field() const {
            return {first + I};
        }
    };
    template <class T>
    struct Fields {
        const msgpack::object_map* at;
        // Most writers keep the order of the fields, so the next key is tried first.
        mutable std::uint32_t next = 0;
        template <std::size_t I>
        From field() const {
            for (std::uint32_t step = 0; step < at->size; ++step) {
                const std::uint32_t index = next + step < at->size ? next + step : next + step - at->size;
                const msgpack::object_kv& entry = at->ptr[index];
                if (entry.key.type == msgpack::type::STR && view(entry.key) == T::keys[I]) {
                    next = index + 1 == at->size ? 0 : index + 1;
                    return {&entry.val};
                }
            }
            return {nullptr};
        }
    };
    template <class T>
    auto record() const {
        if constexpr (is_tuple<T>) {
            if (need(msgpack::type::ARRAY).via.array.size != T::FIELDS) throw Failure("a tuple has another length");
            return Items<T>{at->via.array.ptr};
        } else {
            return Fields<T>{&need(msgpack::type::MAP).via.map};
        }
    }

private:
    static std::string_view view(const msgpack::object& text) { return {text.via.str.ptr, text.via.str.size}; }

    const msgpack::object& need(msgpack::type::object_type type) const {
        if (at == nullptr || at->type != type) throw Failure("a value is missing or of another type");
        return *at;
    }
    template <class T>
    T as() const {
        if (at == nullptr) throw Failure("a value is missing");
        return at->as<T>();
    }
};

template <class M>
class Codec {
public:
    using Domain = M;

    Bytes serialize(const M& native) {
        buffer_.bytes.clear();
        Packer packer(buffer_);
        copy<M>(wirelab::from(native), Into{&packer});
        return buffer_.bytes;
    }
    void decode(Bytes bytes, Checksum& sum) {
        const auto found = unpack(bytes);
        fold<M>(From{&found.get()}, sum);
    }
    void convert(Bytes bytes, M& native) {
        const auto found = unpack(bytes);
        copy<M>(From{&found.get()}, wirelab::into(native));
    }

private:
    // Text and bytes are referenced in place, not copied.
    static msgpack::object_handle unpack(Bytes bytes) {
        std::size_t end = 0;
        const auto refer = [](msgpack::type::object_type, std::size_t, void*) { return true; };
        auto found = msgpack::unpack(text(bytes).data(), bytes.size(), end, refer);
        if (end != bytes.size()) throw Failure(std::to_string(bytes.size() - end) + " bytes after the end of the message");
        return found;
    }

    Buffer buffer_;
};

}  // namespace wirelab::mp
