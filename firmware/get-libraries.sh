#!/bin/sh
# The sources of nanopb and tinycbor from Debian's source packages, verified by apt against Debian's
# signed index. Argument: where to put them; without one, where wirelab looks for them. The system's
# apt set-up is read, not changed.
set -eu
target=${1:-${XDG_CACHE_HOME:-$HOME/.cache}/wirelab/devices/libraries}
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/$')
[ -d "$target/nanopb" ] && [ -d "$target/tinycbor" ] && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$target" "$work/lists/partial"

# Each package with the suite that has a version worth using.
fetch() { # package suite
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" > "$work/sources.list"
    set -- "$1" -qq -o "Dir::Etc::sourcelist=$work/sources.list" -o Dir::Etc::sourceparts=/dev/null \
        -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work" -o APT::Sandbox::User=
    package=$1
    shift
    apt-get "$@" update
    (cd "$work" && apt-get "$@" --tar-only source "$package")
    mkdir "$work/$package"
    tar -xzf "$work/$package"_*.orig.tar.gz -C "$work/$package" --strip-components=1
    rm -rf "${target:?}/$package"
    mv "$work/$package" "$target/$package"
}

[ -d "$target/nanopb" ] || fetch nanopb bookworm
[ -d "$target/tinycbor" ] || fetch tinycbor trixie
