#!/usr/bin/env bash
# Builds the addon with the address, leak and undefined-behaviour sanitizers (build/asan) and runs a suite on it that uses
# every function, refuses every kind of argument, stops threads and ends with tensors alive. Needs gcc and the installed
# library. Not a part of `npm test`: it builds the addon a second time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node_modules/.bin/cmake-js build --out build/asan -B RelWithDebInfo --CDTFE_SANITIZE=ON

addon=$PWD/build/asan/RelWithDebInfo/tfe_node.node
suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
# Only the compiler that loads the suite. Nothing of TensorFlow's: a handle that we forget was allocated there.
printf 'leak:swc\n' >"$suppressions"

# The sanitizer must be loaded before everything else, and libstdc++ with it: it looks for __cxa_throw at once.
env TFE_NODE_ADDON="$addon" \
  TF_CPP_MIN_LOG_LEVEL=2 \
  LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so.6)" \
  ASAN_OPTIONS=detect_leaks=1:exitcode=66 \
  LSAN_OPTIONS="suppressions=$suppressions" \
  UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
  node --require ./test/helpers/register-swc.cjs test/process/programs/sanitize.ts
