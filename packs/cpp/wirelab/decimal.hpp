// A number whose digits matter: 1.00 is not 1.0.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace wirelab {

// The number in the form of the General Decimal Arithmetic specification ("to scientific string"):
// 1.00, 1.2E+2, -0.
class Decimal {
public:
    Decimal() = default;
    // A JSON number literal. Throws Failure for anything else.
    static Decimal parse(std::string_view text);
    const std::string& text() const { return text_; }
    // The number of digits without leading zeros.
    std::size_t digits() const { return digits_; }
    // The power of ten of the last digit.
    std::int64_t exponent() const { return exponent_; }

private:
    std::string text_ = "0";
    std::size_t digits_ = 1;
    std::int64_t exponent_ = 0;
};

}  // namespace wirelab
