#!/usr/bin/env bash
# Puts a validator of OpenAPI documents, and a generator of clients with the compiler that it needs (TypeScript 5), into
# test/engines/bin/openapi/, at the versions of package.json. They are no dependencies of ours: their compiler is another one.
set -euo pipefail
cd "$(dirname "$0")"
folder=../bin/openapi
stamp=$folder/package.installed

if cmp -s package.json "$stamp"; then
  echo "openapi: openapi-typescript $(sed -n 's/.*"openapi-typescript": "\([0-9.]*\)".*/\1/p' package.json) is there"
  exit 0
fi
rm -rf "$folder"
mkdir -p "$folder"
cp package.json package-lock.json "$folder/"
(cd "$folder" && nice npm ci --no-audit --no-fund --ignore-scripts) >"$folder/log" 2>&1 || {
  grep -iE 'error' "$folder/log" | tail -n 3 >&2
  echo "openapi could not be installed" >&2
  exit 1
}
cp package.json "$stamp"
echo "openapi: installed"
