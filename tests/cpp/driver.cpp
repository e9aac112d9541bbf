// Opens every codec of a pack on the corpus of its first argument, reads what it wrote, and then
// all of it damaged.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "wirelab_pack.h"

int main(int count, char** words) {
    std::ifstream file(words[1]);
    const std::string lines{std::istreambuf_iterator<char>(file), {}};
    const auto* text = reinterpret_cast<const std::uint8_t*>(lines.data());
    wl_corpus* corpus = nullptr;
    if (wl_corpus_open(text, lines.size(), &corpus) != 0) return std::fprintf(stderr, "%s\n", wl_last_error()), 1;
    std::mt19937 draw(7);
    for (int codec = 2; codec < count; ++codec) {
        wl_session* session = nullptr;
        if (wl_session_open(corpus, words[codec], &session) != 0) return std::fprintf(stderr, "%s\n", wl_last_error()), 1;
        const std::uint8_t* data = nullptr;
        std::size_t size = 0;
        std::uint64_t sum = 0;
        if (wl_encode(session, 0, &data, &size) != 0) return 1;
        const std::vector<std::uint8_t> whole(data, data + size);
        if (wl_decode(session, whole.data(), whole.size(), &sum) != 0) return 1;
        int refused = 0;
        for (int round = 0; round < 2000; ++round) {
            std::vector<std::uint8_t> damaged(whole);
            if (round % 2 == 0) damaged.resize(draw() % size);
            else damaged[draw() % size] ^= static_cast<std::uint8_t>(1U << draw() % 8);
            refused += wl_decode(session, damaged.data(), damaged.size(), &sum) != 0;
            wl_to_json(session, damaged.data(), damaged.size(), &data, &size);
            size = whole.size();
        }
        std::printf("%s %d\n", words[codec], refused);
        wl_session_close(session);
    }
    wl_corpus_close(corpus);
    return 0;
}
