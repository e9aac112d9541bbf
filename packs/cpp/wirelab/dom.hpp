// A JsonCpp DOM as a source and as a sink.
#pragma once
#include <json/json.h>

#include "entries.hpp"
#include "native.hpp"
#include "unions.hpp"

namespace wirelab {

// A value of a DOM; null for an absent key.
struct FromDom {
    const Json::Value* at;

    template <class W>
    bool there() const {
        if constexpr (is_absent<W>) return at != nullptr;
        return at != nullptr && !at->isNull();
    }
    template <class>
    FromDom inner() const {
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
        need(at != nullptr && (is_list<L> ? at->isArray() : at->isObject()), "a list or an object");
        return at->size();
    }
    template <class, class Visit>
    void each(Visit visit) const {
        for (const Json::Value& item : *at) visit(FromDom{&item});
    }
    // In the order of the library, which is that of the bytes of the keys.
    template <class Visit>
    void members(Visit visit) const {
        for (auto entry = at->begin(); entry != at->end(); ++entry) {
            const char* end = nullptr;
            const char* key = entry.memberName(&end);
            visit(std::string_view(key, static_cast<std::size_t>(end - key)), FromDom{&*entry});
        }
    }
    template <class, class Visit>
    void entries(Visit visit) const {
        Entries<FromDom> all;
        members([&](std::string_view key, FromDom value) { all.add(key, value); });
        all.each(visit);
    }

    template <class T>
    struct Fields {
        const Json::Value* at;
        template <std::size_t I>
        FromDom field() const {
            if constexpr (is_tuple<T>) return {&(*at)[static_cast<Json::ArrayIndex>(I)]};
            constexpr std::string_view key = T::keys[I];
            return {at->find(key.data(), key.data() + key.size())};
        }
    };
    template <class T>
    Fields<T> record() const {
        if constexpr (is_tuple<T>) need(at != nullptr && at->isArray() && at->size() == T::FIELDS, "a tuple");
        else need(at != nullptr && at->isObject(), "an object");
        return {at};
    }

    Kind kind() const {
        switch (at == nullptr ? Json::nullValue : at->type()) {
            case Json::booleanValue: return Kind::boolean;
            case Json::intValue:
            case Json::uintValue: return Kind::integer;
            case Json::realValue: return Kind::real;
            case Json::stringValue: return Kind::text;
            case Json::arrayValue: return Kind::list;
            case Json::objectValue: return Kind::object;
            default: return Kind::none;
        }
    }
    // An integer as a value of any type.
    Any integer() const {
        if (at->isInt64()) return {at->asInt64()};
        return {at->asUInt64()};
    }
    // Items of a list, entries of an object.
    std::size_t length() const { return at->size(); }
    template <class U>
    std::size_t which() const {
        return first_taking<U>(*this);
    }
    template <class, std::size_t>
    FromDom alternative() const {
        return *this;
    }

private:
    static void need(bool fits, const char* what) {
        if (!fits) throw Failure(std::string(what) + " is missing or of another type");
    }

    std::string_view string() const {
        const char* begin = nullptr;
        const char* end = nullptr;
        need(at != nullptr && at->isString() && at->getString(&begin, &end), "a string");
        return {begin, static_cast<std::size_t>(end - begin)};
    }

    template <class T>
    T number() const {
        need(at != nullptr, "a number");
        if constexpr (std::is_same_v<T, bool>) {
            need(at->isBool(), "a boolean");
            return at->asBool();
        } else if constexpr (std::is_floating_point_v<T>) {
            need(at->isNumeric(), "a number");
            return static_cast<T>(at->asDouble());
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            need(at->isUInt64(), "an unsigned integer");
            return at->asUInt64();
        } else if constexpr (std::is_same_v<T, std::uint32_t>) {
            need(at->isUInt(), "an unsigned integer of 32 bits");
            return at->asUInt();
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            need(at->isInt(), "an integer of 32 bits");
            return at->asInt();
        } else {
            need(at->isInt64(), "an integer");
            return at->asInt64();
        }
    }
};

struct IntoDom {
    static constexpr bool COUNTS = false, HOLDS_ANY = true;
    Json::Value* at;

    template <class>
    IntoDom some() {
        return *this;
    }
    template <class>
    void none() {
        *at = Json::Value();
    }

    template <class V>
    void put(const V& value) {
        if constexpr (is_instant<V>) {
            *at = Json::Value(value.text());
        } else if constexpr (requires { value.view(); }) {
            *at = Json::Value(Base64::text(value.view()));
        } else if constexpr (std::is_convertible_v<V, std::string_view>) {
            const std::string_view view(value);
            *at = Json::Value(view.data(), view.data() + view.size());
        } else if constexpr (std::is_same_v<V, bool>) {
            *at = Json::Value(value);
        } else if constexpr (std::is_floating_point_v<V>) {
            *at = Json::Value(static_cast<double>(value));
        } else if constexpr (std::is_unsigned_v<V>) {
            *at = Json::Value(static_cast<Json::UInt64>(value));
        } else {
            *at = Json::Value(static_cast<Json::Int64>(value));
        }
    }

    struct Many {
        Json::Value* at;
        IntoDom next() { return {&at->append(Json::Value())}; }
        IntoDom next(std::string_view key) { return {at->demand(key.data(), key.data() + key.size())}; }
        void end() {}
    };
    template <class>
    Many list(std::size_t) {
        *at = Json::Value(Json::arrayValue);
        return {at};
    }
    template <class>
    Many map(std::size_t) {
        *at = Json::Value(Json::objectValue);
        return {at};
    }

    template <class T>
    struct Fields {
        Json::Value* at;
        template <std::size_t I, class>
        IntoDom field() {
            if constexpr (is_tuple<T>) return {&at->append(Json::Value())};
            return {at->demand(T::keys[I].data(), T::keys[I].data() + T::keys[I].size())};
        }
        template <std::size_t, class>
        void absent() {}
        void end() {}
    };
    template <class T>
    Fields<T> record(std::size_t) {
        *at = Json::Value(is_tuple<T> ? Json::arrayValue : Json::objectValue);
        return {at};
    }
    template <class, std::size_t>
    IntoDom alternative() {
        return *this;
    }
};

// The domain object of an application that holds its messages as a DOM.
template <class M>
struct DomDomain {
    using Domain = Json::Value;
    static FromDom from(const Json::Value& dom) { return {&dom}; }
    static IntoDom into(Json::Value& dom) { return {&dom}; }
    static Json::Value domain(const M& native) {
        Json::Value made;
        copy<M>(wirelab::from(native), into(made));
        return made;
    }
    static void native(const Json::Value& dom, M& native) { copy<M>(from(dom), wirelab::into(native)); }
};

}  // namespace wirelab
