#!/usr/bin/env bash
# Gets the engines of the end-to-end tests, each by its own package manager and at its own pinned version, into
# test/engines/bin/: runs every test/engines/*/install.sh. Quick when all is there. An engine that cannot be had is said
# plainly, with the reason; its suites are then skipped, or fail under CI, where this script fails as well.
# Arguments: names of engines; all without any.
set -uo pipefail
cd "$(dirname "$0")"
mkdir -p bin
# One way to compile for all that is built with Go, so that what two of them contain is compiled once.
export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false'
log=$(mktemp)
trap 'rm -f "$log"' EXIT

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
  for script in */install.sh; do names+=("$(dirname "$script")"); done
fi

missing=0
for name in "${names[@]}"; do
  if [ ! -f "$name/install.sh" ]; then
    echo "$name: no such engine (test/engines/$name/install.sh is not there)" >&2
    missing=$((missing + 1))
  elif ! bash "$name/install.sh" </dev/null 2> >(tee "$log" >&2); then
    sleep 0.1
    echo "$name: NOT INSTALLED: $(grep -v '^[[:space:]]*$' "$log" | tail -n 1)" >&2
    missing=$((missing + 1))
  fi
done

if [ "$missing" -gt 0 ]; then
  echo "engines: $missing of ${#names[@]} not installed; their suites of npm run e2e are skipped" >&2
  [ -z "${CI:-}" ] || exit 1
else
  echo "engines: all ${#names[@]} are there"
fi
