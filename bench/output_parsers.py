"""Parsers for the output of other tools.

Each function takes the whole output of a tool, and raises ValueError for an unexpected one.
"""

from __future__ import annotations

import re
from statistics import fmean, median

# The first seconds do not represent the others: JVMs warm up, and partners discover each other.
SKIPPED_S = 2
DDSPERF = re.compile(r"size \d+ total \d+ lost \d+ delta \d+ lost (\d+) rate ([\d.]+) kS/s", re.MULTILINE)
PERF_TEST = re.compile(r"time [\d.]+ s, sent: \d+ msg/s, received: (\d+) msg/s")
PRODUCER = re.compile(r"^\d+ steady state records sent, ([\d.]+) records/sec", re.MULTILINE)
LOOP = re.compile(r"([\d.]+) msg/s, median ([\d.]+) us\n")


def parse_loop(text: str) -> tuple[float, float]:
    """Messages per second and the median latency in us, from bench/zmq.c."""
    found = LOOP.fullmatch(text)
    if found is None:
        raise ValueError(text)
    return float(found[1]), float(found[2])


def parse_ddsperf(text: str) -> float:
    """Samples per second from the lines of ddsperf's subscriber.

    It is the mean of all seconds except the first and the last, which are partly idle. A loss is an
    error: with a reliable writer it means that the machine stalled.
    """
    seconds = [(int(lost), float(rate)) for lost, rate in DDSPERF.findall(text)]
    if len(seconds) < 3 or any(lost for lost, _ in seconds):
        raise ValueError(text)
    return fmean(rate for _, rate in seconds[1:-1]) * 1000


def parse_perf_test(text: str) -> float:
    """Messages received per second from RabbitMQ PerfTest's lines: the median after the first
    seconds.
    """
    seconds = [int(received) for received in PERF_TEST.findall(text)][SKIPPED_S:]
    if not seconds:
        raise ValueError(text)
    return float(median(seconds))


def parse_producer_performance(text: str) -> float:
    """Records acknowledged per second from Kafka's ProducerPerformance, after its warm-up."""
    found = PRODUCER.search(text)
    if found is None:
        raise ValueError(text)
    return float(found[1])
