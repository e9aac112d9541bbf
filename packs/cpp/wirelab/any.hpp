// A value of any type: any JSON value, null too. Formats that describe themselves hold it as their
// own values, the others as JSON text.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "checksum.hpp"

namespace wirelab {

struct Any {
    using Null = std::monostate;
    using List = std::vector<Any>;
    using Object = std::vector<std::pair<std::string, Any>>;  // in the order of the message
    // An integer is signed where 64 bits with a sign hold it.
    std::variant<Null, bool, std::int64_t, std::uint64_t, double, std::string, List, Object> value;

    // Throws Failure for text that is not one JSON value.
    static Any parse(std::string_view json);
    // Compact JSON, in the spelling of the packs in Rust.
    std::string text() const;
    // Numbers of equal value and objects in any order of keys have one checksum.
    void fold(Checksum& sum) const;
};

}  // namespace wirelab
