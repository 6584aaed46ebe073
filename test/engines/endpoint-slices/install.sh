#!/bin/sh
# Puts the endpoint slice controller of Kubernetes, at the version of ../kubernetes/go.mod, into test/engines/bin/. It is
# the controller alone, built out of the module that the API server is built out of. Does nothing when it is there
# already. Needs Go; with the API server's build in the cache it takes about half a minute.
set -eu
cd "$(dirname "$0")/../kubernetes"
bin=../bin

kubernetes=$(sed -n 's|^[[:space:]]*k8s.io/kubernetes \(v[0-9.]*\).*|\1|p' go.mod | head -n 1)
stamp="$bin/endpoint-slices-$kubernetes"
if [ -e "$stamp" ] && [ ! endpoint-slices/main.go -nt "$stamp" ]; then
  echo "endpoint-slices: $kubernetes is there"
  exit 0
fi
command -v go >/dev/null || { echo "endpoint-slices: building it needs Go (https://go.dev/dl)" >&2; exit 1; }

mkdir -p "$bin"
rm -f "$bin"/endpoint-slices-*
echo "endpoint-slices: building $kubernetes"
nice go build -ldflags "-s -w" -o "$bin/endpoint-slices" ./endpoint-slices
touch "$stamp"
echo "endpoint-slices: built"
