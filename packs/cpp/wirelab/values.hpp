// The types of native objects, and their type traits.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "any.hpp"
#include "decimal.hpp"

namespace wirelab {

// Thrown by codecs; the message is shown to the user.
struct Failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The position of a field in its record.
template <std::size_t I>
using At = std::integral_constant<std::size_t, I>;

// A field whose key may be absent. A plain std::optional is a value that may be null.
template <class T>
struct Absent : std::optional<T> {
    using std::optional<T>::optional;
};

// An instant in ns since 1970, and how it was written. All formats except JSON carry only the
// instant.
class Timestamp {
public:
    Timestamp() = default;
    static Timestamp of_nanos(std::int64_t nanos);
    // RFC 3339 with an upper-case T and Z. Throws Failure for anything else, and for instants that
    // 64 bits of ns cannot represent.
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
    // Canonical base64 only: throws Failure for text that would not round-trip.
    static Base64 parse(std::string_view text);
    static std::string text(std::string_view bytes);
    std::string_view view() const { return bytes; }
};

// Bytes owned by someone else.
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
// A record that JSON writes as a list.
template <class T>
inline constexpr bool is_tuple = requires { T::IS_TUPLE; };
template <class T>
inline constexpr bool is_union = requires { T::ALTERNATIVES; };
// A record that can be inside itself.
template <class T>
inline constexpr bool is_recursive = requires { T::IS_RECURSIVE; };
// A record inside itself is on the heap.
template <class T>
inline constexpr bool is_boxed = false;
template <class T>
inline constexpr bool is_boxed<std::unique_ptr<T>> = true;
template <class T>
inline constexpr bool is_text = std::is_same_v<T, std::string>;
template <class T>
inline constexpr bool is_octets = std::is_same_v<T, Base64>;
template <class T>
inline constexpr bool is_instant = std::is_same_v<T, Timestamp>;
template <class T>
inline constexpr bool is_number = std::is_arithmetic_v<T>;
template <class T>
inline constexpr bool is_any = std::is_same_v<T, Any>;
template <class T>
inline constexpr bool is_decimal = std::is_same_v<T, Decimal>;
// Whether a message has decimals, so that numbers in JSON must be read with their digits.
template <class M>
inline constexpr bool keeps_digits = false;

// The type without null and absence.
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

// The type as codecs see it: without a box.
template <class T>
struct OpenOf {
    using Type = T;
};
template <class T>
struct OpenOf<std::unique_ptr<T>> {
    using Type = T;
};
template <class T>
struct OpenOf<std::optional<T>> {
    using Type = std::optional<typename OpenOf<T>::Type>;
};
template <class T>
struct OpenOf<Absent<T>> {
    using Type = Absent<typename OpenOf<T>::Type>;
};
template <class T>
using Open = typename OpenOf<T>::Type;

// The type of a list's items or a map's values.
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

// The type of a union's alternative.
template <class T, std::size_t I>
using Alternative = Open<std::variant_alternative_t<I, decltype(T::value)>>;

template <class T>
struct MemberOf;
template <class Owner, class T>
struct MemberOf<T Owner::*> {
    using Type = T;
};
template <class Pointer>
using Member = Open<typename MemberOf<std::remove_cv_t<Pointer>>::Type>;

// A scalar in the form that most libraries accept: an instant in ns, text and bytes as a view.
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
