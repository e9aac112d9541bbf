#include "any.hpp"

#include <charconv>
#include <cmath>

#include "json.hpp"

namespace wirelab {
namespace {

void append(std::string& out, std::string_view text) {
    constexpr std::string_view HEX = "0123456789abcdef", SHORT = "\"\\\b\f\n\r\t", LETTERS = "\"\\bfnrt";
    out.push_back('"');
    for (const char sign : text) {
        const auto code = static_cast<unsigned char>(sign);
        if (const std::size_t at = SHORT.find(sign); at != SHORT.npos) {
            out.append({'\\', LETTERS[at]});
        } else if (code < 0x20) {
            out.append("\\u00").append({HEX[code >> 4U], HEX[code & 15U]});
        } else {
            out.push_back(sign);
        }
    }
    out.push_back('"');
}

// The fewest digits that round-trip; in full from 1e-5 on and below 1e16, as serde_json has it.
void append(std::string& out, double value) {
    if (!std::isfinite(value)) throw Failure("JSON has no infinity and no NaN");
    char made[32];
    const char* end = std::to_chars(made, made + sizeof made, std::abs(value), std::chars_format::scientific).ptr;
    const std::string_view shown(made, static_cast<std::size_t>(end - made));
    const std::size_t mark = shown.find('e');
    std::string digits(shown.substr(0, 1));
    if (mark > 2) digits.append(shown.substr(2, mark - 2));
    int power = 0;
    std::from_chars(made + mark + (shown[mark + 1] == '+' ? 2 : 1), end, power);
    if (std::signbit(value)) out.push_back('-');
    const std::size_t places = static_cast<std::size_t>(std::abs(power));
    if (power < -5 || power > 15) {
        out.append(digits.substr(0, 1));
        if (digits.size() > 1) out.append(".").append(digits.substr(1));
        out.append(power < 0 ? "e-" : "e+").append(std::to_string(places));
    } else if (power < 0) {
        out.append("0.").append(places - 1, '0').append(digits);
    } else {
        if (digits.size() < places + 2) digits.append(places + 2 - digits.size(), '0');
        out.append(digits.substr(0, places + 1)).append(".").append(digits.substr(places + 1));
    }
}

void append(std::string& out, const Any& any) {
    std::visit([&]<class V>(const V& value) {
        if constexpr (std::is_same_v<V, Any::Null>) {
            out.append("null");
        } else if constexpr (std::is_same_v<V, bool>) {
            out.append(value ? "true" : "false");
        } else if constexpr (std::is_integral_v<V>) {
            out.append(std::to_string(value));
        } else if constexpr (std::is_same_v<V, Any::List>) {
            out.push_back('[');
            for (const Any& item : value) {
                if (&item != value.data()) out.push_back(',');
                append(out, item);
            }
            out.push_back(']');
        } else if constexpr (std::is_same_v<V, Any::Object>) {
            out.push_back('{');
            for (const auto& entry : value) {
                if (&entry != value.data()) out.push_back(',');
                append(out, std::string_view(entry.first));
                out.push_back(':');
                append(out, entry.second);
            }
            out.push_back('}');
        } else if constexpr (std::is_same_v<V, std::string>) {
            append(out, std::string_view(value));
        } else {
            append(out, value);
        }
    }, any.value);
}

}  // namespace

Any Any::parse(std::string_view json) {
    rapidjson::Document document;
    try {
        parse_json<false>(json, document);
    } catch (const Failure& failure) {
        throw Failure(std::string("the text of a value is not JSON: ") + failure.what());
    }
    return taken_any(FromJson<false>{&document});
}

std::string Any::text() const {
    std::string out;
    append(out, *this);
    return out;
}

void Any::fold(Checksum& sum) const {
    std::visit([&]<class V>(const V& held) {
        if constexpr (std::is_same_v<V, Null>) {
            sum.missing();
        } else if constexpr (std::is_same_v<V, bool>) {
            sum.word(8 + std::uint64_t{held});
        } else if constexpr (std::is_arithmetic_v<V>) {
            sum.word(2);
            sum.number(static_cast<double>(held));
        } else if constexpr (std::is_same_v<V, std::string>) {
            sum.word(3);
            sum.bytes(held);
        } else if constexpr (std::is_same_v<V, List>) {
            sum.word(4);
            sum.word(held.size());
            for (const Any& item : held) item.fold(sum);
        } else {
            std::uint64_t all = 0;
            for (const auto& [key, inner] : held) {
                Checksum own;
                own.bytes(key);
                inner.fold(own);
                all += own.value();
            }
            sum.word(5);
            sum.word(all);
        }
    }, value);
}

}  // namespace wirelab
