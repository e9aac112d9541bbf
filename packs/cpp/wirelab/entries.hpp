// The entries of a map sorted by the bytes of their keys, for libraries that keep another order.
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace wirelab {

template <class Value>
class Entries {
public:
    void add(std::string_view key, Value value) { all_.emplace_back(key, value); }

    template <class Visit>
    void each(Visit visit) {
        const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
        if (!std::is_sorted(all_.begin(), all_.end(), before)) std::sort(all_.begin(), all_.end(), before);
        for (const auto& [key, value] : all_) visit(key, value);
    }

private:
    std::vector<std::pair<std::string_view, Value>> all_;
};

}  // namespace wirelab
