#!/usr/bin/env bash
# Gradescope runs this once, as root, in the folder of the unpacked archive: packages, and the build.
set -eu
cd "$(dirname -- "$0")"
[ -e tools/run ] || cd ../..  # in a checkout
tools/run --version
apt-get install -y --no-install-recommends bubblewrap
# Without bubblewrap, a submission runs as another user, which must not read the solutions, nor what is built of them.
chmod go= .
