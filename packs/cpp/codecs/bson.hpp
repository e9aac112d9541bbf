// BSON with libbson: its appenders as a sink, its iterators as a source. Records and maps are
// documents, and so is every message; a message of another type is wrapped in a field `value`.
#pragma once
#include <bson/bson.h>

#include <cstring>
#include <utility>

#include "entries.hpp"
#include "session.hpp"
#include "unions.hpp"

namespace wirelab::bs {

// A message that is not a document by itself.
struct Wrapped {
    static constexpr std::array<std::string_view, 1> keys{"value"};
};

template <class T>
inline constexpr bool is_document = is_keyed<T>;

// Lengths in libbson have 31 bits.
inline int length(std::string_view bytes) {
    if (bytes.size() > INT32_MAX) throw Failure(std::to_string(bytes.size()) + " bytes are beyond BSON's lengths");
    return static_cast<int>(bytes.size());
}

inline void must(bool appended) {
    if (!appended) throw Failure("a message is beyond the 2^31-1 bytes of a BSON document");
}

struct Into;

// A document or array being written. A nested one is closed at the end of its scope, as libbson
// requires, even if a value in it was refused.
class Open {
public:
    explicit Open(bson_t* root) : at_(root) {}
    Open(bson_t* parent, std::string_view key, bool array) : at_(&own_), parent_(parent), array_(array) {
        const auto begin = array ? bson_append_array_begin : bson_append_document_begin;
        must(begin(parent, key.data(), length(key), &own_));
    }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;
    ~Open() {
        if (parent_ != nullptr) (array_ ? bson_append_array_end : bson_append_document_end)(parent_, &own_);
    }

    Into next();
    Into next(std::string_view key);
    void end() {}

private:
    bson_t own_;
    bson_t* at_;
    bson_t* parent_ = nullptr;
    bool array_ = false;
    std::uint32_t count_ = 0;
    char digits_[16];
};

template <class T>
struct Writing : Open {
    using Open::Open;
    template <std::size_t I, class>
    Into field();
    template <std::size_t, class>
    void absent() {}
};

// The root of a message that is a document.
struct IntoRoot {
    static constexpr bool COUNTS = false;
    bson_t* out;

    template <class>
    Open map(std::size_t) {
        return Open(out);
    }
    template <class T>
    Writing<T> record(std::size_t) {
        return Writing<T>(out);
    }
};

// Whether a decimal128 holds a number: a coefficient of 34 digits and an exponent of its last
// digit.
inline bool fits_decimal128(const Decimal& value) {
    return value.digits() <= 34 && value.exponent() >= -6176 && value.exponent() <= 6111;
}

// The slot for an element. Its key must not contain NUL.
struct Into {
    static constexpr bool COUNTS = false, HOLDS_ANY = true, IS_SIGNED = true;
    bson_t* out;
    std::string_view key;

