// FlatBuffers with the official library: flatc's tables as a source. A table is built after
// everything it points to.
#pragma once
#include <flatbuffers/flatbuffers.h>

#include <tuple>

#include "dom.hpp"
#include "session.hpp"

namespace wirelab::fb {

using Builder = flatbuffers::FlatBufferBuilder;
using Place = flatbuffers::uoffset_t;

// Access to a field, by its name, in any of flatc's tables.
#define WIRELAB_FB_FIELD(ACCESS, NAME)                                       \
    ACCESS {                                                                 \
        template <class Table>                                               \
        static auto get(const Table& table) { return table.NAME(); }         \
        template <class B, class V>                                          \
        static void add(B& builder, V value) { builder.add_##NAME(value); }  \
    };

template <std::size_t I>
struct Named;
WIRELAB_FB_FIELD(struct ItemsNamed, items)
WIRELAB_FB_FIELD(struct EntriesNamed, entries)
WIRELAB_FB_FIELD(struct ValueNamed, value)
WIRELAB_FB_FIELD(struct KeyNamed, key)

// The field of the table that wraps a value which cannot be an item of a vector.
template <class T>
using Wrapped = std::conditional_t<is_list<Strip<T>>, ItemsNamed,
                                   std::conditional_t<is_map<Strip<T>>, EntriesNamed, ValueNamed>>;

// Whether an item of this type is wrapped in a table inside a vector.
template <class T>
inline constexpr bool is_wrapped = is_optional<T> || is_list<T> || is_map<T> || is_octets<T>;

// Whether a field of this type is stored inline in the table.
template <class T>
inline constexpr bool is_inline = is_number<T> || is_instant<T>;

// The tables of a union, in the order of its alternatives. A union is a table that holds it in the
// field `value`.
template <class Table>
struct Members;
template <class Table, std::size_t I>
using MemberTable = std::tuple_element_t<I, typename Members<Table>::Types>;

template <class V>
struct FromItem;

template <class Table, class A>
struct FromField {
    const Table* at;

    template <class>
    bool there() const {
        const auto found = A::get(*at);
        if constexpr (requires { found.has_value(); }) return found.has_value();
        else return found != nullptr;
    }
    template <class>
    FromField inner() const {
        return *this;
    }
    template <class T>
    auto get() const {
        const auto found = A::get(*at);
        if constexpr (requires { *found; found.has_value(); }) return FromItem<std::decay_t<decltype(*found)>>{*found}.template get<T>();
        else return FromItem<std::decay_t<decltype(found)>>{found}.template get<T>();
    }
    template <class>
    std::size_t size() const {
        return A::get(*at)->size();
    }
    template <class, class Visit>
    void each(Visit visit) const {
        const auto* all = A::get(*at);
        for (Place index = 0; index < all->size(); ++index) {
            const auto item = all->Get(index);
            visit(FromItem<std::decay_t<decltype(item)>>{item});
        }
    }
    template <class M, class Visit>
    void entries(Visit visit) const {
        const auto* all = A::get(*at);
        for (Place index = 0; index < all->size(); ++index) {
            const auto* entry = all->Get(index);
            visit(entry->key()->string_view(), FromField<std::decay_t<decltype(*entry)>, ValueNamed>{entry});
        }
    }
    template <class>
    auto record() const {
        return table();
    }
    template <class U>
    std::size_t which() const {
        return table().template which<U>();
    }
    template <class U, std::size_t I>
    auto alternative() const {
        return table().template alternative<U, I>();
    }

private:
    auto table() const { return FromItem<decltype(A::get(*at))>{A::get(*at)}; }
};

// A scalar, a string, a vector of bytes or a table, as read from a vector or field.
template <class V>
struct FromItem {
    V at;

    template <class T>
    auto get() const {
        if constexpr (is_text<T>) return at->string_view();
        else if constexpr (is_instant<T>) return Timestamp::of_nanos(at);
        else if constexpr (std::is_same_v<T, bool>) return at != 0;
        else if constexpr (is_number<T>) return T(at);
        else if constexpr (requires { at->value(); }) return bytes_of(at->value());
        else return bytes_of(at);
    }
    template <class W>
    bool there() const {
        return inner<W>().template there<W>();
    }
    template <class W>
    auto inner() const {
        return FromField<std::decay_t<decltype(*at)>, Wrapped<W>>{at};
    }
    template <class L>
    std::size_t size() const {
        return inner<L>().template size<L>();
    }
    template <class L, class Visit>
    void each(Visit visit) const {
        inner<L>().template each<L>(visit);
    }
    template <class M, class Visit>
    void entries(Visit visit) const {
        inner<M>().template entries<M>(visit);
    }
    template <class>
    FromItem record() const {
        return *this;
    }
    template <std::size_t I>
    auto field() const {
        return FromField<std::decay_t<decltype(*at)>, Named<I>>{at};
    }
    template <class>
    std::size_t which() const {
        const auto type = static_cast<std::size_t>(at->value_type());
        if (type == 0) throw Failure("a union has no alternative");
        return type - 1;
    }
    template <class U, std::size_t I>
    auto alternative() const {
        using Found = MemberTable<std::decay_t<decltype(*at)>, I>;
        const auto* found = static_cast<const Found*>(at->value());
        if constexpr (is_record<Alternative<U, I>>) return FromItem<const Found*>{found};
        else return FromField<Found, Wrapped<Alternative<U, I>>>{found};
    }

private:
    template <class Vector>
    static Octets bytes_of(const Vector* vector) {
        return {{reinterpret_cast<const char*>(vector->Data()), vector->size()}};
    }
};

template <class T, class Table, class Source>
Place build(Builder& builder, Source from);

// A table with one field of type T, for a value that cannot be stored by itself.
template <class T, class Table, class Source>
Place wrap(Builder& builder, Source from);

// An entry of a map.
template <class T, class Table, class Source>
Place entry(Builder& builder, std::string_view key, Source from);

// The table of a union.
template <class T, class Table, class Source>
Place choice(Builder& builder, Source from);

// Writes what a field of type T points to; `Found` is the result of flatc's accessor for the field.
template <class T, class Found, class Source>
Place pointee(Builder& builder, Source from) {
    if constexpr (is_any<T>) {
        const std::string text = taken_any(from).text();
        return builder.CreateString(text.data(), text.size()).o;
    } else if constexpr (is_decimal<T>) {
        const auto& decimal = taken_decimal(from);
        return builder.CreateString(decimal.text().data(), decimal.text().size()).o;
    } else if constexpr (is_text<T>) {
        const std::string_view text = slot(from.template get<T>());
        return builder.CreateString(text.data(), text.size()).o;
    } else if constexpr (is_octets<T>) {
        const auto& value = from.template get<T>();
        const std::string_view bytes = value.view();
        return builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()).o;
    } else if constexpr (is_record<T>) {
        return build<T, std::decay_t<std::remove_pointer_t<Found>>>(builder, from);
    } else if constexpr (is_union<T>) {
        return choice<T, std::decay_t<std::remove_pointer_t<Found>>>(builder, from);
    } else {
        using Vector = std::decay_t<std::remove_pointer_t<Found>>;
        using Item = std::decay_t<std::remove_pointer_t<typename Vector::value_type>>;
        const std::size_t size = from.template size<T>();
        if constexpr (is_list<T> && is_inline<Element<T>>) {
            // The library leaves an empty vector unaligned, which verifiers in other languages
            // reject.
            if (size == 0) builder.ForceVectorAlignment(1, sizeof(Item), sizeof(Item));
            Item* out = nullptr;
            const Place made = builder.CreateUninitializedVector(size, sizeof(Item), reinterpret_cast<std::uint8_t**>(&out));
            from.template each<T>([&](auto item) {
                flatbuffers::WriteScalar(out++, static_cast<Item>(slot(item.template get<Element<T>>())));
            });
            return made;
        } else {
            std::vector<flatbuffers::Offset<Item>> all;
            all.reserve(size);
            if constexpr (is_map<T>) {
                from.template entries<T>([&](std::string_view key, auto value) {
                    all.emplace_back(entry<Element<T>, Item>(builder, key, value));
                });
            } else if constexpr (is_wrapped<Element<T>>) {
                from.template each<T>([&](auto item) { all.emplace_back(wrap<Element<T>, Item>(builder, item)); });
            } else {
                from.template each<T>(
                    [&](auto item) { all.emplace_back(pointee<Element<T>, const Item*>(builder, item)); });
            }
            return builder.CreateVector(all).o;
        }
    }
}

template <class A, class Table>
using Found = decltype(A::get(std::declval<const Table&>()));

// Writes what the field A of a table points to; 0 if it points to nothing. The source is queried
// only when the field is written, because a DOM has to look it up.
template <class F, class A, class Table, class Ask>
Place before(Builder& builder, Ask ask) {
    if constexpr (is_inline<Strip<F>>) {
        return 0;
    } else if constexpr (is_optional<F>) {
        auto from = ask();
        if (!from.template there<F>()) return 0;
        return before<typename F::value_type, A, Table>(builder, [&] { return from.template inner<F>(); });
    } else {
        return pointee<F, Found<A, Table>>(builder, ask());
    }
}

template <class F, class A, class B, class Source>
void add_inline(B& builder, Source from) {
    if constexpr (is_optional<F>) {
        if (from.template there<F>()) add_inline<typename F::value_type, A>(builder, from.template inner<F>());
    } else {
        A::add(builder, slot(from.template get<F>()));
    }
}

// Adds a field to its table if its inline size is `Size` bytes.
template <std::size_t Size, class F, class A, class Table, class Ask>
void add(typename Table::Builder& table, Ask ask, Place place) {
    using T = Strip<F>;
    if constexpr (is_inline<T>) {
        if constexpr (sizeof(slot(T())) == Size) add_inline<F, A>(table, ask());
    } else if constexpr (Size == sizeof(Place)) {
        using Target = std::decay_t<std::remove_pointer_t<Found<A, Table>>>;
        if (place != 0) A::add(table, flatbuffers::Offset<Target>(place));
    }
}

template <class T, class Table, class Source>
Place entry(Builder& builder, std::string_view key, Source from) {
    const auto ask = [&] { return from; };
    const auto name = builder.CreateString(key.data(), key.size());
    const Place place = before<T, ValueNamed, Table>(builder, ask);
    typename Table::Builder table(builder);
    add<8, T, ValueNamed, Table>(table, ask, place);
    add<4, T, ValueNamed, Table>(table, ask, place);
    table.add_key(name);
    add<1, T, ValueNamed, Table>(table, ask, place);
    return table.Finish().o;
}

// A table with only the field A.
template <class T, class A, class Table, class Source>
Place single(Builder& builder, Source from) {
    const auto ask = [&] { return from; };
    const Place place = before<T, A, Table>(builder, ask);
    typename Table::Builder table(builder);
    add<8, T, A, Table>(table, ask, place);
    add<4, T, A, Table>(table, ask, place);
    add<1, T, A, Table>(table, ask, place);
    return table.Finish().o;
}

template <class T, class Table, class Source>
Place wrap(Builder& builder, Source from) {
    return single<T, Wrapped<T>, Table>(builder, from);
}

template <class T, class Table, class Source>
Place choice(Builder& builder, Source from) {
    const std::size_t index = from.template which<T>();
    Place place = 0;
    pick<T>(index, [&](auto at) {
        using Member = MemberTable<Table, at>;
        auto inner = from.template alternative<T, at>();
        if constexpr (is_record<Alternative<T, at>>) place = build<Alternative<T, at>, Member>(builder, inner);
        else place = wrap<Alternative<T, at>, Member>(builder, inner);
    });
    typename Table::Builder table(builder);
    table.add_value(flatbuffers::Offset<void>(place));
    table.add_value_type(static_cast<decltype(std::declval<const Table&>().value_type())>(index + 1));
    return table.Finish().o;
}

template <std::size_t Size, class T, class Table, class Record>
void add_all(typename Table::Builder& table, Record& record, const Place* places) {
    T::each([&](auto at, auto member) {
        const auto ask = [&] { return record.template field<at>(); };
        add<Size, Member<decltype(member)>, Named<at>, Table>(table, ask, places[at]);
    });
}

template <class T, class Table, class Source>
Place build(Builder& builder, Source from) {
    auto record = from.template record<T>();
    Place places[T::FIELDS + 1] = {};
    T::each([&](auto at, auto member) {
        const auto ask = [&] { return record.template field<at>(); };
        places[at] = before<Member<decltype(member)>, Named<at>, Table>(builder, ask);
    });
    // Widest fields first, as flatc's own Create functions do, so that there is no padding between
    // fields.
    typename Table::Builder table(builder);
    add_all<8, T, Table>(table, record, places);
    add_all<4, T, Table>(table, record, places);
    add_all<1, T, Table>(table, record, places);
    return table.Finish().o;
}

template <class M, class Root>
class Wire {
public:
    template <class Source>
    Bytes write(Source from) {
        builder_.Clear();
        if constexpr (is_record<M>) {
            builder_.Finish(flatbuffers::Offset<Root>(build<M, Root>(builder_, from)));
        } else if constexpr (is_union<M>) {
            builder_.Finish(flatbuffers::Offset<Root>(choice<M, Root>(builder_, from)));
        } else {
            // A root that is not a record is wrapped in a field `value`.
            builder_.Finish(flatbuffers::Offset<Root>(single<M, ValueNamed, Root>(builder_, from)));
        }
        return {builder_.GetBufferPointer(), builder_.GetSize()};
    }
    static const Root& read(Bytes bytes) {
        verify(bytes);
        return *flatbuffers::GetRoot<Root>(bytes.data());
    }
    static void verify(Bytes bytes) {
        flatbuffers::Verifier verifier(bytes.data(), bytes.size());
        if (!verifier.VerifyBuffer<Root>(nullptr)) throw Failure("not a valid FlatBuffer");
    }
    static auto source(const Root& root) {
        if constexpr (is_record<M> || is_union<M>) return FromItem<const Root*>{&root};
        else return FromField<Root, ValueNamed>{&root};
    }

private:
    Builder builder_;
};

// `Root` is flatc's table of a message, `Held` the application's object.
template <class M, class Root, class Held>
class Codec : public Held {
public:
    using Domain = typename Held::Domain;

    Bytes serialize(const Domain& domain) { return wire_.write(Held::from(domain)); }
    void access(Bytes bytes) { keep(flatbuffers::GetRoot<Root>(bytes.data())); }
    void access_validated(Bytes bytes) { keep(&wire_.read(bytes)); }
    void decode(Bytes bytes, Checksum& sum) { fold<M>(wire_.source(wire_.read(bytes)), sum); }
    void convert(Bytes bytes, Domain& domain) { copy<M>(wire_.source(wire_.read(bytes)), Held::into(domain)); }

private:
    Wire<M, Root> wire_;
};

template <class M, class Root>
using Native = Codec<M, Root, NativeDomain<M>>;

// From a JSON DOM and back.
template <class M, class Root>
using Dom = Codec<M, Root, DomDomain<M>>;

}  // namespace wirelab::fb
