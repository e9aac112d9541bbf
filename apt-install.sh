#!/bin/sh
# Install Debian packages without starting the services among them: wirelab starts servers itself,
# inside its trials. invoke-rc.d(8) asks policy-rc.d, where 101 means no. One that is there already
# is left alone.
set -eu
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap 'rm -f "$policy"' EXIT
    trap 'exit 130' INT TERM
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod 755 "$policy"
fi
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends "$@"
