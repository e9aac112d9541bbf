// The traversal of a message: copies a source into a sink, or into the checksum.
//
// The native type directs it. A source provides there, inner, get, size, each, entries and record;
// a sink provides some, none, put, list, map and record. Where the codec supports unions, a source
// provides which and alternative, a sink alternative. Either may have a value() that replaces it
// for a present value. A library thus needs two small adapters, and the code generated from a
// schema is only its types and their accessors. Everything is inlined.
#pragma once
#include "checksum.hpp"
#include "free_types.hpp"
#include "values.hpp"

namespace wirelab {

template <class T, class Source, class Sink>
inline void copy(Source from, Sink into);

// A level of recursive records, tuples and unions; their number is bounded for the stack's sake.
// Payloads have 64 levels, each at most a list, a record and a union.
inline thread_local int levels = 0;
template <class T>
struct Level {};
template <class T>
    requires is_recursive<T>
struct Level<T> {
    static constexpr int MOST = 192;
    Level() {
        if (levels == MOST) throw Failure("a message has more than 192 levels of recursive records");
        ++levels;
    }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    ~Level() { --levels; }
};

// Copies one field that may be absent; a sink with keys omits it then.
template <class F, std::size_t I, class Record, class Out>
inline void copy_field(Record& from, Out& into) {
    auto field = from.template field<I>();
    if constexpr (is_absent<F>) {
        if (field.template there<F>()) {
            copy<typename F::value_type>(field.template inner<F>(), into.template field<I, F>().template some<F>());
        } else {
            into.template absent<I, F>();
        }
    } else {
        copy<F>(field, into.template field<I, F>());
    }
}

// Number of present fields of a record, for sinks that write it first.
template <class T, class Record>
inline std::size_t present(Record& record) {
    std::size_t count = 0;
    T::each([&](auto at, auto member) {
        using F = Member<decltype(member)>;
        if constexpr (is_absent<F>) {
            count += record.template field<at>().template there<F>() ? 1 : 0;
        } else {
            ++count;
        }
    });
    return count;
}

// Visits the position of an alternative of a union by its number.
template <class T, class Visit>
inline void pick(std::size_t index, Visit visit) {
    const bool found = [&]<std::size_t... I>(std::index_sequence<I...>) {
        return ((index == I && (visit(At<I>()), true)) || ...);
    }(std::make_index_sequence<T::ALTERNATIVES>());
    if (!found) throw Failure("the union has no alternative " + std::to_string(index));
}

template <class T, class Source, class Sink>
inline void copy(Source from, Sink into) {
    if constexpr (is_optional<T>) {
        if (from.template there<T>()) {
            copy<typename T::value_type>(from.template inner<T>(), into.template some<T>());
        } else {
            into.template none<T>();
        }
    } else if constexpr (requires { from.value(); }) {
        copy<T>(from.value(), into);
    } else if constexpr (requires { into.value(); }) {
        copy<T>(from, into.value());
    } else if constexpr (is_union<T>) {
        [[maybe_unused]] const Level<T> level;
        pick<T>(from.template which<T>(), [&](auto at) {
            copy<Alternative<T, at>>(from.template alternative<T, at>(), into.template alternative<T, at>());
        });
    } else if constexpr (is_list<T>) {
        auto out = into.template list<T>(from.template size<T>());
        from.template each<T>([&](auto item) { copy<Element<T>>(item, out.next()); });
        out.end();
    } else if constexpr (is_map<T>) {
        auto out = into.template map<T>(from.template size<T>());
        from.template entries<T>([&](std::string_view key, auto value) { copy<Element<T>>(value, out.next(key)); });
        out.end();
    } else if constexpr (is_record<T>) {
        [[maybe_unused]] const Level<T> level;
        auto record = from.template record<T>();
        std::size_t count = 0;
        if constexpr (Sink::COUNTS) count = present<T>(record);
        auto out = into.template record<T>(count);
        T::each([&](auto at, auto member) { copy_field<Member<decltype(member)>, at>(record, out); });
        out.end();
    } else if constexpr (is_any<T>) {
        put_any(taken_any(from), into);
    } else if constexpr (is_decimal<T>) {
        put_decimal(taken_decimal(from), into);
    } else {
        into.put(from.template get<T>());
    }
}

template <class T, class Source>
inline void fold(Source from, Checksum& sum) {
    if constexpr (is_optional<T>) {
        if (!from.template there<T>()) {
            sum.missing();
            return;
        }
        using Inner = typename T::value_type;
        if constexpr (!is_list<Inner> && !is_map<Inner> && !is_optional<Inner>) sum.present();
        fold<Inner>(from.template inner<T>(), sum);
    } else if constexpr (requires { from.value(); }) {
        fold<T>(from.value(), sum);
    } else if constexpr (is_union<T>) {
        [[maybe_unused]] const Level<T> level;
        const std::size_t index = from.template which<T>();
        sum.word(index);
        pick<T>(index, [&](auto at) { fold<Alternative<T, at>>(from.template alternative<T, at>(), sum); });
    } else if constexpr (is_list<T>) {
        sum.word(from.template size<T>());
        from.template each<T>([&](auto item) { fold<Element<T>>(item, sum); });
    } else if constexpr (is_map<T>) {
        sum.word(from.template size<T>());
        from.template entries<T>([&](std::string_view key, auto value) {
            sum.bytes(key);
            fold<Element<T>>(value, sum);
        });
    } else if constexpr (is_record<T>) {
        [[maybe_unused]] const Level<T> level;
        auto record = from.template record<T>();
        T::each([&](auto at, auto member) {
            fold<Member<decltype(member)>>(record.template field<at>(), sum);
        });
    } else if constexpr (is_any<T>) {
        taken_any(from).fold(sum);
    } else if constexpr (is_decimal<T>) {
        sum.bytes(taken_decimal(from).text());
    } else {
        const auto& value = from.template get<T>();
        if constexpr (std::is_floating_point_v<T>) {
            sum.number(static_cast<double>(value));
        } else if constexpr (is_text<T> || is_octets<T>) {
            sum.bytes(slot(value));
        } else {
            sum.word(static_cast<std::uint64_t>(slot(value)));
        }
    }
}

}  // namespace wirelab
