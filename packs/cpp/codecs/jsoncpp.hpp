// JSON with JsonCpp: its DOM is the library's object.
#pragma once
#include <ostream>
#include <streambuf>

#include "dom.hpp"
#include "session.hpp"

namespace wirelab {

// The output of a stream, in a reused buffer.
class Reused : public std::streambuf {
public:
    void clear() { text_.clear(); }
    std::string_view view() const { return text_; }

private:
    std::streamsize xsputn(const char* from, std::streamsize count) override {
        text_.append(from, static_cast<std::size_t>(count));
        return count;
    }
    int_type overflow(int_type sign) override {
        if (sign != traits_type::eof()) text_.push_back(static_cast<char>(sign));
        return sign;
    }
    std::string text_;
};

template <class M>
class JsonCpp {
public:
    using Domain = M;

    JsonCpp() {
        Json::StreamWriterBuilder writer;
        writer["indentation"] = "";
        writer["emitUTF8"] = true;
        writer_.reset(writer.newStreamWriter());
        Json::CharReaderBuilder reader;
        Json::CharReaderBuilder::strictMode(&reader.settings_);
        reader["strictRoot"] = false;
        reader_.reset(reader.newCharReader());
    }

    Json::Value populate(const M& native) { return DomDomain<M>::domain(native); }
    Bytes encode(const Json::Value& dom) {
        buffer_.clear();
        writer_->write(dom, &out_);
        return bytes(buffer_.view());
    }
    Bytes serialize(const M& native) { return encode(populate(native)); }
    void decode(Bytes bytes, Checksum& sum) {
        const Json::Value dom = parse(text(bytes));
        fold<M>(FromDom{&dom}, sum);
    }
    void convert(Bytes bytes, M& native) {
        const Json::Value dom = parse(text(bytes));
        copy<M>(FromDom{&dom}, into(native));
    }

private:
    Json::Value parse(std::string_view text) {
        Json::Value dom;
        std::string why;
        if (!reader_->parse(text.data(), text.data() + text.size(), &dom, &why)) throw Failure(why);
        return dom;
    }

    std::unique_ptr<Json::StreamWriter> writer_;
    std::unique_ptr<Json::CharReader> reader_;
    Reused buffer_;
    std::ostream out_{&buffer_};
};

}  // namespace wirelab
