// Native objects as a source and as a sink.
#pragma once
#include "visitor.hpp"

namespace wirelab {

template <class T>
struct From;

template <class T>
auto stored(const T& value) {
    if constexpr (is_boxed<T>) return From<typename T::element_type>{value.get()};
    else return From<T>{&value};
}

template <class T>
struct From {
    static constexpr bool IS_NATIVE = true;
    const T* at;

    template <class W>
    bool there() const {
        return at->has_value();
    }
    template <class>
    auto inner() const {
        return stored(**at);
    }
    template <class>
    const T& get() const {
        return *at;
    }
    template <class>
    std::size_t size() const {
        return at->size();
    }
    template <class L, class Visit>
    void each(Visit visit) const {
        for (auto&& item : *at) visit(From<Element<L>>{&item});
    }
    template <class M, class Visit>
    void entries(Visit visit) const {
        for (const auto& [key, value] : *at) visit(std::string_view(key), From<Element<M>>{&value});
    }
    template <class>
    From record() const {
        return *this;
    }
    template <class>
    std::size_t which() const {
        return at->value.index();
    }
    template <class U, std::size_t I>
    auto alternative() const {
        return stored(std::get<I>(at->value));
    }
    template <std::size_t I>
    auto field() const {
        constexpr auto member = T::member(At<I>());
        return stored(at->*member);
    }
};

template <class T>
From<T> from(const T& native) {
    return {&native};
}

template <class T>
struct Into;

// std::vector<bool> has no addressable items.
struct IntoBools {
    static constexpr bool COUNTS = false;
    std::vector<bool>* at;
    void put(bool value) { at->push_back(value); }
};

template <class T>
auto storage(T& value) {
    if constexpr (is_boxed<T>) {
        value = std::make_unique<typename T::element_type>();
        return Into<typename T::element_type>{value.get()};
    } else {
        return Into<T>{&value};
    }
}

template <class T>
struct Into {
    static constexpr bool COUNTS = false;
    static constexpr bool IS_NATIVE = true;
    T* at;

    template <class>
    auto some() {
        at->emplace();
        return storage(**at);
    }
    template <class>
    void none() {
        at->reset();
    }

    void put(T&& value)
        requires(is_any<T> || is_decimal<T>)
    {
        *at = std::move(value);
    }
    template <class V>
    void put(const V& value) {
        if constexpr (is_octets<T>) {
            at->bytes.assign(value.view());
        } else if constexpr (is_text<T>) {
            at->assign(std::string_view(value));
        } else {
            *at = static_cast<T>(value);
        }
    }

    struct Many {
        T* at;
        auto next() {
            if constexpr (std::is_same_v<T, std::vector<bool>>) {
                return IntoBools{at};
            } else {
                return Into<Element<T>>{&at->emplace_back()};
            }
        }
        // Most sources are in the order of keys, so the hint is the end.
        auto next(std::string_view key) {
            return Into<Element<T>>{&at->try_emplace(at->end(), std::string(key))->second};
        }
        void end() {}
    };
    template <class>
    Many list(std::size_t size) {
        at->clear();
        at->reserve(size);
        return {at};
    }
    template <class>
    Many map(std::size_t) {
        at->clear();
        return {at};
    }

    struct Fields {
        T* at;
        template <std::size_t I, class>
        auto field() {
            return storage(at->*T::member(At<I>()));
        }
        template <std::size_t I, class F>
        void absent() {
            (at->*T::member(At<I>())).reset();
        }
        void end() {}
    };
    template <class>
    Fields record(std::size_t) {
        return {at};
    }
    template <class U, std::size_t I>
    auto alternative() {
        return storage(at->value.template emplace<I>());
    }
};

template <class T>
Into<T> into(T& native) {
    return {&native};
}

// The domain object of an application that holds its messages as native objects.
template <class M>
struct NativeDomain {
    using Domain = M;
    static auto from(const M& native) { return wirelab::from(native); }
    static auto into(M& native) { return wirelab::into(native); }
};

}  // namespace wirelab
