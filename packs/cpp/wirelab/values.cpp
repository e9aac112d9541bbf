#include "values.hpp"

#include <chrono>
#include <cstdio>

namespace wirelab {
namespace {

constexpr std::int64_t SECOND = 1'000'000'000;

[[noreturn]] void not_a_timestamp(std::string_view text) {
    throw Failure("\"" + std::string(text) + "\" is not an RFC 3339 timestamp");
}

// The digits of text[start, end) as a number, or -1.
std::int64_t digits(std::string_view text, std::size_t start, std::size_t end) {
    if (end > text.size()) return -1;
    std::int64_t value = 0;
    for (std::size_t at = start; at < end; ++at) {
        if (text[at] < '0' || text[at] > '9') return -1;
        value = value * 10 + (text[at] - '0');
    }
    return value;
}

bool has(std::string_view text, std::size_t at, char sign) { return at < text.size() && text[at] == sign; }

std::int64_t power_of_ten(unsigned exponent) {
    std::int64_t value = 1;
    while (exponent-- > 0) value *= 10;
    return value;
}

// Minutes east of UTC of the text from `end` on; `utc` for Z.
std::int64_t offset_of(std::string_view text, std::size_t end, std::int64_t utc) {
    if (has(text, end, 'Z') && text.size() == end + 1) return utc;
    const bool west = has(text, end, '-');
    if (!(west || has(text, end, '+')) || text.size() != end + 6 || !has(text, end + 3, ':')) not_a_timestamp(text);
    const std::int64_t hours = digits(text, end + 1, end + 3);
    const std::int64_t minutes = digits(text, end + 4, end + 6);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) not_a_timestamp(text);
    const std::int64_t total = hours * 60 + minutes;
    if (west && total == 0) not_a_timestamp(text);
    return west ? -total : total;
}

constexpr std::string_view ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

Timestamp Timestamp::of_nanos(std::int64_t nanos) {
    Timestamp made;
    made.nanos_ = nanos;
    const std::int64_t fraction = (nanos % SECOND + SECOND) % SECOND;
    made.digits_ = fraction == 0 ? 0 : fraction % 1'000'000 == 0 ? 3 : fraction % 1'000 == 0 ? 6 : 9;
    return made;
}

Timestamp Timestamp::parse(std::string_view text) {
    const std::int64_t hour = digits(text, 11, 13), minute = digits(text, 14, 16), second = digits(text, 17, 19);
    const std::int64_t year = digits(text, 0, 4), month = digits(text, 5, 7), day = digits(text, 8, 10);
    const bool separated = has(text, 4, '-') && has(text, 7, '-') && has(text, 10, 'T') && has(text, 13, ':') &&
                           has(text, 16, ':');
    if (!separated || year < 0 || month < 0 || day < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
        second < 0 || second > 59) {
        not_a_timestamp(text);
    }
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(static_cast<unsigned>(month)),
                                           std::chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) not_a_timestamp(text);
    std::size_t end = 19;
    std::int64_t fraction = 0;
    if (has(text, 19, '.')) {
        end = 20;
        while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
        if (end < 21 || end > 29) not_a_timestamp(text);
        fraction = digits(text, 20, end) * power_of_ten(static_cast<unsigned>(29 - end));
    }
    Timestamp made;
    made.offset_ = static_cast<std::int16_t>(offset_of(text, end, UTC));
    made.digits_ = static_cast<std::uint8_t>(end == 19 ? 0 : end - 20);
    const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
    const std::int64_t east = made.offset_ == UTC ? 0 : made.offset_;
    const std::int64_t seconds = days * 86'400 + hour * 3600 + minute * 60 + second - east * 60;
    if (__builtin_mul_overflow(seconds, SECOND, &made.nanos_) ||
        __builtin_add_overflow(made.nanos_, fraction, &made.nanos_)) {
        not_a_timestamp(text);
    }
    return made;
}

std::string Timestamp::text() const {
    const std::int64_t fraction = (nanos_ % SECOND + SECOND) % SECOND;
    const std::int64_t east = offset_ == UTC ? 0 : offset_;
    const std::chrono::sys_seconds local{std::chrono::seconds(nanos_ / SECOND - (nanos_ % SECOND < 0) + east * 60)};
    const auto day = std::chrono::floor<std::chrono::days>(local);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss time(local - day);
    char made[64];
    int length = std::snprintf(made, sizeof made, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
                               static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                               static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                               static_cast<int>(time.seconds().count()));
    std::string text(made, static_cast<std::size_t>(length));
    if (digits_ > 0) {
        length = std::snprintf(made, sizeof made, ".%0*lld", digits_,
                               static_cast<long long>(fraction / power_of_ten(9U - digits_)));
        text.append(made, static_cast<std::size_t>(length));
    }
    if (offset_ == UTC) return text + "Z";
    const int minutes = offset_ < 0 ? -offset_ : offset_;
    length = std::snprintf(made, sizeof made, "%c%02d:%02d", offset_ < 0 ? '-' : '+', minutes / 60, minutes % 60);
    return text.append(made, static_cast<std::size_t>(length));
}

Base64 Base64::parse(std::string_view text) {
    const auto refuse = [&]() -> Failure { return Failure("\"" + std::string(text) + "\" is not padded base64"); };
    if (text.size() % 4 != 0) throw refuse();
    Base64 made;
    made.bytes.reserve(text.size() / 4 * 3);
    for (std::size_t at = 0; at < text.size(); at += 4) {
        const std::string_view group = text.substr(at, 4);
        const std::size_t filled = group.find_last_not_of('=') + 1;
        if (filled < 2 || (filled < 4 && at + 4 != text.size())) throw refuse();
        std::uint32_t word = 0;
        for (std::size_t index = 0; index < 4; ++index) {
            const std::size_t value = index < filled ? ALPHABET.find(group[index]) : 0;
            if (value == std::string_view::npos) throw refuse();
            word = word << 6U | static_cast<std::uint32_t>(value);
        }
        if ((word & ((1U << (8 * (4 - filled))) - 1U)) != 0) throw refuse();
        for (std::size_t index = 0; index + 1 < filled; ++index) {
            made.bytes.push_back(static_cast<char>(word >> (16 - 8 * index) & 0xffU));
        }
    }
    return made;
}

std::string Base64::text(std::string_view bytes) {
    std::string made;
    made.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::string_view group = bytes.substr(at, 3);
        std::uint32_t word = 0;
        for (std::size_t index = 0; index < 3; ++index) {
            word = word << 8U | (index < group.size() ? static_cast<unsigned char>(group[index]) : 0U);
        }
        for (std::size_t index = 0; index < 4; ++index) {
            made.push_back(index > group.size() ? '=' : ALPHABET[word >> (18 - 6 * index) & 63U]);
        }
    }
    return made;
}

}  // namespace wirelab