    template <class>
    Into some() {
        return *this;
    }
    template <class>
    void none() {
        must(bson_append_null(out, key.data(), length(key)));
    }
    template <class V>
    void put(const V& value) {
        const auto plain = slot(value);
        using Plain = std::remove_const_t<decltype(plain)>;
        if constexpr (is_octets<V> || std::is_same_v<V, Octets>) {
            must(bson_append_binary(out, key.data(), length(key), BSON_SUBTYPE_BINARY, bytes(plain).data(),
                                    static_cast<std::uint32_t>(length(plain))));
        } else if constexpr (std::is_same_v<Plain, std::string_view>) {
            must(bson_append_utf8(out, key.data(), length(key), plain.data(), length(plain)));
        } else if constexpr (std::is_same_v<Plain, bool>) {
            must(bson_append_bool(out, key.data(), length(key), plain));
        } else if constexpr (std::is_floating_point_v<Plain>) {
            must(bson_append_double(out, key.data(), length(key), plain));
        } else if constexpr (std::is_same_v<Plain, std::int32_t>) {
            must(bson_append_int32(out, key.data(), length(key), plain));
        } else {
            // An integer above 2^63-1 is stored as the signed integer with the same 64 bits.
            must(bson_append_int64(out, key.data(), length(key), static_cast<std::int64_t>(plain)));
        }
    }
    void decimal(const Decimal& value) {
        bson_decimal128_t number;
        if (!fits_decimal128(value)) return put(value.text());
        must(bson_decimal128_from_string_w_len(value.text().data(), length(value.text()), &number) &&
             bson_append_decimal128(out, key.data(), length(key), &number));
    }
    template <class>
    Open list(std::size_t) {
        return Open(out, key, true);
    }
    template <class>
    Open map(std::size_t) {
        return Open(out, key, false);
    }
    template <class T>
    Writing<T> record(std::size_t) {
        return Writing<T>(out, key, is_tuple<T>);
    }
    // In a union a timestamp is text: its number would be an integer.
    struct IntoText {
        static constexpr bool COUNTS = false;
        bson_t* out;
        std::string_view key;
        void put(const Timestamp& value) { Into{out, key}.put(value.text()); }
    };
    template <class U, std::size_t I>
    auto alternative() {
        if constexpr (is_instant<Alternative<U, I>>) return IntoText{out, key};
        else return *this;
    }
};

inline Into Open::next() {
    const char* key = nullptr;
    const std::size_t size = bson_uint32_to_string(count_++, &key, digits_, sizeof digits_);
    return {at_, {key, size}};
}

inline Into Open::next(std::string_view key) {
    if (key.find('\0') != key.npos) throw Failure("a key has a NUL in it, which ends a key in BSON");
    return {at_, key};
}

template <class T>
template <std::size_t I, class>
Into Writing<T>::field() {
    if constexpr (is_tuple<T>) return next();
    else return next(T::keys[I]);
}

inline std::string_view checked(const char* text, std::uint32_t size) {
    if (!bson_utf8_validate(text, size, true)) throw Failure("a text is not valid UTF-8");
    return {text, size};
}

struct From;
template <class T>
class Items;

// A document or array being read. libbson checks the bounds of an element only when it advances to
// it.
struct Document {
    const std::uint8_t* data;
    std::size_t length;

    void start(bson_iter_t& at) const {
        // libbson aborts the process if there is no data.
        if (data == nullptr || !bson_iter_init_from_data(&at, data, length)) throw Failure("a document's length or end is wrong");
    }
    static bool next(bson_iter_t& at) {
        if (bson_iter_next(&at)) return true;
        if (at.err_off != 0) throw Failure("an element at byte " + std::to_string(at.err_off) + " is damaged");
        return false;
    }
    void go(bson_iter_t& at, std::uint32_t offset, std::size_t key) const {
        if (!bson_iter_init_from_data_at_offset(&at, data, length, offset, static_cast<std::uint32_t>(key))) {
            throw Failure("an element is damaged");
        }
    }
    static std::string_view key(const bson_iter_t& at) { return {bson_iter_key_unsafe(&at), bson_iter_key_len(&at)}; }

    template <class>
    std::size_t size() const {
        bson_iter_t at;
        start(at);
        std::size_t count = 0;
        while (next(at)) ++count;
        return count;
    }
    template <class, class Visit>
    void entries(Visit visit) const;
    template <class Visit>
    void members(Visit visit) const;
    template <class T>
    auto record() const;
};

// The element at an iterator; null for an absent key.
struct From {
    const bson_iter_t* at;

