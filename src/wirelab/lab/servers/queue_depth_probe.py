"""Record the queue depth of a server until killed: `python queue_depth_probe.py KIND PORT FILE`.

It runs on the server's host. Each line is a time (ns of CLOCK_MONOTONIC), the queue depth, and the
number of messages that the server has dropped if it counts them. It imports nothing of wirelab, so
that its start costs little.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator

# A reading costs some 3 ms of CPU time.
PERIOD_S = 0.5
PATIENCE_S = 5.0
# The longest gap between messages of one report of mosquitto.
BREAK_S = 0.1
# It yields to the measured processes (nice(2)).
PATIENT = 10
STORED, RETAINED = b"$SYS/broker/store/messages/count", b"$SYS/broker/retained messages/count"
DROPPED = b"$SYS/broker/publish/messages/dropped"
PUBLISH = 3


Reading = tuple[int, ...]


def mosquitto(port: int) -> Iterator[Reading]:
    """Messages in its store except retained ones, and dropped ones, from changes in its $SYS tree
    (mosquitto(8)).
    """
    with socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
        # CONNECT with a clean session and without a name, SUBSCRIBE (MQTT 3.1.1, 3.1 and 3.8).
        connection.sendall(b"\x10\x0c\x00\x04MQTT\x04\x02\x00\x00\x00\x00")
        for topic in (STORED, RETAINED, DROPPED):
            wanted = b"\x00\x01" + len(topic).to_bytes(2, "big") + topic + b"\x00"
            connection.sendall(bytes([0x82, len(wanted)]) + wanted)
        connection.settimeout(BREAK_S)
        known, told = dict[bytes, int](), b""
        while True:
            try:
                told += (heard := connection.recv(4096))
            except TimeoutError:
                # Both numbers are of the same second only when the report is complete.
                if told and known.keys() >= {STORED, RETAINED}:
                    # A starting broker may report more retained messages than it has counted.
                    yield max(0, known[STORED] - known[RETAINED]), known.get(DROPPED, 0)
                told = b""
                continue
            if not heard:
                return
            known |= dict(_published(told))


def _published(told: bytes) -> Iterator[tuple[bytes, int]]:
    """Topics and numbers of the complete MQTT packets in a prefix of bytes, all below 128 bytes."""
    while len(told) > 1 and len(told) >= (end := 2 + told[1]):
        if told[0] >> 4 == PUBLISH:
            body = 4 + int.from_bytes(told[2:4], "big")
            yield told[4:body], int(told[body:end])
        told = told[end:]


def nats(port: int) -> Iterator[Reading]:
    """Messages that JetStream's consumers have not received or acknowledged (docs.nats.io,
    "Monitoring").
    """
    while True:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/jsz?consumers=1", timeout=PATIENCE_S) as answer:
            told = json.load(answer)
        accounts = told.get("account_details") or []
        streams = [stream for account in accounts for stream in account.get("stream_detail") or []]
        consumers = [consumer for stream in streams for consumer in stream.get("consumer_detail") or []]
        yield (sum(consumer["num_pending"] + consumer["num_ack_pending"] for consumer in consumers),)
        time.sleep(PERIOD_S)


# Evaluated in the node: ready and unacknowledged messages over all queues.
QUEUES = b'lists:sum([N || [{messages, N}] <- rabbit_amqqueue:info_all(<<"/">>, [messages])]).\n'


def rabbitmq(port: int) -> Iterator[Reading]:
    """Messages in all queues of a node whose distribution listens on a port.

    The request is like that of erl_call(1) and takes a millisecond.
    """
    ask = ["erl_call", "-address", f"localhost:{port}", "-e"]
    while True:
        told = subprocess.run(ask, input=QUEUES, capture_output=True, check=True, timeout=PATIENCE_S).stdout
        yield (int(told.decode().removeprefix("{ok, ").removesuffix("}")),)
        time.sleep(PERIOD_S)


KINDS = {"mosquitto": mosquitto, "nats": nats, "rabbitmq": rabbitmq}


# The errors of a reading while or after the server ends.
GONE = (OSError, ValueError, subprocess.SubprocessError)


def main(kind: str, port: str, path: str) -> None:
    """Run until the server has ended."""
    os.nice(PATIENT)
    with open(path, "w", encoding="ascii") as file, contextlib.suppress(*GONE):
        for reading in KINDS[kind](int(port)):
            file.write(f"{time.monotonic_ns()} {' '.join(map(str, reading))}\n")
            file.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
