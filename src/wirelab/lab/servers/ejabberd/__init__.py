"""ejabberd: XMPP over TCP and, from the first byte (XEP-0368), TLS."""

from __future__ import annotations

from pathlib import Path

from wirelab.lab.process import listens
from wirelab.lab.servers.prosody import ACCOUNTS, DOMAIN, PASSWORD
from wirelab.lab.servers.server import Driver, Server, Site, program, wait_until
from wirelab.model.errors import BadInput
from wirelab.model.result import ServerInfo

# Names of ejabberd.yml. Debian's defaults are 256 KiB, 5,000 stanzas, and a shaper of 50 kB/s.
LIMITS = {"max_stanza_size": "16777216", "max_ack_queue": "infinity", "shaper": "none"}


class Ejabberd(Driver):
    """The server of Debian's package ejabberd, without its wrapper, which would change the user."""

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """The folder of its compiled modules. Raises BadInput."""
        found = sorted(Path("/usr/lib").glob("*-linux-gnu/ejabberd-*/ebin"))
        if not found:
            raise BadInput("ejabberd", "not found", self.manifest.install_line)
        return str(found[-1])

    def version(self, protocol: str) -> str:
        """From the folder in which it is installed."""
        return Path(self.find(protocol)).parent.name.removeprefix("ejabberd-").partition("-")[0]

    def start(self, site: Site) -> Server:
        """Start it as an Erlang program that is not a node, and register an account for each role."""
        modules, data = Path(self.find(site.protocol)), site.data()
        configuration = data / "ejabberd.yml"
        configuration.write_text("\n".join(_lines(site)) + "\n")
        users = ",".join(f'<<"{name}">>' for name in ACCOUNTS)
        # The listener opens before the accounts exist. A file signals that they do.
        register = (
            f'[ok = ejabberd_auth:try_register(U, <<"{DOMAIN}">>, <<"{PASSWORD}">>) || U <- [{users}]], '
            f'file:write_file("{data}/ready", "").'
        )
        environment = {
            "HOME": str(data),
            "EJABBERD_CONFIG_PATH": str(configuration),
            "EJABBERD_LOG_PATH": str(data / "ejabberd.log"),
            "ERL_CRASH_DUMP": "/dev/null",
            "CONTRIB_MODULES_PATH": str(data),
            "SPOOL_DIR": str(data),
            "ERL_LIBS": str(modules.parent.parent),
        }
        argv = [program("erl", self.manifest.install_line), "-noinput", "-pa", str(modules)]
        argv += ["-mnesia", "dir", f'"{data}/db"', "-s", "ejabberd", "-eval", register]
        process = site.launch(argv, environment)
        wait_until(
            lambda: (data / "ready").exists() and listens(process.pid, site.port, "tcp"),
            self.name,
            process,
            site.log,
        )
        return Server(ServerInfo(self.name, self.version(site.protocol), LIMITS), process)


def _lines(site: Site) -> list[str]:
    lines = [
        f"hosts: [{DOMAIN}]",
        "loglevel: warning",
        "listen:",
        f"  - port: {site.port}",
        f'    ip: "{site.address}"',
        "    module: ejabberd_c2s",
        f"    max_stanza_size: {LIMITS['max_stanza_size']}",
        "    shaper: none",
        "    access: all",
    ]
    if site.certificates is not None:
        made = site.certificates
        pem = site.data() / "server.pem"
        pem.write_bytes(made.server.read_bytes() + made.key.read_bytes())
        lines += ["    tls: true", "    protocol_options: [no_sslv3, no_tlsv1, no_tlsv1_1, no_tlsv1_2]"]
        lines += [f"certfiles: [{pem}]"]
    lines += [
        "auth_method: [internal]",
        "auth_password_format: plain",
        "access_rules: {register: {allow: all}}",
        "modules:",
        "  mod_register: {ip_access: all, access: register}",
        "  mod_roster: {}",
        f"  mod_stream_mgmt: {{max_ack_queue: {LIMITS['max_ack_queue']}}}",
    ]
    return lines