    template <class W>
    bool there() const {
        if constexpr (is_absent<W>) return at != nullptr;
        return at != nullptr && type() != BSON_TYPE_NULL;
    }
    template <class>
    From inner() const {
        return *this;
    }
    template <class T>
    auto get() const {
        if constexpr (is_instant<T>) return Timestamp::of_nanos(whole<std::int64_t>());
        else if constexpr (is_octets<T>) return octets();
        else if constexpr (is_text<T>) return string();
        else if constexpr (std::is_same_v<T, bool>) return need(BSON_TYPE_BOOL), bson_iter_bool_unsafe(at);
        else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(real());
        else return whole<T>();
    }
    template <class L>
    std::size_t size() const {
        return document<is_list<L>>().template size<L>();
    }
    template <class, class Visit>
    void each(Visit visit) const {
        bson_iter_t item;
        document<true>().start(item);
        while (Document::next(item)) visit(From{&item});
    }
    template <class M, class Visit>
    void entries(Visit visit) const {
        document<false>().template entries<M>(visit);
    }
    // In the order of the message.
    template <class Visit>
    void members(Visit visit) const {
        document<false>().members(visit);
    }
    template <class T>
    auto record() const {
        if constexpr (is_tuple<T>) return Items<T>(document<true>());
        else return document<false>().template record<T>();
    }
    struct FromText {
        const bson_iter_t* at;
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
        switch (type()) {
            case BSON_TYPE_BOOL: return Kind::boolean;
            case BSON_TYPE_INT32:
            case BSON_TYPE_INT64: return Kind::integer;
            case BSON_TYPE_DOUBLE: return Kind::real;
            case BSON_TYPE_UTF8: return Kind::text;
            case BSON_TYPE_BINARY: return Kind::octets;
            case BSON_TYPE_ARRAY: return Kind::list;
            case BSON_TYPE_DOCUMENT: return Kind::object;
            default: return Kind::none;
        }
    }
    // An integer as a value of any type.
    Any integer() const { return {whole<std::int64_t>()}; }
    Decimal decimal() const {
        if (at == nullptr || type() != BSON_TYPE_DECIMAL128) return Decimal::parse(string());
        bson_decimal128_t number;
        char text[BSON_DECIMAL128_STRING];
        bson_iter_decimal128(at, &number);
        bson_decimal128_to_string(&number, text);
        return Decimal::parse(text);
    }
    std::size_t length() const {
        return kind() == Kind::list ? document<true>().size<void>() : document<false>().size<void>();
    }

private:
    bson_type_t type() const { return bson_iter_type_unsafe(at); }
    void need(bson_type_t wanted) const {
        if (at == nullptr || type() != wanted) throw Failure("a value is missing or of another type");
    }
    template <bool ARRAY>
    Document document() const {
        need(ARRAY ? BSON_TYPE_ARRAY : BSON_TYPE_DOCUMENT);
        std::uint32_t size = 0;
        const std::uint8_t* data = nullptr;
        (ARRAY ? bson_iter_array : bson_iter_document)(at, &size, &data);
        return {data, size};
    }
    std::string_view string() const {
        need(BSON_TYPE_UTF8);
        std::uint32_t size = 0;
        const char* data = bson_iter_utf8(at, &size);
        return checked(data, size);
    }
    Octets octets() const {
        need(BSON_TYPE_BINARY);
        std::uint32_t size = 0;
        const std::uint8_t* data = nullptr;
        bson_iter_binary(at, nullptr, &size, &data);
        return {text({data, size})};
    }
    double real() const {
        if (at != nullptr && type() == BSON_TYPE_DOUBLE) return bson_iter_double_unsafe(at);
        return static_cast<double>(whole<std::int64_t>());
    }
    template <class T>
    T whole() const {
        if (at != nullptr && type() == BSON_TYPE_INT32) return fitting<T>(bson_iter_int32_unsafe(at));
        need(BSON_TYPE_INT64);
        return fitting<T>(bson_iter_int64_unsafe(at));
    }
    template <class T>
    static T fitting(std::int64_t value) {
        if (sizeof(T) < sizeof value && !std::in_range<T>(value)) {
            throw Failure(std::to_string(value) + " is beyond the integers of its field");
        }
        return static_cast<T>(value);
    }
};

// The items of a tuple, read in order.
template <class T>
class Items {
public:
    explicit Items(Document document) {
        if (document.size<T>() != T::FIELDS) throw Failure("a tuple has another length");
        document.start(at_);
    }
    template <std::size_t>
    From field() {
        Document::next(at_);
        return {&at_};
    }

private:
    bson_iter_t at_;
};

// The fields of a document, read in the order of the schema. Most writers keep that order, so one
// pass suffices; at the first field out of order, all are looked up.
template <class T>
class Reading {
public:
    explicit Reading(Document document) : document_(document) {
        document_.start(at_);
        more_ = Document::next(at_);
    }

