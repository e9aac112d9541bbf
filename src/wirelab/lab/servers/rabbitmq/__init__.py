"""RabbitMQ: AMQP 0-9-1, and AMQP 1.0 and MQTT 3.1.1 over TCP, TLS and WebSocket through its
plugins.
"""

from __future__ import annotations

import os
from pathlib import Path

from wirelab.lab.process import listens
from wirelab.lab.servers.queue_depth import watch
from wirelab.lab.servers.server import Driver, Server, Site, end, wait_until
from wirelab.model.errors import BadInput
from wirelab.model.result import ServerInfo

HOMES = Path("/usr/lib/rabbitmq/lib")
EPMD = Path("/usr/bin/epmd")
# Names of rabbitmq.conf(5) with values. Other settings have their defaults.
LIMITS = {
    "max_message_size": "134217728",
    "vm_memory_high_watermark.relative": "0.4",
    "disk_free_limit.absolute": "50MB",
    "channel_max": "2047",
    "heartbeat": "60",
    # Of 10 s and 5 s by default, in ms. Over a slow link a handshake takes longer.
    "handshake_timeout": "3600000",
    "ssl_handshake_timeout": "3600000",
}
MQTT_LIMITS = {"mqtt.prefetch": "65535"}
PLUGINS = {
    ("amqp10", "tcp"): "rabbitmq_amqp1_0",
    ("amqp10", "tls"): "rabbitmq_amqp1_0",
    ("mqtt", "tcp"): "rabbitmq_mqtt",
    ("mqtt", "tls"): "rabbitmq_mqtt",
    ("mqtt", "ws"): "rabbitmq_web_mqtt",
    ("mqtt", "wss"): "rabbitmq_web_mqtt",
}
LISTENERS = {
    ("amqp", "tcp"): "listeners.tcp",
    ("amqp", "tls"): "listeners.ssl",
    ("amqp10", "tcp"): "listeners.tcp",
    ("amqp10", "tls"): "listeners.ssl",
    ("mqtt", "tcp"): "mqtt.listeners.tcp",
    ("mqtt", "tls"): "mqtt.listeners.ssl",
    ("mqtt", "ws"): "web_mqtt.tcp",
    ("mqtt", "wss"): "web_mqtt.ssl",
}


class RabbitMq(Driver):
    """The broker of Debian's package rabbitmq-server, without its wrapper, which would change the
    user.
    """

    def find(self, protocol: str) -> str:  # noqa: ARG002
        """Its start script. Raises BadInput."""
        found = sorted(HOMES.glob("rabbitmq_server-*/sbin/rabbitmq-server"))
        if not found or not EPMD.exists():
            raise BadInput("rabbitmq-server", "not found", self.manifest.install_line)
        return str(found[-1])

    def version(self, protocol: str) -> str:
        """From the folder in which it is installed."""
        return Path(self.find(protocol)).parent.parent.name.rpartition("-")[2]

    def start(self, site: Site) -> Server:
        """Start its own port mapper and the node, independent of other nodes."""
        limits = LIMITS | (MQTT_LIMITS if site.protocol == "mqtt" else {})
        environment = _environment(site, limits)
        epmd = site.launch(
            [str(EPMD), "-port", environment["ERL_EPMD_PORT"], "-address", "127.0.0.1"], environment
        )
        wait_until(lambda: listens(epmd.pid, site.port + 1, "tcp"), "epmd", epmd, site.log)
        process = site.launch([self.find(site.protocol)], environment)
        try:
            wait_until(lambda: listens(process.pid, site.port, "tcp"), self.name, process, site.log)
        except BaseException:
            end(epmd)
            raise
        # The node's cookie is in its home.
        watcher = watch(site, "rabbitmq", site.port + 2, {"HOME": environment["HOME"]})
        return Server(ServerInfo(self.name, self.version(site.protocol), limits), process, (epmd,), watcher)


def _environment(site: Site, limits: dict[str, str]) -> dict[str, str]:
    """Write the files of a node in the site's folder.

    Returns the variables that name them (RabbitMQ's configuration guide).
    """
    data = site.data()
    configuration, plugins = data / "rabbitmq.conf", data / "enabled_plugins"
    configuration.write_text("\n".join(_lines(site, limits)) + "\n")
    plugin = PLUGINS.get((site.protocol, site.transport or "tcp"))
    plugins.write_text(f"[{plugin}].\n" if plugin else "[].\n")
    return {
        "HOME": str(data),  # the location of Erlang's cookie
        "RABBITMQ_CONF_ENV_FILE": "/dev/null",
        "RABBITMQ_CONFIG_FILE": str(configuration),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(plugins),
        "RABBITMQ_MNESIA_BASE": str(data / "mnesia"),
        "RABBITMQ_LOG_BASE": str(data / "log"),
        "RABBITMQ_NODENAME": f"rabbit{os.getpid()}@localhost",
        # Erlang's port mapper and the node itself listen on these, on the loopback of the server's
        # own host.
        "ERL_EPMD_PORT": str(site.port + 1),
        "RABBITMQ_DIST_PORT": str(site.port + 2),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        # Idle schedulers sleep instead of spinning (erl(1)), because several nodes share the cores.
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+sbwt none +sbwtdcpu none +sbwtdio none",
        # The start script then execs the node instead of supervising it: one process to measure and
        # end.
        "RUNNING_UNDER_SYSTEMD": "true",
    }


def _lines(site: Site, limits: dict[str, str]) -> list[str]:
    listener = LISTENERS[site.protocol, site.transport or "tcp"]
    web = listener.startswith("web_mqtt")
    lines = [f"{key} = {value}" for key, value in limits.items()]
    lines += [
        "loopback_users = none",
        "log.console = true",
        "log.console.level = warning",
        "log.file = false",
    ]
    if web:
        lines += [f"{listener}.ip = {site.address}", f"{listener}.port = {site.port}"]
        lines.append("web_mqtt.ws_path = /mqtt")
    else:
        lines.append(f"{listener}.1 = {site.address}:{site.port}")
    if site.protocol == "mqtt":
        lines += ["mqtt.default_user = guest", "mqtt.default_pass = guest"]
    if listener != "listeners.tcp":
        lines.append("listeners.tcp = none")
    if web or listener == "mqtt.listeners.ssl":
        lines.append("mqtt.listeners.tcp = none")
    if site.certificates is not None:
        made, prefix = site.certificates, "web_mqtt.ssl" if web else "ssl_options"
        lines += [
            f"{prefix}.cacertfile = {made.authority}",
            f"{prefix}.certfile = {made.server}",
            f"{prefix}.keyfile = {made.key}",
        ]
        lines += [f"{prefix}.versions.1 = tlsv1.3"]
    return lines
