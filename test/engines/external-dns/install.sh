#!/usr/bin/env bash
# Builds external-dns from its Go module into test/engines/bin/, for the test of a migration from it. Some ten minutes on two cores
# with a cold cache, and nothing when it is there. Go checks what it downloads against its checksum database.
set -euo pipefail
cd "$(dirname "$0")"
version=v0.21.0
bin=$(cd ../bin && pwd)
stamp="$bin/external-dns-$version"

if [ -e "$stamp" ] && [ -x "$bin/external-dns" ]; then
  echo "external-dns: $version is there"
  exit 0
fi
command -v go >/dev/null || { echo "external-dns: building it needs Go (https://go.dev/dl)" >&2; exit 1; }
GOBIN="$bin" nice go install "sigs.k8s.io/external-dns@$version"
touch "$stamp"
echo "external-dns: $version built"
