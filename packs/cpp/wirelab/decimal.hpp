// A number whose digits matter: 1.00 is not 1.0.
#pragma once
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

private:
    std::string text_ = "0";
};

}  // namespace wirelab
