// Which alternative of a union a value is, in formats whose values tell their own type.
#pragma once
#include "native.hpp"

namespace wirelab {

// Alternatives that only the content of a list or an object tells apart.
template <class A>
inline constexpr bool is_listed = is_list<A> || is_tuple<A>;
template <class A>
inline constexpr bool is_keyed = is_map<A> || (is_record<A> && !is_tuple<A>);

template <class U, template <class> class Test, std::size_t... I>
constexpr std::size_t count(std::index_sequence<I...>) {
    return (std::size_t{Test<Alternative<U, I>>::value} + ... + 0);
}
template <class A>
using Listed = std::bool_constant<is_listed<A>>;
template <class A>
using Keyed = std::bool_constant<is_keyed<A>>;
template <class U, template <class> class Test>
inline constexpr std::size_t rivals = count<U, Test>(std::make_index_sequence<U::ALTERNATIVES>());

template <class A>
bool parses(std::string_view text) {
    try {
        A::parse(text);
        return true;
    } catch (const Failure&) {
        return false;
    }
}

// Whether an object has all keys of a record that it needs, and no other.
template <class A, class Source>
bool has_keys(const Source& from) {
    std::size_t found = 0;
    bool fits = true;
    auto record = from.template record<A>();
    A::each([&](auto at, auto member) {
        const bool there = record.template field<at>().at != nullptr;
        found += there ? 1 : 0;
        fits = fits && (there || is_absent<Member<decltype(member)>>);
    });
    return fits && found == from.length();
}

// Each such test reads the value again, with those inside it: its cost doubles with their levels.
inline thread_local int tests = 0;

template <class A, class Source>
bool copies(const Source& from) {
    static constexpr int MOST = 12;
    if (tests == MOST) return true;
    const struct Test {
        Test() { ++tests; }
        ~Test() { --tests; }
    } test;
    try {
        A scratch;
        copy<A>(from, into(scratch));
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

// Whether no later alternative of a union can take an object.
template <class U, std::size_t I, class Source>
bool is_last(const Source& from) {
    const auto fits = [&]<std::size_t J>(At<J>) {
        using A = Alternative<U, J>;
        if constexpr (J <= I || !is_keyed<A>) return false;
        else if constexpr (is_map<A>) return true;
        else return has_keys<A>(from);
    };
    return [&]<std::size_t... J>(std::index_sequence<J...>) {
        return !(fits(At<J>()) || ...);
    }(std::make_index_sequence<U::ALTERNATIVES>());
}

template <class U, std::size_t I, class Source>
bool takes(const Source& from) {
    using A = Alternative<U, I>;
    const Kind kind = from.kind();
    if constexpr (std::is_same_v<A, bool>) {
        return kind == Kind::boolean;
    } else if constexpr (std::is_floating_point_v<A>) {
        return kind == Kind::integer || kind == Kind::real;
    } else if constexpr (is_number<A>) {
        return kind == Kind::integer;
    } else if constexpr (is_text<A>) {
        return kind == Kind::text;
    } else if constexpr (is_instant<A>) {
        return kind == Kind::text && parses<A>(from.template get<std::string>());
    } else if constexpr (is_octets<A>) {
        return kind == Kind::octets || (kind == Kind::text && parses<A>(from.template get<std::string>()));
    } else if constexpr (is_tuple<A>) {
        if (kind != Kind::list || from.length() != A::FIELDS) return false;
        return rivals<U, Listed> == 1 || copies<A>(from);
    } else if constexpr (is_list<A>) {
        return kind == Kind::list;
    } else if constexpr (is_map<A>) {
        return kind == Kind::object;
    } else {
        if (kind != Kind::object) return false;
        return rivals<U, Keyed> == 1 || (has_keys<A>(from) && (is_last<U, I>(from) || copies<A>(from)));
    }
}

// The number of the first alternative that takes a value. Throws Failure where none does.
template <class U, class Source>
std::size_t first_taking(const Source& from) {
    std::size_t first = 0;
    const bool found = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ((takes<U, I>(from) && (first = I, true)) || ...);
    }(std::make_index_sequence<U::ALTERNATIVES>());
    if (!found) throw Failure("no alternative of the union takes the value");
    return first;
}

}  // namespace wirelab
