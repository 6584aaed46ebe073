#!/usr/bin/env bash
# Puts aws-lambda-ric, Lambda's runtime client for Node, into test/engines/bin/lambda-ric/, at the version of package.json. It
# compiles native code when it is installed, and fails where there is no compiler: so it is an engine, and no dependency that
# `npm ci` would fail on. About a minute, four on a busy machine.
set -euo pipefail
cd "$(dirname "$0")"
folder=../bin/lambda-ric
stamp=$folder/package.installed

if cmp -s package.json "$stamp"; then
  echo "lambda-ric: $(sed -n 's/.*"aws-lambda-ric": "\([0-9.]*\)".*/\1/p' package.json) is there"
  exit 0
fi
if [ "$(uname)" != Linux ]; then
  echo "lambda-ric builds on Linux only; the suites use their own runner instead" >&2
  exit 1
fi
for program in cmake make g++ python3 xz; do
  command -v "$program" >/dev/null || {
    echo "lambda-ric needs $program to build (Debian: apt-get install build-essential cmake python3 xz-utils); the suites use their own runner instead" >&2
    exit 1
  }
done
rm -rf "$folder"
mkdir -p "$folder/build"
trap 'rm -rf "$folder/build"' EXIT
cp package.json "$folder/build/"
echo "lambda-ric: building $(sed -n 's/.*"aws-lambda-ric": "\([0-9.]*\)".*/\1/p' package.json)"
# Compiled within a folder node_modules of its own, so that its scripts find what they expect.
log=$folder/build/log
(cd "$folder/build" && nice npm install --no-audit --no-fund --no-package-lock --foreground-scripts) >"$log" 2>&1 || {
  grep -iE 'error' "$log" | tail -n 3 >&2
  echo "lambda-ric could not be built; the suites use their own runner instead" >&2
  exit 1
}
built=$folder/build/node_modules/aws-lambda-ric
[ -f "$built/rapid-client.node" ] || { echo "lambda-ric was installed without its native part" >&2; exit 1; }
cp "$built/index.mjs" "$built/rapid-client.node" "$built/LICENSE" "$folder/"
cp package.json "$stamp"
echo "lambda-ric: installed"
