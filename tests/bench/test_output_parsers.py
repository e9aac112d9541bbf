"""The output of other tools is parsed; anything else is refused."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SPEC = importlib.util.spec_from_file_location(
    "output_parsers", Path(__file__).parents[2] / "bench" / "output_parsers.py"
)
assert SPEC
assert SPEC.loader
output_parsers = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(output_parsers)

DDSPERF = """\
[16754] participant vm:16755: new
[16754] 1.000  size 1000 total 501368 lost 0 delta 501368 lost 0 rate 501.34 kS/s 4010.72 Mb/s (50.13 kS/s 401.07 Mb/s)
[16754] 1.000  rss:7.3MB vcsw:18747 ivcsw:3739 tev:1%+1% recvUC:24%+3%
[16754] 2.000  size 1000 total 1132558 lost 0 delta 631190 lost 0 rate 631.19 kS/s 5049.52 Mb/s (113.26 kS/s 906.05 Mb/s)
[16754] 3.000  size 1000 total 1502815 lost 0 delta 370257 lost 0 rate 370.25 kS/s 2962.04 Mb/s (150.28 kS/s 1202.24 Mb/s)
[16754] 6.001  size 1000 total 2469681 lost 0 delta 174 lost 0 rate 0.17 kS/s 1.39 Mb/s (246.75 kS/s 1973.99 Mb/s)
"""
PERF_TEST = """\
id: test-115534-157, starting producer #0
id: test-115534-157, time 1.019 s, sent: 2593 msg/s, received: 1878 msg/s, min/median/75th/95th/99th consumer latency: 14590/303855/386633/436462/661288 µs
id: test-115534-157, time 2.003 s, sent: 15622 msg/s, received: 15278 msg/s, min/median/75th/95th/99th consumer latency: 3171/45672/139327/560703/586881 µs
id: test-115534-157, time 3.026 s, sent: 18517 msg/s, received: 19042 msg/s, min/median/75th/95th/99th consumer latency: 657/11061/43827/179182/241790 µs
id: test-115534-157, time 4.003 s, sent: 28026 msg/s, received: 23935 msg/s, min/median/75th/95th/99th consumer latency: 1752/92442/208118/263367/281266 µs
test stopped (Reached time limit)
id: test-115534-157, sending rate avg: 26381 msg/s
id: test-115534-157, receiving rate avg: 26381 msg/s
"""
PRODUCER = """\
Warmup first 200000 records. Steady state results will print after the complete test summary.
500000 records sent, 62019.350037 records/sec (59.15 MB/sec), 373.17 ms avg latency, 1404.00 ms max latency, 341 ms 50th.
300000 steady state records sent, 86705.202312 records/sec (82.69 MB/sec), 314.58 ms avg latency, 615.00 ms max latency.
"""


def test_ddsperf_is_read_without_its_first_and_last_second() -> None:
    assert output_parsers.parse_ddsperf(DDSPERF) == pytest.approx((631_190 + 370_250) / 2)


def test_perf_test_is_read_after_its_first_two_seconds() -> None:
    assert output_parsers.parse_perf_test(PERF_TEST) == (19_042 + 23_935) / 2


def test_producer_performance_is_read_after_its_warm_up() -> None:
    assert output_parsers.parse_producer_performance(PRODUCER) == 86_705.202312


def test_the_output_of_the_plain_loop_has_a_rate_and_a_median() -> None:
    assert output_parsers.parse_loop("1972722.5 msg/s, median 31.30 us\n") == (1_972_722.5, 31.3)


@pytest.mark.parametrize("read", ["ddsperf", "perf_test", "producer_performance", "loop"])
def test_unexpected_output_of_a_tool_is_refused(read: str) -> None:
    with pytest.raises(ValueError, match="usage: tool"):
        getattr(output_parsers, f"parse_{read}")("usage: tool")


def test_samples_that_ddsperf_lost_are_refused() -> None:
    with pytest.raises(ValueError, match="lost 7 rate"):
        output_parsers.parse_ddsperf(DDSPERF.replace("lost 0 rate 370", "lost 7 rate 370"))
