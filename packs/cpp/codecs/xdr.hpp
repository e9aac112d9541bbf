// XDR (RFC 4506), own implementation: the encoding of the emitted .x file, big-endian in units of
// four bytes, fields in the order of the schema.
#pragma once
#include "session.hpp"

namespace wirelab::xdr {

// The unused int of a record without fields: XDR has no empty struct.
template <class T>
inline constexpr bool is_empty = T::FIELDS == 0;

class Reader {
public:
    explicit Reader(Bytes bytes) : rest_(bytes) {}

    template <class Word>
    Word word() {
        if (rest_.size() < sizeof(Word)) throw Failure("the message ends too early");
        Word value = 0;
        for (std::size_t at = 0; at < sizeof(Word); ++at) value = static_cast<Word>(value << 8U | rest_[at]);
        rest_ = rest_.subspan(sizeof(Word));
        return value;
    }
    bool flag() {
        const auto value = word<std::uint32_t>();
        if (value > 1) throw Failure(std::to_string(value) + " where 0 or 1 must stand");
        return value == 1;
    }
    std::string_view opaque() {
        const std::size_t length = word<std::uint32_t>();
        const std::size_t padded = (length + 3) / 4 * 4;
        if (padded > rest_.size()) throw Failure("the message ends inside a string");
        for (std::size_t at = length; at < padded; ++at) {
            if (rest_[at] != 0) throw Failure("a string is not padded with zeros");
        }
        const std::string_view found = text(rest_.first(length));
        rest_ = rest_.subspan(padded);
        return found;
    }
    // Every item takes at least four bytes, so a length cannot request more memory than the message
    // justifies.
    std::size_t items() {
        const std::size_t count = word<std::uint32_t>();
        if (count > rest_.size() / 4) throw Failure(std::to_string(count) + " items cannot stand in the bytes that are left");
        return count;
    }
    void end() const {
        if (!rest_.empty()) throw Failure(std::to_string(rest_.size()) + " bytes after the end of the message");
    }

private:
    Bytes rest_;
};

// A source that is read once, in order. `Known`: the presence flag of the value has already been
// read.
template <bool Known = false>
struct From {
    Reader* in;
    std::size_t count = 0;

    template <class>
    bool there() const {
        if constexpr (Known) return true;
        else return in->flag();
    }
    // A null in an optional field is one flag, not two.
    template <class W>
    auto inner() const {
        return From<is_optional<typename W::value_type>>{in};
    }
    template <class T>
    auto get() const {
        if constexpr (is_instant<T>) {
            return Timestamp::of_nanos(static_cast<std::int64_t>(in->word<std::uint64_t>()));
        } else if constexpr (is_octets<T>) {
            return Octets{in->opaque()};
        } else if constexpr (is_text<T>) {
            return in->opaque();
        } else if constexpr (std::is_same_v<T, bool>) {
            return in->flag();
        } else if constexpr (sizeof(T) == 8) {
            return std::bit_cast<T>(in->word<std::uint64_t>());
        } else {
            return std::bit_cast<T>(in->word<std::uint32_t>());
        }
    }
    template <class>
    std::size_t size() {
        return count = in->items();
    }
    template <class, class Visit>
    void each(Visit visit) const {
        for (std::size_t left = count; left > 0; --left) visit(From<>{in});
    }
    template <class, class Visit>
    void entries(Visit visit) const {
        for (std::size_t left = count; left > 0; --left) {
            const std::string_view key = in->opaque();
            visit(key, From<>{in});
        }
    }
    template <class T>
    From record() const {
        if constexpr (is_empty<T>) {
            if (in->word<std::uint32_t>() != 0) throw Failure("the unused int of an empty struct is not 0");
        }
        return *this;
    }
    template <std::size_t>
    From<> field() const {
        return {in};
    }
    // Discriminated union (section 4.15): the alternative's number, then its value.
    template <class>
    std::size_t which() const {
        return in->word<std::uint32_t>();
    }
    template <class, std::size_t>
    From<> alternative() const {
        return {in};
    }
};

template <bool Marked = false>
struct Into {
    static constexpr bool COUNTS = false;
    std::vector<std::uint8_t>* out;

    template <class W>
    auto some() {
        if constexpr (!Marked) word(std::uint32_t{1});
        return Into<is_optional<typename W::value_type>>{out};
    }
    // The presence of the inner value is not known yet, although the outer flag has been written:
    // take it back.
    template <class>
    void none() {
        if constexpr (Marked) out->resize(out->size() - 4);
        word(std::uint32_t{0});
    }

    template <class V>
    void put(const V& value) {
        const auto plain = slot(value);
        if constexpr (std::is_same_v<decltype(plain), const std::string_view>) opaque(plain);
        else if constexpr (std::is_same_v<V, bool>) word(std::uint32_t{value});
        else if constexpr (sizeof(plain) == 8) word(std::bit_cast<std::uint64_t>(plain));
        else word(std::bit_cast<std::uint32_t>(plain));
    }

    Into<> next() { return {out}; }
    Into<> next(std::string_view key) {
        opaque(key);
        return {out};
    }
    void end() {}
    template <class>
    Into list(std::size_t size) {
        length(size);
        return *this;
    }
    template <class>
    Into map(std::size_t size) {
        length(size);
        return *this;
    }
    template <class T>
    Into record(std::size_t) {
        if constexpr (is_empty<T>) word(std::uint32_t{0});
        return *this;
    }
    template <std::size_t, class>
    Into<> field() {
        return {out};
    }
    template <std::size_t, class>
    void absent() {
        word(std::uint32_t{0});
    }
    template <class, std::size_t I>
    Into<> alternative() {
        word(std::uint32_t{I});
        return {out};
    }

private:
    template <class Word>
    void word(Word value) {
        const std::size_t at = out->size();
        out->resize(at + sizeof(Word));
        for (std::size_t index = 0; index < sizeof(Word); ++index) {
            (*out)[at + index] = static_cast<std::uint8_t>(value >> (8 * (sizeof(Word) - 1 - index)));
        }
    }
    void length(std::size_t size) {
        if (size > UINT32_MAX) throw Failure(std::to_string(size) + " is beyond XDR's lengths");
        word(static_cast<std::uint32_t>(size));
    }
    void opaque(std::string_view value) {
        length(value.size());
        out->insert(out->end(), value.begin(), value.end());
        out->resize((out->size() + 3) / 4 * 4);
    }
};

template <class M>
class Codec {
public:
    using Domain = M;

    Bytes serialize(const M& native) {
        buffer_.clear();
        copy<M>(wirelab::from(native), Into<>{&buffer_});
        return buffer_;
    }
    void decode(Bytes bytes, Checksum& sum) {
        Reader reader(bytes);
        fold<M>(From<>{&reader}, sum);
        reader.end();
    }
    void convert(Bytes bytes, M& native) {
        Reader reader(bytes);
        copy<M>(From<>{&reader}, wirelab::into(native));
        reader.end();
    }

private:
    std::vector<std::uint8_t> buffer_;
};

}  // namespace wirelab::xdr
