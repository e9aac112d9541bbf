"""Firmware that hangs, faults, overflows its stack or does not fit; unsupported payloads; missing
tools.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from wirelab.devices import build, c_nanopb, catalog, codecs, measurement, structs
from wirelab.devices.build import Part
from wirelab.devices.catalog import Device
from wirelab.devices.codecs import Sources
from wirelab.devices.measurement import Job
from wirelab.devices.result import Measured
from wirelab.model.errors import BadInput, MeasurementFailed
from wirelab.schema import payload
from wirelab.schema.inference import infer

pytestmark = pytest.mark.first_case

Chip = Callable[[str], Device]
Cost = Callable[..., Measured]
DEVICES = tuple(catalog.devices())
MESSAGE = payload.parse(b'{"v":1}', "v.json")
HANG = 'unsigned wl_serialize(void) { for (;;) __asm__ volatile(""); }'
FAULT = {
    "stm32f4": "unsigned wl_serialize(void) { return *(volatile unsigned *)0xf0000000u; }",
    "riscv32": "unsigned wl_serialize(void) { return *(volatile unsigned *)0x00000004u; }",
}
DEEP = """
unsigned wl_serialize(void) {
    volatile unsigned char room[ROOM];
    for (unsigned i = 0; i < ROOM; i++) room[i] = (unsigned char)i;
    return 1;
}
"""


def run(chip: Device, serialize: str, cache: Path, tmp_path: Path, seconds: float = 60) -> None:
    """Measure a codec whose serialize is this C text."""
    job = Job(
        chip, codecs.CODECS["xdr/wirelab"], infer(MESSAGE), list(MESSAGE.messages), [0], {}, seconds=seconds
    )
    sources = codecs.generate(job.codec, chip, job.schema, job.corpus, [0], {}, tmp_path, 0)
    written = (tmp_path / "codec.c").read_text()
    kept = written.replace("unsigned wl_serialize(void)", "unsigned not_this_one(void)")
    (tmp_path / "codec.c").write_text(kept + serialize)
    objects = [
        *build.device_objects(chip, "Os", cache),
        *(one for part in parts(sources) for one in build.compile_part(chip, part, "Os", tmp_path)),
    ]
    image = build.link(chip, objects, tmp_path / "image.elf")
    measurement._measured(job, measurement._Built(sources, image, image, 0), cache)


def parts(sources: Sources) -> tuple[Part, ...]:
    return sources.test, sources.generated, sources.library


@pytest.mark.parametrize("device", DEVICES)
def test_firmware_that_hangs_is_killed_and_reported(
    chip: Chip, cache: Path, tmp_path: Path, device: str
) -> None:
    with pytest.raises(MeasurementFailed, match=f"firmware on {device}: did not finish within 1 s: it hangs"):
        run(chip(device), HANG, cache, tmp_path, seconds=1)


@pytest.mark.parametrize("device", FAULT)
def test_firmware_that_faults_is_reported(chip: Chip, cache: Path, tmp_path: Path, device: str) -> None:
    with pytest.raises(MeasurementFailed, match=f"xdr/wirelab on {device}: the firmware faulted"):
        run(chip(device), FAULT[device], cache, tmp_path)


@pytest.mark.parametrize(
    ("device", "room", "said"),
    [
        ("atmega328p", "2000", r"its stack needs more than the \d+ B that its data leaves of 2048 B of RAM"),
        ("msp430", "8190", r"its stack needs more than the \d+ B that its data leaves of 8192 B of RAM"),
        ("esp8266", "9000", "more than 8192 B of stack"),
        ("stm32f4", "9000", "more than 8192 B of stack"),
        ("riscv32", "9000", "more than 8192 B of stack"),
    ],
)
def test_a_stack_overflow_is_reported(
    chip: Chip, cache: Path, tmp_path: Path, device: str, room: str, said: str
) -> None:
    with pytest.raises(MeasurementFailed, match=said):
        run(chip(device), DEEP.replace("ROOM", room), cache, tmp_path)


def test_wrong_decoded_values_are_a_failure(chip: Chip, cache: Path, tmp_path: Path) -> None:
    wrong = "unsigned wl_serialize(void) { for (uint8_t i = 0; i < 4; i++) wl_buffer[i] = i; return 4; }"
    with pytest.raises(MeasurementFailed, match="message 1 of 1 decoded to other values"):
        run(chip("atmega328p"), wrong, cache, tmp_path)


def test_a_codec_that_gives_up_is_a_failure(chip: Chip, cache: Path, tmp_path: Path) -> None:
    with pytest.raises(MeasurementFailed, match="serializing message 1 of 1 failed on the chip"):
        run(chip("atmega328p"), "unsigned wl_serialize(void) { return 0; }", cache, tmp_path)


def test_a_payload_that_exceeds_the_ram_says_by_how_much_and_why(cost: Cost) -> None:
    text = "x" * 1500
    measured = cost("atmega328p", "xdr/wirelab", f'{{"note":"{text}","n":1}}\n'.encode())
    # 1501 B of text and 4 of n in the message, 1508 in the buffer, 14 + 9 of the harness.
    assert str(measured.verdict).startswith("failed: too big: RAM exceeded by ")
    assert "largest part: note (text of up to 1500 B): 1502 B, n: 4 B" in str(measured.verdict)


def test_a_payload_that_exceeds_the_flash_is_reported(cost: Cost) -> None:
    text = "x" * 40_000
    verdict = str(cost("msp430", "xdr/wirelab", f'{{"note":"{text}"}}\n'.encode()).verdict)
    assert verdict.startswith("failed: too big: ")


def test_if_a_corpus_does_not_fit_only_its_largest_message_is_measured(cost: Cost) -> None:
    lines = "".join(f'{{"t":"{"x" * size}"}}\n' for size in (500, 510, 520, 530))
    many = "".join(f'{{"t":"{"x" * 540}","n":{n}}}\n' for n in range(70)).encode()
    assert len(cost("atmega328p", "xdr/wirelab", lines.encode()).messages) == 4
    measured = cost("atmega328p", "xdr/wirelab", many)
    assert str(measured.verdict) == "valid"
    assert [m.index for m in measured.messages] == [69]


def test_text_with_a_nul_is_refused(cost: Cost) -> None:
    assert "C text cannot hold a NUL" in str(
        cost("atmega328p", "xdr/wirelab", b'{"t":"a\\u0000b"}\n').verdict
    )


def test_a_missing_compiler_is_named_with_its_package() -> None:
    chip = replace(catalog.device("msp430"), compile=["no-such-compiler"])
    lacking = catalog.missing_tools(chip)
    assert str(lacking) == "no-such-compiler: not found; apt install clang-14 lld-14 mspdebug"


def test_a_missing_c_library_is_named_with_its_package() -> None:
    chip = replace(catalog.device("riscv32"), files=["/no/such.specs"])
    lacking = str(catalog.missing_tools(chip))
    assert lacking.startswith("/no/such.specs: not found; apt install gcc-riscv64-unknown-elf")


def test_without_nanopb_s_generator_the_row_is_skipped_with_how_to_get_it(
    cost: Cost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(c_nanopb, "GENERATOR", "no-such-generator")
    measured = cost("atmega328p", "protobuf/nanopb", b'{"v":1}\n')
    assert str(measured.verdict) == "skipped: no-such-generator: not found; apt install nanopb"


def test_an_unknown_device_and_format_are_met_with_the_nearest_name() -> None:
    with pytest.raises(BadInput, match="did you mean stm32f4"):
        catalog.device("stm32")
    with pytest.raises(BadInput, match="no C codec"):
        codecs.choose(("yaml",))


def test_text_is_written_as_c_that_no_trigraph_or_escape_can_change() -> None:
    assert structs.text('a"\\??=é\n1') == '"a\\042\\134\\077\\077=\\303\\251\\0121"'
