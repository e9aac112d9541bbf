"""wirelab measures which serialization format, protocol and QoS serve a payload best over a given link."""

__version__ = "0.1.0"
