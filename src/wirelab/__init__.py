"""wirelab measures which serialization format, protocol and QoS serve a payload best over a given
link.
"""

from wirelab import former_modules as _former_modules

__version__ = "0.1.0"

_former_modules.install()
