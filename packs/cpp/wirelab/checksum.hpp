// The checksum that proves that every field was read: docs/contracts/pack.md, "Checksum".
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace wirelab {

class Checksum {
public:
    std::uint64_t value() const { return sum_; }

    void word(std::uint64_t word) {
        sum_ = (std::rotl(sum_, 5) ^ word) * 0x9e37'79b9'7f4a'7c15U;  // 2^64 / golden ratio
    }

    void number(double value) { word(std::bit_cast<std::uint64_t>(value + 0.0)); }

    void bytes(std::string_view text) {
        word(text.size());
        if (text.size() < 8) {
            word(load(text.data(), text.size()));
            return;
        }
        word(load(text.data(), 8));
        word(load(text.data() + text.size() - 8, 8));
    }

    void present() { word(1); }
    void missing() { word(0); }

private:
    static std::uint64_t load(const char* from, std::size_t length) {
        static_assert(std::endian::native == std::endian::little);
        std::uint64_t word = 0;
        if (length > 0) std::memcpy(&word, from, length);
        return word;
    }

    std::uint64_t sum_ = 0;
};

}  // namespace wirelab
