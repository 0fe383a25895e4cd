#!/usr/bin/env bash
# Builds the addon with debug information (build/valgrind) and runs the suite of scripts/sanitize.sh on it under valgrind:
# memory that is read before it is written, used after it is freed, or lost. Takes about two minutes. Needs valgrind and the
# installed library. Not a part of `npm test`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

node_modules/.bin/cmake-js build --out build/valgrind -B RelWithDebInfo

# V8 writes machine code while it runs, hence --smc-check. Blocks that are still reachable, or possibly lost, are V8's and
# TensorFlow's, which free nothing at the end of a process.
env TFE_NODE_ADDON="$PWD/build/valgrind/RelWithDebInfo/tfe_node.node" \
  TF_CPP_MIN_LOG_LEVEL=2 \
  valgrind --smc-check=all-non-file --num-callers=40 --suppressions=scripts/valgrind.supp \
  --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
  --error-exitcode=66 \
  node --require ./test/helpers/register-swc.cjs test/process/programs/sanitize.ts
