// A codec whose library has its own objects, new for each message.
#pragma once
#include "session.hpp"

namespace wirelab {

// `Root` is the library's class of a message. `Wire` writes and reads it and makes it a source and
// a sink. `Held` is the application's object.
template <class M, class Root, class Wire, class Held = NativeDomain<M>>
class Objects : public Held {
public:
    using Domain = typename Held::Domain;

    std::unique_ptr<Root> populate(const Domain& domain) {
        auto made = std::make_unique<Root>();
        copy<M>(Held::from(domain), Wire::sink(*made));
        return made;
    }
    Bytes encode(const std::unique_ptr<Root>& object) { return wire_.write(*object); }
    Bytes serialize(const Domain& domain) {
        Root object;
        copy<M>(Held::from(domain), Wire::sink(object));
        return wire_.write(object);
    }
    void decode(Bytes bytes, Checksum& sum) {
        Root object;
        wire_.read(bytes, object);
        fold<M>(Wire::source(object), sum);
    }
    void convert(Bytes bytes, Domain& domain) {
        Root object;
        wire_.read(bytes, object);
        copy<M>(Wire::source(object), Held::into(domain));
    }

private:
    Wire wire_;
};

}  // namespace wirelab
