// JSON with RapidJSON: used by the runtime to read a corpus and write messages back, and by the
// codec.
#pragma once
#include <rapidjson/document.h>
#include <rapidjson/error/en.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <charconv>
#include <cmath>

#include "entries.hpp"
#include "native.hpp"
#include "unions.hpp"

namespace wirelab {

using JsonBuffer = rapidjson::StringBuffer;
using JsonWriter = rapidjson::Writer<JsonBuffer>;

// A value of a RapidJSON document as a source; null for an absent key. `DIGITS`: a number that is
// no integer of 64 bits is kept as it is written, in a text after a byte that UTF-8 has not.
template <bool DIGITS>
struct FromJson {
    static constexpr char MARK = '\xff';
    const rapidjson::Value* at;

    template <class W>
    bool there() const {
        if constexpr (is_absent<W>) return at != nullptr;
        return at != nullptr && !at->IsNull();
    }
    template <class>
    FromJson inner() const {
        return *this;
    }

    template <class T>
    auto get() const {
        if constexpr (is_instant<T>) {
            return Timestamp::parse(string());
        } else if constexpr (is_octets<T>) {
            return Base64::parse(string());
        } else if constexpr (is_text<T>) {
            return string();
        } else {
            return number<T>();
        }
    }

    template <class L>
    std::size_t size() const {
        if constexpr (is_list<L>) return need(at != nullptr && at->IsArray(), "a list")->Size();
        else return need(at != nullptr && at->IsObject(), "an object")->MemberCount();
    }
    template <class, class Visit>
    void each(Visit visit) const {
        for (const auto& item : at->GetArray()) visit(FromJson{&item});
    }
    template <class, class Visit>
    void entries(Visit visit) const {
        Entries<FromJson> all;
        members([&](std::string_view key, FromJson value) { all.add(key, value); });
        all.each(visit);
    }
    // In the order of the message.
    template <class Visit>
    void members(Visit visit) const {
        for (const auto& member : at->GetObject()) {
            visit(std::string_view(member.name.GetString(), member.name.GetStringLength()), FromJson{&member.value});
        }
    }

    template <class T>
    struct Fields {
        const rapidjson::Value* at;
        template <std::size_t I>
        FromJson field() const {
            if constexpr (is_tuple<T>) return {&(*at)[static_cast<rapidjson::SizeType>(I)]};
            constexpr std::string_view key = T::keys[I];
            // Most writers keep the order of the fields, so this position is tried first.
            const auto begin = at->MemberBegin();
            if (I < at->MemberCount() && is(begin[I].name, key)) return {&begin[I].value};
            const auto found = at->FindMember(
                rapidjson::Value(key.data(), static_cast<rapidjson::SizeType>(key.size())));
            return {found == at->MemberEnd() ? nullptr : &found->value};
        }
        static bool is(const rapidjson::Value& name, std::string_view key) {
            return std::string_view(name.GetString(), name.GetStringLength()) == key;
        }
    };
    template <class T>
    Fields<T> record() const {
        if constexpr (is_tuple<T>) return {need(at != nullptr && at->IsArray() && at->Size() == T::FIELDS, "a tuple")};
        return {need(at != nullptr && at->IsObject(), "an object")};
    }

    Kind kind() const {
        if (at == nullptr || at->IsNull()) return Kind::none;
        if (at->IsBool()) return Kind::boolean;
        if (at->IsNumber()) return at->IsInt64() || at->IsUint64() ? Kind::integer : Kind::real;
        if (is_literal()) return Kind::real;
        if (at->IsString()) return Kind::text;
        return at->IsArray() ? Kind::list : Kind::object;
    }
    // Items of a list, entries of an object.
    std::size_t length() const { return at->IsArray() ? at->Size() : at->MemberCount(); }
    template <class U>
    std::size_t which() const {
        return first_taking<U>(*this);
    }
    template <class, std::size_t>
    FromJson alternative() const {
        return *this;
    }

