"""Certificates of one server: its own authority, and a certificate for its address (RFC 5280)."""

from __future__ import annotations

import datetime as dt
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec import Struct

DAY = dt.timedelta(days=1)


class Certificates(Struct, frozen=True):
    """PEM files: the authority that peers trust, and the server's certificate and key."""

    authority: Path
    server: Path
    key: Path


def at(folder: Path) -> Certificates:
    """The paths of the files that `make` writes."""
    return Certificates(folder / "authority.pem", folder / "server.pem", folder / "server.key")


def make(folder: Path, address: str, valid: dt.timedelta = DAY) -> Certificates:
    """Write an authority and a P-256 server certificate for an IPv4 address, valid from an hour ago
    for `valid`.
    """
    folder.mkdir(exist_ok=True)
    files = at(folder)
    begin = dt.datetime.now(dt.UTC) - dt.timedelta(hours=1)
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())

    def builder(name: str, public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(_name(name))
            .issuer_name(_name("wirelab authority"))
            .public_key(public)
            .serial_number(x509.random_serial_number())
            .not_valid_before(begin)
            .not_valid_after(begin + valid)
            .add_extension(x509.BasicConstraints(name == "wirelab authority", None), critical=True)
        )

    def _name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])

    authority = builder("wirelab authority", authority_key.public_key()).sign(authority_key, hashes.SHA256())
    names = x509.SubjectAlternativeName(
        [x509.IPAddress(ipaddress.ip_address(address)), x509.DNSName("wirelab.test")]
    )
    server = (
        builder("wirelab server", key.public_key())
        .add_extension(names, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    files.authority.write_bytes(authority.public_bytes(pem))
    files.server.write_bytes(server.public_bytes(pem))
    files.key.write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    files.key.chmod(0o644)  # servers that drop root must read it; it has no value after this trial
    return files