    template <std::size_t I>
    From field() {
        constexpr std::string_view key = T::keys[I];
        if (!looked_up_) {
            if (std::exchange(taken_, false)) more_ = Document::next(at_);
            taken_ = more_ && Document::key(at_) == key;
            if (taken_) return {&at_};
            look_up();
        }
        if (places_[I] == 0) return {nullptr};
        document_.go(at_, places_[I], key.size());
        return {&at_};
    }

private:
    static constexpr std::size_t COUNT = T::keys.size();

    // The offset of each field; the offset of an element is never 0.
    void look_up() {
        looked_up_ = true;
        places_.fill(0);
        document_.start(at_);
        for (std::size_t expected = 0; Document::next(at_);) {
            const std::string_view key = Document::key(at_);
            for (std::size_t step = 0; step < COUNT; ++step) {
                const std::size_t index = expected + step < COUNT ? expected + step : expected + step - COUNT;
                if (T::keys[index] != key) continue;
                if (places_[index] == 0) places_[index] = bson_iter_offset(&at_);
                expected = index + 1;
                break;
            }
        }
    }

    Document document_;
    bson_iter_t at_;
    bool more_ = false, taken_ = false, looked_up_ = false;
    std::array<std::uint32_t, COUNT> places_;
};

template <class, class Visit>
void Document::entries(Visit visit) const {
    bson_iter_t at;
    start(at);
    Entries<std::uint32_t> all;
    while (next(at)) {
        const std::string_view found = key(at);
        all.add(checked(found.data(), static_cast<std::uint32_t>(found.size())), bson_iter_offset(&at));
    }
    all.each([&](std::string_view key, std::uint32_t offset) {
        go(at, offset, key.size());
        visit(key, From{&at});
    });
}

template <class Visit>
void Document::members(Visit visit) const {
    bson_iter_t at;
    start(at);
    while (next(at)) {
        const std::string_view found = key(at);
        visit(checked(found.data(), static_cast<std::uint32_t>(found.size())), From{&at});
    }
}

template <class T>
auto Document::record() const {
    return Reading<T>(*this);
}

template <class M>
class Codec {
public:
    using Domain = M;

    Codec() { bson_init(&out_); }
    Codec(const Codec&) = delete;
    Codec& operator=(const Codec&) = delete;
    ~Codec() { bson_destroy(&out_); }

    Bytes serialize(const M& native) {
        bson_reinit(&out_);
        if constexpr (is_document<M>) {
            copy<M>(wirelab::from(native), IntoRoot{&out_});
        } else {
            copy<M>(wirelab::from(native), Into{&out_, Wrapped::keys[0]});
        }
        return {bson_get_data(&out_), out_.len};
    }
    void decode(Bytes bytes, Checksum& sum) {
        read(bytes, [&](auto source) { fold<M>(source, sum); });
    }
    void convert(Bytes bytes, M& native) {
        read(bytes, [&](auto source) { copy<M>(source, wirelab::into(native)); });
    }

private:
    template <class Use>
    static void read(Bytes bytes, Use use) {
        const Document root{bytes.data(), bytes.size()};
        if constexpr (is_document<M>) {
            use(root);
        } else {
            auto wrapped = root.record<Wrapped>();
            use(wrapped.template field<0>());
        }
    }

    bson_t out_;
};

}  // namespace wirelab::bs
