#!/usr/bin/env bash
# Puts the CRDs of the Gateway API (standard and experimental channel) and of external-dns, out of their Go modules, into
# test/engines/bin/source-crds/. Go checks what it downloads against its checksum database. Does nothing when they are there.
set -euo pipefail
cd "$(dirname "$0")"
gateway=v1.6.3
external_dns=v0.22.0
bin=$(cd ../bin && pwd)/source-crds
stamp="$bin/gateway-api-$gateway-external-dns-$external_dns"

if [ -e "$stamp" ]; then
  echo "source-crds: Gateway API $gateway and external-dns $external_dns are there"
  exit 0
fi
command -v go >/dev/null || { echo "source-crds: getting them needs Go (https://go.dev/dl)" >&2; exit 1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
folder_of() {
  (cd "$folder" && go mod download -json "$1" > answer) || { cat "$folder/answer" >&2; return 1; }
  sed -n 's/^[[:space:]]*"Dir": "\(.*\)",$/\1/p' "$folder/answer"
}
printf 'module crds\n\ngo 1.24\n' > "$folder/go.mod"
crds=$(folder_of "sigs.k8s.io/gateway-api@$gateway")/config/crd
endpoints=$(folder_of "sigs.k8s.io/external-dns@$external_dns")/config/crd/standard

rm -rf "$bin"
for channel in standard experimental; do
  mkdir -p "$bin/$channel"
  for kind in gateways listenersets httproutes grpcroutes tlsroutes tcproutes udproutes; do
    install -m 644 "$crds/$channel/gateway.networking.k8s.io_$kind.yaml" "$bin/$channel/$kind.yaml"
  done
done
mkdir -p "$bin/external-dns"
install -m 644 "$endpoints/dnsendpoints.externaldns.k8s.io.yaml" "$bin/external-dns/dnsendpoints.yaml"
touch "$stamp"
echo "source-crds: installed"
