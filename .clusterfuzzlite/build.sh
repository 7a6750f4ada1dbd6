#!/bin/bash -eu
# The same build as OSS-Fuzz's.
exec bash "$SRC/twinlink/fuzz/oss-fuzz/build.sh"
