// Values of any type and decimals in sources and sinks. A source that has a `kind` and a sink that
// `HOLDS_ANY` have values of any type as their own; those with `decimal` have decimals. Native
// objects hold the types themselves. Everything else carries text.
#pragma once
#include "values.hpp"

namespace wirelab {

enum class Kind : std::uint8_t { none, boolean, integer, real, text, octets, list, object };

template <class T>
inline constexpr bool is_native = requires { T::IS_NATIVE; };
template <class T>
inline constexpr bool holds_any = requires { T::HOLDS_ANY; };
// A sink whose integers all have a sign: larger ones become floats.
template <class T>
inline constexpr bool is_signed = requires { T::IS_SIGNED; };

// Lists and objects within each other: the bound of RapidJSON's and serde_json's parsers.
inline constexpr int MOST_LEVELS = 128;

template <class Source>
Any read_any(const Source& from, int levels = MOST_LEVELS) {
    const auto inside = [&](const Source& inner) { return read_any(inner, levels - 1); };
    if (from.at == nullptr) throw Failure("a value is missing");
    if (levels == 0) throw Failure("a value of any type has more than 128 levels");
    switch (from.kind()) {
        case Kind::boolean: return {from.template get<bool>()};
        case Kind::integer: return from.integer();
        case Kind::real: return {from.template get<double>()};
        case Kind::text: return {std::string(from.template get<std::string>())};
        case Kind::list: {
            Any::List items;
            items.reserve(from.length());
            from.template each<Any::List>([&](const Source& item) { items.push_back(inside(item)); });
            return {std::move(items)};
        }
        case Kind::object: {
            Any::Object entries;
            entries.reserve(from.length());
            from.members([&](std::string_view key, const Source& value) { entries.emplace_back(key, inside(value)); });
            return {std::move(entries)};
        }
        default: break;
    }
    if (from.template there<std::optional<Any>>()) throw Failure("a value of any type is of a type that JSON has not");
    return {};
}

template <class Sink>
void write_any(const Any& any, Sink into) {
    std::visit([&]<class V>(const V& value) {
        if constexpr (std::is_same_v<V, Any::Null>) {
            into.template none<std::optional<Any>>();
        } else if constexpr (std::is_same_v<V, Any::List>) {
            auto out = into.template list<V>(value.size());
            for (const Any& item : value) write_any(item, out.next());
            out.end();
        } else if constexpr (std::is_same_v<V, Any::Object>) {
            auto out = into.template map<V>(value.size());
            for (const auto& [key, inner] : value) write_any(inner, out.next(key));
            out.end();
        } else if constexpr (is_signed<Sink> && std::is_same_v<V, std::uint64_t>) {
            into.put(static_cast<double>(value));
        } else {
            into.put(value);
        }
    }, any.value);
}

template <class Source>
decltype(auto) taken_any(const Source& from) {
    if constexpr (is_native<Source>) return from.template get<Any>();
    else if constexpr (requires { from.kind(); }) return read_any(from);
    else return Any::parse(from.template get<std::string>());
}

template <class Value, class Sink>
void put_any(Value&& any, Sink into) {
    if constexpr (is_native<Sink>) into.put(std::forward<Value>(any));
    else if constexpr (holds_any<Sink>) write_any(any, into);
    else into.put(any.text());
}

template <class Source>
decltype(auto) taken_decimal(const Source& from) {
    if constexpr (is_native<Source>) return from.template get<Decimal>();
    else if constexpr (requires { from.decimal(); }) return from.decimal();
    else return Decimal::parse(from.template get<std::string>());
}

template <class Value, class Sink>
void put_decimal(Value&& decimal, Sink into) {
    if constexpr (is_native<Sink>) into.put(std::forward<Value>(decimal));
    else if constexpr (requires { into.decimal(decimal); }) into.decimal(decimal);
    else into.put(decimal.text());
}

}  // namespace wirelab