    // An integer as a value of any type.
    Any integer() const {
        if (at->IsInt64()) return {at->GetInt64()};
        return {at->GetUint64()};
    }
    Decimal decimal() const {
        if (is_literal()) return Decimal::parse(literal());
        need(at != nullptr && (at->IsInt64() || at->IsUint64()), "a number");
        return Decimal::parse(at->IsInt64() ? std::to_string(at->GetInt64()) : std::to_string(at->GetUint64()));
    }

private:
    bool is_literal() const {
        if constexpr (!DIGITS) return false;
        return at != nullptr && at->IsString() && at->GetStringLength() > 0 && at->GetString()[0] == MARK;
    }
    std::string_view literal() const { return {at->GetString() + 1, at->GetStringLength() - 1}; }

    const rapidjson::Value* need(bool fits, const char* what) const {
        if (!fits) throw Failure(std::string(what) + " is missing or of another type");
        return at;
    }

    std::string_view string() const {
        need(at != nullptr && at->IsString() && !is_literal(), "a string");
        return {at->GetString(), at->GetStringLength()};
    }

    template <class T>
    T number() const {
        if constexpr (std::is_same_v<T, bool>) {
            return need(at != nullptr && at->IsBool(), "a boolean")->GetBool();
        } else if constexpr (std::is_floating_point_v<T>) {
            if (is_literal()) return static_cast<T>(real(literal()));
            return static_cast<T>(need(at != nullptr && at->IsNumber(), "a number")->GetDouble());
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            return need(at != nullptr && at->IsUint64(), "an unsigned integer")->GetUint64();
        } else if constexpr (std::is_same_v<T, std::uint32_t>) {
            return need(at != nullptr && at->IsUint(), "an unsigned integer of 32 bits")->GetUint();
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            return need(at != nullptr && at->IsInt(), "an integer of 32 bits")->GetInt();
        } else {
            return need(at != nullptr && at->IsInt64(), "an integer")->GetInt64();
        }
    }
    static double real(std::string_view literal);
};

// RapidJSON's writer as a sink.
struct IntoJson {
    static constexpr bool COUNTS = false, HOLDS_ANY = true;
    JsonWriter* out;

    template <class>
    IntoJson some() {
        return *this;
    }
    template <class>
    void none() {
        out->Null();
    }

    template <class V>
    void put(const V& value) {
        if constexpr (is_instant<V>) {
            string(value.text());
        } else if constexpr (requires { value.view(); }) {
            string(Base64::text(value.view()));
        } else if constexpr (std::is_convertible_v<V, std::string_view>) {
            string(value);
        } else if constexpr (std::is_same_v<V, bool>) {
            out->Bool(value);
        } else if constexpr (std::is_same_v<V, float>) {
            real(value);
        } else if constexpr (std::is_same_v<V, double>) {
            if (!out->Double(value)) throw Failure("JSON has no infinity and no NaN");
        } else if constexpr (std::is_unsigned_v<V>) {
            out->Uint64(value);
        } else {
            out->Int64(value);
        }
    }

    void decimal(const Decimal& value) {
        out->RawValue(value.text().data(), value.text().size(), rapidjson::kNumberType);
    }

    struct Many {
        JsonWriter* out;
        bool is_list;
        IntoJson next() { return {out}; }
        IntoJson next(std::string_view key) {
            out->Key(key.data(), static_cast<rapidjson::SizeType>(key.size()));
            return {out};
        }
        void end() { is_list ? out->EndArray() : out->EndObject(); }
    };
    template <class>
    Many list(std::size_t) {
        out->StartArray();
        return {out, true};
    }
    template <class>
    Many map(std::size_t) {
        out->StartObject();
        return {out, false};
    }

    template <class T>
    struct Fields {
        JsonWriter* out;
        template <std::size_t I, class>
        IntoJson field() {
            if constexpr (!is_tuple<T>) out->Key(T::keys[I].data(), static_cast<rapidjson::SizeType>(T::keys[I].size()));
            return {out};
        }
        template <std::size_t, class>
        void absent() {}
        void end() {
            if constexpr (is_tuple<T>) out->EndArray();
            else out->EndObject();
        }
    };
    template <class T>
    Fields<T> record(std::size_t) {
        if constexpr (is_tuple<T>) out->StartArray();
        else out->StartObject();
        return {out};
    }
    template <class, std::size_t>
    IntoJson alternative() {
        return *this;
    }

private:
    void string(std::string_view value) {
        out->String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
    }

