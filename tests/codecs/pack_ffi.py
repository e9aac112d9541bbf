"""A pack loaded from Python through the C ABI of packs/abi/wirelab_pack.h."""

from __future__ import annotations

import ctypes
import json
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p, string_at
from typing import Any


class Refused(Exception):
    """The pack's own sentence."""


class Timing(ctypes.Structure):
    """`wl_timing`."""

    _fields_ = [(name, c_uint64) for name in ("wall_ns", "cpu_ns", "operations", "bytes", "checksum")]


class Library:
    """A loaded pack with a corpus: messages, or JSON Lines as `normalised` writes them."""

    def __init__(self, path: str, messages: list[Any] | bytes) -> None:
        self.functions = ctypes.CDLL(path)
        self.functions.wl_describe.restype = c_char_p
        self.functions.wl_last_error.restype = c_char_p
        self.functions.wl_corpus_len.restype = c_uint64
        text = messages if isinstance(messages, bytes) else _lines(messages)
        self.corpus = c_void_p()
        self.check(self.functions.wl_corpus_open(text, c_size_t(len(text)), byref(self.corpus)))

    def check(self, code: int) -> None:
        if code != 0:
            raise Refused(self.functions.wl_last_error().decode())

    def describe(self) -> Any:
        return json.loads(self.functions.wl_describe())

    def session(self, codec: str) -> Session:
        return Session(self, codec)


def _lines(messages: list[Any]) -> bytes:
    return "\n".join(json.dumps(message, ensure_ascii=False) for message in messages).encode()


class Session:
    """A codec at work on the corpus."""

    def __init__(self, library: Library, codec: str) -> None:
        self.library, self.functions = library, library.functions
        self.handle = c_void_p()
        library.check(self.functions.wl_session_open(library.corpus, codec.encode(), byref(self.handle)))

    def encode(self, index: int) -> bytes:
        out, size = c_void_p(), c_size_t()
        call = self.functions.wl_encode
        call.argtypes = [c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_size_t)]
        self.library.check(call(self.handle, index, byref(out), byref(size)))
        return string_at(out, size.value) if size.value else b""

    def decode(self, data: bytes) -> int:
        checksum = c_uint64()
        self.library.check(self.functions.wl_decode(self.handle, data, c_size_t(len(data)), byref(checksum)))
        return checksum.value

    def message(self, data: bytes) -> Any:
        return json.loads(self.text(data))

    def text(self, data: bytes) -> str:
        """The JSON text of a message."""
        out, size = c_void_p(), c_size_t()
        call = self.functions.wl_to_json
        self.library.check(call(self.handle, data, c_size_t(len(data)), byref(out), byref(size)))
        return string_at(out, size.value).decode()

    def run(self, phase: int, first: int, count: int, iterations: int) -> Timing:
        timing = Timing()
        call = self.functions.wl_run
        call.argtypes = [c_void_p, c_uint32, c_uint64, c_uint64, c_uint64, POINTER(Timing)]
        call.restype = c_int
        self.library.check(call(self.handle, phase, first, count, iterations, byref(timing)))
        return timing
