"""Prosody: XMPP over TCP and, from the first byte (XEP-0368), TLS."""

from __future__ import annotations

import subprocess

from wirelab.lab.process import listens
from wirelab.lab.servers.server import Driver, Server, Site, program, wait_until
from wirelab.model.result import ServerInfo

DOMAIN, PASSWORD = "wirelab.test", "wirelab"
ACCOUNTS = ("publisher", "subscriber")
# Names of prosody.cfg.lua. The defaults are 256 KiB, 500 stanzas, and Nagle's algorithm.
LIMITS = {"c2s_stanza_size_limit": "16777216", "smacks_max_queue_size": "100000", "nagle": "false"}


class Prosody(Driver):
    """The server of Debian's package prosody."""

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """Its path. Raises BadInput."""
        return program("prosody", self.manifest.install_line)

    def version(self, protocol: str) -> str:  # noqa: ARG002
        """From Debian's package manager: the program reports its version only after a start."""
        query = ["dpkg-query", "-W", "-f", "${Version}", "prosody"]
        told = subprocess.run(query, capture_output=True, text=True, check=False).stdout
        return told.partition("-")[0]

    def start(self, site: Site) -> Server:
        """Start it with an account for each role, unencrypted unless the transport is encrypted."""
        binary = self.find(site.protocol)
        data = site.data()
        accounts = data / DOMAIN.replace(".", "%2e") / "accounts"
        accounts.mkdir(parents=True, exist_ok=True)
        for name in ACCOUNTS:
            (accounts / f"{name}.dat").write_text(f'return {{ ["password"] = "{PASSWORD}"; }};\n')
        configuration = site.folder / "prosody.cfg.lua"
        configuration.write_text("\n".join(_lines(site)) + "\n")
        process = site.launch([binary, "--config", str(configuration), "-F"])
        wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        return Server(ServerInfo(self.name, self.version(site.protocol), LIMITS), process)


def _lines(site: Site) -> list[str]:
    data = site.data()
    lines = [
        "run_as_root = true",
        f'pidfile = "{data}/prosody.pid"',
        f'data_path = "{data}"',
        f'certificates = "{data}"',
        f'interfaces = {{ "{site.address}" }}',
        f'local_interfaces = {{ "{site.address}" }}',
        "s2s_ports = { }; http_ports = { }; https_ports = { }; component_ports = { }",
        'modules_enabled = { "roster", "saslauth", "disco", "smacks", "c2s" }',
        'modules_disabled = { "s2s", "offline", "tls" }',
        "c2s_require_encryption = false",
        "allow_unencrypted_plain_auth = true",
        'authentication = "internal_plain"',
        f"c2s_stanza_size_limit = {LIMITS['c2s_stanza_size_limit']}",
        f"smacks_max_queue_size = {LIMITS['smacks_max_queue_size']}",
        f"network_settings = {{ nagle = {LIMITS['nagle']} }}",
        'log = { { levels = { min = "warn" }, to = "file", filename = "/dev/stderr" } }',
    ]
    if site.certificates is None:
        lines.append(f"c2s_ports = {{ {site.port} }}; c2s_direct_tls_ports = {{ }}")
    else:
        made = site.certificates
        lines.append(f"c2s_ports = {{ }}; c2s_direct_tls_ports = {{ {site.port} }}")
        lines.append(
            f'c2s_direct_tls_ssl = {{ certificate = "{made.server}", key = "{made.key}", protocol = "tlsv1_3" }}'
        )
    return [*lines, f'VirtualHost "{DOMAIN}"']
