#include "decimal.hpp"

#include <charconv>

#include "values.hpp"

namespace wirelab {
namespace {

// A number as its sign, its digits without leading zeros and the exponent of the last of them.
struct Parts {
    bool is_negative = false;
    std::string digits;
    std::int64_t exponent = 0;
};

bool take_digits(std::string_view& text, std::string& digits) {
    std::size_t count = 0;
    while (count < text.size() && text[count] >= '0' && text[count] <= '9') ++count;
    digits.append(text.substr(0, count));
    text.remove_prefix(count);
    return count > 0;
}

bool take(std::string_view& text, char sign) {
    if (text.empty() || text.front() != sign) return false;
    text.remove_prefix(1);
    return true;
}

// Whether the text is a number.
bool read(std::string_view text, Parts& parts) {
    parts.is_negative = take(text, '-');
    if (!take_digits(text, parts.digits)) return false;
    const std::size_t whole = parts.digits.size();
    if (take(text, '.') && !take_digits(text, parts.digits)) return false;
    const auto fraction = static_cast<std::int64_t>(parts.digits.size() - whole);
    std::int32_t power = 0;
    if (take(text, 'e') || take(text, 'E')) {
        take(text, '+');
        const char* end = text.data() + text.size();
        const auto found = std::from_chars(text.data(), end, power);
        if (found.ec != std::errc() || found.ptr != end) return false;
        text = {};
    }
    parts.digits.erase(0, std::min(parts.digits.find_first_not_of('0'), parts.digits.size() - 1));
    parts.exponent = power - fraction;
    return text.empty();
}

std::string show(Parts parts) {
    const auto count = static_cast<std::int64_t>(parts.digits.size());
    const std::int64_t adjusted = parts.exponent + count - 1;
    std::string made(parts.is_negative ? "-" : "");
    if (parts.exponent == 0) return made + parts.digits;
    if (parts.exponent < 0 && adjusted >= -6) {
        if (adjusted < 0) parts.digits.insert(0, static_cast<std::size_t>(-adjusted), '0');
        parts.digits.insert(parts.digits.size() - static_cast<std::size_t>(-parts.exponent), 1, '.');
        return made + parts.digits;
    }
    if (count > 1) parts.digits.insert(1, 1, '.');
    return made + parts.digits + (adjusted < 0 ? "E" : "E+") + std::to_string(adjusted);
}

}  // namespace

Decimal Decimal::parse(std::string_view text) {
    Parts parts;
    if (!read(text, parts)) throw Failure("'" + std::string(text) + "' is not a decimal number");
    Decimal made;
    made.digits_ = parts.digits.size();
    made.exponent_ = parts.exponent;
    made.text_ = show(std::move(parts));
    return made;
}

}  // namespace wirelab
