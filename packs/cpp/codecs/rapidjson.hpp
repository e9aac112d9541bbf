// JSON with RapidJSON: native objects through its writer, and back from a document.
#pragma once
#include "session.hpp"

namespace wirelab {

template <class M>
class RapidJson {
public:
    using Domain = M;

    Bytes serialize(const M& native) {
        buffer_.Clear();
        write_json(native, buffer_);
        return bytes({buffer_.GetString(), buffer_.GetSize()});
    }
    void decode(Bytes bytes, Checksum& sum) {
        rapidjson::Document document;
        parse_json<keeps_digits<M>>(text(bytes), document);
        fold<M>(FromJson<keeps_digits<M>>{&document}, sum);
    }
    void convert(Bytes bytes, M& native) {
        rapidjson::Document document;
        parse_json<keeps_digits<M>>(text(bytes), document);
        copy<M>(FromJson<keeps_digits<M>>{&document}, into(native));
    }

private:
    JsonBuffer buffer_;
};

}  // namespace wirelab