    // The shortest digits that round-trip to the same 32 bits; RapidJSON only supports doubles.
    void real(float value) {
        if (!std::isfinite(value)) throw Failure("JSON has no infinity and no NaN");
        char digits[64];
        char* end = std::to_chars(digits, digits + 60, value).ptr;
        if (std::string_view(digits, static_cast<std::size_t>(end - digits)).find_first_of(".e") ==
            std::string_view::npos) {
            *end++ = '.';
            *end++ = '0';
        }
        out->RawValue(digits, static_cast<std::size_t>(end - digits), rapidjson::kNumberType);
    }
};

template <class M>
void write_json(const M& native, JsonBuffer& buffer) {
    JsonWriter writer(buffer);
    copy<M>(from(native), IntoJson{&writer});
}

// The events of RapidJSON's parser on their way to a document. The parser calls itself for each
// level, so their number is bounded; serde_json has the same bound.
struct Bounded {
    static constexpr int MOST = 128;
    rapidjson::Document* to;
    int levels = 0;
    std::string literal{};

    bool Null() { return to->Null(); }
    bool Bool(bool value) { return to->Bool(value); }
    bool Int(int value) { return to->Int(value); }
    bool Uint(unsigned value) { return to->Uint(value); }
    bool Int64(std::int64_t value) { return to->Int64(value); }
    bool Uint64(std::uint64_t value) { return to->Uint64(value); }
    bool Double(double value) { return to->Double(value); }
    bool RawNumber(const char* at, rapidjson::SizeType size, bool) {
        const std::string_view digits(at, size);
        const auto holds = [&](auto& whole) {
            const auto found = std::from_chars(at, at + size, whole);
            return found.ec == std::errc() && found.ptr == at + size && digits != "-0";
        };
        if (std::int64_t whole = 0; holds(whole)) return to->Int64(whole);
        if (std::uint64_t whole = 0; holds(whole)) return to->Uint64(whole);
        literal.assign(1, FromJson<true>::MARK).append(digits);
        return to->String(literal.data(), static_cast<rapidjson::SizeType>(literal.size()), true);
    }
    bool String(const char* at, rapidjson::SizeType size, bool copy) { return to->String(at, size, copy); }
    bool Key(const char* at, rapidjson::SizeType size, bool copy) { return to->Key(at, size, copy); }
    bool StartObject() { return ++levels <= MOST && to->StartObject(); }
    bool EndObject(rapidjson::SizeType count) { return --levels, to->EndObject(count); }
    bool StartArray() { return ++levels <= MOST && to->StartArray(); }
    bool EndArray(rapidjson::SizeType count) { return --levels, to->EndArray(count); }
};

// Parses one document, with full precision of numbers, or with their digits for `FromJson<true>`.
// Throws Failure.
template <bool DIGITS>
inline void parse_json(std::string_view text, rapidjson::Document& document) {
    constexpr unsigned NUMBERS = DIGITS ? rapidjson::kParseNumbersAsStringsFlag : rapidjson::kParseFullPrecisionFlag;
    constexpr unsigned FLAGS = NUMBERS | rapidjson::kParseValidateEncodingFlag;
    const auto parse = [text](rapidjson::Document& to) {
        rapidjson::MemoryStream bytes(text.data(), text.size());
        rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> in(bytes);
        rapidjson::Reader reader;
        Bounded events{&to};
        const rapidjson::ParseResult result = reader.Parse<FLAGS>(in, events);
        if (events.levels > Bounded::MOST) throw Failure("more than 128 levels of lists and objects");
        if (result.IsError()) {
            throw Failure(std::string(rapidjson::GetParseError_En(result.Code())) + " at byte " +
                          std::to_string(result.Offset()));
        }
        return true;
    };
    document.Populate(parse);
}

template <bool DIGITS>
double FromJson<DIGITS>::real(std::string_view literal) {
    rapidjson::Document document;
    parse_json<false>(literal, document);
    return document.GetDouble();
}

}  // namespace wirelab
