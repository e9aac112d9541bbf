"""The payloads of a port in a capture are messages of raw bytes."""

from __future__ import annotations

import base64
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wirelab.model.errors import BadInput
from wirelab.schema.payload import parse, read

A, B = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])


def ipv4(kind: int, content: bytes, fragment: int = 0) -> bytes:
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(content), 0, fragment, 64, kind, 0) + A + B + content


def ipv6(kind: int, content: bytes, extension: bytes = b"") -> bytes:
    first = 0 if extension else kind
    return (
        struct.pack(">IHBB", 0x60000000, len(extension + content), first, 64)
        + bytes(32)
        + extension
        + content
    )


def udp(payload: bytes, port: int = 5683) -> bytes:
    return struct.pack(">HHHH", 40000, port, 8 + len(payload), 0) + payload


def tcp(payload: bytes, sequence: int, port: int = 1883) -> bytes:
    return struct.pack(">HHIIBBHHH", 40000, port, sequence, 0, 0x50, 0x18, 0, 0, 0) + payload


def ethernet(packet: bytes, protocol: int = 0x0800, tag: bytes = b"") -> bytes:
    return bytes(12) + tag + struct.pack(">H", protocol) + packet


def pcap(frames: list[bytes], link_type: int = 1, order: str = "<", cut: int = 0) -> bytes:
    head = struct.pack(f"{order}IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, link_type)
    return head + b"".join(
        struct.pack(f"{order}IIII", 0, 0, len(one) - cut, len(one)) + one[: len(one) - cut] for one in frames
    )


def block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + size + body + size


def pcapng(frames: list[bytes]) -> bytes:
    section = block(0x0A0D0D0A, bytes.fromhex("4d3c2b1a01000000ffffffffffffffff"))
    packets = [block(6, struct.pack("<IIIII", 0, 0, 0, len(one), len(one)) + one) for one in frames]
    return section + block(1, struct.pack("<HHI", 1, 0, 0)) + b"".join(packets)


def payloads(data: bytes, port: int = 5683) -> list[bytes]:
    return [base64.b64decode(one) for one in parse(data, f"c.pcap:{port}").messages]


def refusal(data: bytes, name: str) -> str:
    with pytest.raises(BadInput) as caught:
        parse(data, name)
    return caught.value.sentence


@pytest.mark.parametrize(
    "data",
    [
        pcap([ethernet(ipv4(17, udp(b"hi")))]),
        pcap([ethernet(ipv4(17, udp(b"hi")) + bytes(18))]),  # padded to 60 bytes
        pcap([ethernet(ipv4(17, udp(b"hi")))], order=">"),
        pcap([ethernet(ipv4(17, udp(b"hi")), tag=b"\x81\x00\x00\x05")]),
        pcap([ethernet(ipv6(17, udp(b"hi")), 0x86DD)]),
        pcap([ipv6(17, udp(b"hi"), bytes([17, 0, 1, 4, 0, 0, 0, 0]))], link_type=101),
        pcap([ipv4(17, udp(b"hi"))], link_type=101),
        pcap([b"\x02\x00\x00\x00" + ipv4(17, udp(b"hi"))], link_type=0),
        pcap([b"\xff\x03\x00\x21" + ipv4(17, udp(b"hi"))], link_type=9),
        pcap([b"\x00\x21" + ipv4(17, udp(b"hi"))], link_type=9),
        pcap([bytes(14) + b"\x08\x00" + ipv4(17, udp(b"hi"))], link_type=113),
        pcap([b"\x08\x00" + bytes(18) + ipv4(17, udp(b"hi"))], link_type=276),
        pcapng([ethernet(ipv4(17, udp(b"hi")))]),
    ],
)
def test_a_datagram_is_a_message_whatever_carries_it(data: bytes) -> None:
    assert payloads(data) == [b"hi"]


def test_data_that_tcp_sent_again_counts_once() -> None:
    segments = [(b"ab", 2**32 - 1), (b"", 1), (b"ab", 2**32 - 1), (b"cde", 1), (b"f", 4)]
    data = pcap([ethernet(ipv4(6, tcp(*one))) for one in segments])
    assert payloads(data, 1883) == [b"ab", b"cde", b"f"]
    notes = parse(data, "c.pcap:1883").notes
    assert notes[0] == "read as bytes: 3 payloads of port 1883"
    assert notes[1].startswith("3 of them are TCP segments")


def test_what_is_cut_off_or_a_fragment_is_left_out_with_a_note() -> None:
    whole, part = ethernet(ipv4(17, udp(b"hi"))), ethernet(ipv4(17, udp(b"part"), 0x2000))
    corpus = parse(pcap([whole, part]), "c.pcap:5683")
    assert corpus.messages == ("aGk=",)
    assert corpus.notes[1] == "1 more were cut off when captured or are fragments, and are left out"
    assert "all payloads of port 5683 are cut off" in refusal(pcap([whole], cut=1), "c.pcap:5683")


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (
            pcap([ethernet(ipv4(17, udp(b"hi")))]),
            "c.pcap",
            "c.pcap: the port of the messages is not named; give FILE:PORT; it has 5683 (1 packets), 40000 (1 packets)",
        ),
        (
            pcap([ethernet(ipv4(17, udp(b"hi")))]),
            "c.pcap:80",
            "c.pcap:80: no payload of port 80; name one of: 5683 (1 packets), 40000 (1 packets)",
        ),
        (
            pcap([b"x" * 40], 147),
            "c:1",
            "c:1: no TCP or UDP payload in it; its link types: 147; give another capture",
        ),
        (
            pcap([b"x" * 40])[:-1],
            "c:1",
            "c:1: not a whole capture: the packet at byte 40 ends beyond the file; get the whole of the file",
        ),
        (
            pcapng([b"x" * 40])[:-1],
            "c:1",
            "c:1: not a whole capture: the block at byte 48 has a wrong length; get the whole of the file",
        ),
    ],
)
def test_a_capture_without_the_messages_is_refused(data: bytes, name: str, sentence: str) -> None:
    assert refusal(data, name) == sentence


def test_the_port_is_named_behind_the_file(tmp_path: Path) -> None:
    (tmp_path / "c.pcap").write_bytes(pcap([ethernet(ipv4(17, udp(b"hi")))]))
    (tmp_path / "p.json").write_bytes(b"{}")
    assert read(f"{tmp_path}/c.pcap:5683").messages == ("aGk=",)
    with pytest.raises(BadInput, match="it is not a capture, which alone has ports; leave out :5683"):
        read(f"{tmp_path}/p.json:5683")


@given(st.integers(0, 200), st.binary(min_size=1, max_size=4), st.booleans())
def test_a_damaged_capture_is_messages_or_a_refusal(at: int, damage: bytes, ng: bool) -> None:
    frames = [
        ethernet(ipv6(17, udp(b"hi"), bytes([17, 0, 1, 4, 0, 0, 0, 0])), 0x86DD),
        ethernet(ipv4(6, tcp(b"x", 7))),
    ]
    whole = (pcapng if ng else pcap)(frames)
    at = 4 + at % (len(whole) - 4)
    for port in (5683, 1883):
        try:
            assert parse(whole[:at] + damage + whole[at + len(damage) :], f"c:{port}").messages
        except BadInput:
            continue
