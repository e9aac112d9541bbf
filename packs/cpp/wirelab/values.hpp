// The values that native objects are made of, and how a type is told from another.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace wirelab {

// What a codec throws; its sentence is what the bench prints.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The position of a field in its record.
template <std::size_t I>
using At = std::integral_constant<std::size_t, I>;

// A field whose key may be absent. std::optional alone stands for a value that may be null.
template <class T>
struct Absent : std::optional<T> {
    using std::optional<T>::optional;
};

// An instant in ns since 1970, and how it was written. Formats but JSON carry the instant alone.
class Timestamp {
public:
    Timestamp() = default;
    static Timestamp of_nanos(std::int64_t nanos);
    // RFC 3339 with an upper-case T and Z. Throws Failure for anything else, and for what 64 bits of ns cannot hold.
    static Timestamp parse(std::string_view text);
    std::string text() const;
    std::int64_t nanos() const { return nanos_; }

private:
    static constexpr std::int16_t UTC = INT16_MAX;
    std::int64_t nanos_ = 0;
    std::uint8_t digits_ = 0;
    std::int16_t offset_ = UTC;  // minutes east of UTC as written; UTC is Z
};

// Bytes that JSON writes as padded base64.
struct Base64 {
    std::string bytes;
    // Canonical base64 alone: throws Failure for text that would not come back the same.
    static Base64 parse(std::string_view text);
    static std::string text(std::string_view bytes);
    std::string_view view() const { return bytes; }
};

// Bytes in a place that belongs to somebody else.
struct Octets {
    std::string_view bytes;
    std::string_view view() const { return bytes; }
};

template <class T>
inline constexpr bool is_absent = false;
template <class T>
inline constexpr bool is_absent<Absent<T>> = true;
template <class T>
inline constexpr bool is_nullable = false;
template <class T>
inline constexpr bool is_nullable<std::optional<T>> = true;
template <class T>
inline constexpr bool is_optional = is_absent<T> || is_nullable<T>;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool is_record = requires { T::FIELDS; };
template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string>;
template <class T>
inline constexpr bool is_octets = std::is_same_v<T, Base64>;
template <class T>
inline constexpr bool is_instant = std::is_same_v<T, Timestamp>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T>;

// The type that is left without null and absence.
template <class T>
struct StripOf {
    using Type = T;
};
template <class T>
struct StripOf<Absent<T>> : StripOf<T> {};
template <class T>
struct StripOf<std::optional<T>> : StripOf<T> {};
template <class T>
using Strip = typename StripOf<T>::Type;

// An item of a list, a value of a map.
template <class T>
struct ElementOf;
template <class T>
struct ElementOf<std::vector<T>> {
    using Type = T;
};
template <class T>
struct ElementOf<std::map<std::string, T>> {
    using Type = T;
};
template <class T>
using Element = typename ElementOf<T>::Type;

template <class T>
struct MemberOf;
template <class Owner, class T>
struct MemberOf<T Owner::*> {
    using Type = T;
};
template <class Pointer>
using Member = typename MemberOf<std::remove_cv_t<Pointer>>::Type;

// A scalar in the shape in which most libraries take it: an instant as its ns, text and bytes as a view.
template <class V>
decltype(auto) slot(const V& value) {
    if constexpr (is_instant<V>) {
        return value.nanos();
    } else if constexpr (requires { value.view(); }) {
        return value.view();
    } else if constexpr (std::is_convertible_v<V, std::string_view>) {
        return std::string_view(value);
    } else {
        return V(value);
    }
}

}  // namespace wirelab
