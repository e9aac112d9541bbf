// Times codecs of the pack it is linked with by google-benchmark: `agreement CORPUS CODEC... --
// BENCHMARK'S OPTIONS`. One iteration is a pass over the corpus, one call of the pack per message.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "wirelab_pack.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

void demand(int code) {
    if (code == 0) return;
    std::cerr << wl_last_error() << '\n';
    std::exit(1);
}

void serialize(benchmark::State& state, wl_session* session, std::uint64_t messages) {
    for (auto _ : state) {
        for (std::uint64_t index = 0; index < messages; ++index) {
            const std::uint8_t* data = nullptr;
            std::size_t size = 0;
            demand(wl_encode(session, index, &data, &size));
            benchmark::DoNotOptimize(size);
        }
    }
}

void deserialize(benchmark::State& state, wl_session* session, const std::vector<Bytes>& encoded) {
    for (auto _ : state) {
        for (const Bytes& bytes : encoded) {
            std::uint64_t sum = 0;
            demand(wl_decode(session, bytes.data(), bytes.size(), &sum));
            benchmark::DoNotOptimize(sum);
        }
    }
}

std::vector<Bytes> all(wl_session* session, std::uint64_t messages) {
    std::vector<Bytes> encoded;
    for (std::uint64_t index = 0; index < messages; ++index) {
        const std::uint8_t* data = nullptr;
        std::size_t size = 0;
        demand(wl_encode(session, index, &data, &size));
        encoded.emplace_back(data, data + size);
    }
    return encoded;
}

}  // namespace

int main(int count, char** words) {
    std::ifstream file(words[1]);
    const std::string lines{std::istreambuf_iterator<char>(file), {}};
    wl_corpus* corpus = nullptr;
    demand(wl_corpus_open(reinterpret_cast<const std::uint8_t*>(lines.data()), lines.size(), &corpus));
    const std::uint64_t messages = wl_corpus_len(corpus);
    int next = 2;
    for (; next < count && std::string(words[next]) != "--"; ++next) {
        const std::string codec = words[next];
        wl_session* session = nullptr;
        demand(wl_session_open(corpus, words[next], &session));
        const auto encoded = all(session, messages);
        benchmark::RegisterBenchmark((codec + " serialize").c_str(),
                                     [=](benchmark::State& state) { serialize(state, session, messages); });
        benchmark::RegisterBenchmark((codec + " deserialize").c_str(),
                                     [=](benchmark::State& state) { deserialize(state, session, encoded); });
    }
    words[next < count ? next : count - 1] = words[0];
    int left = next < count ? count - next : 1;
    benchmark::Initialize(&left, words + (count - left));
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
