import pytest

from wirelab.model.host_port import HostPort


@pytest.mark.parametrize(
    ("text", "address"),
    [("10.0.0.7:1883", HostPort("10.0.0.7", 1883)), ("[::1]:65535", HostPort("::1", 65535))],
)
def test_an_address_is_written_as_it_was_read(text: str, address: HostPort) -> None:
    assert HostPort.parse(text) == address
    assert str(address) == text


@pytest.mark.parametrize("text", ["10.0.0.7", ":1883", "host:", "host:0", "host:65536", "host:mqtt", ""])
def test_a_text_without_a_host_or_a_port_is_not_an_address(text: str) -> None:
    assert HostPort.parse(text) is None
