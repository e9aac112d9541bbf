// Reads objects in JSON, one a line, and prints the bytes of each in BSON and UBJSON.
// Floats have 32 bits, as in the study.
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using Json = nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, float>;

int main() {
    for (std::string line; std::getline(std::cin, line);) {
        const Json object = Json::parse(line);
        std::cout << Json::to_bson(object).size() << ' ' << Json::to_ubjson(object).size() << '\n';
    }
}
