#!/bin/sh
# Puts kube-apiserver, kubectl and etcd, at the versions of go.mod, into test/engines/bin/. Does nothing when they are
# there already, or when KUBEBUILDER_ASSETS names a folder that has them (the envtest convention). Needs Go; on two
# cores with an empty build cache it takes about four minutes.
set -eu
cd "$(dirname "$0")"
bin=../bin

version_of() { sed -n "s|^[[:space:]]*$1 \(v[0-9.]*\).*|\1|p" go.mod | head -n 1; }
kubernetes=$(version_of k8s.io/kubernetes)
etcd=$(version_of go.etcd.io/etcd/server/v3)

if [ -n "${KUBEBUILDER_ASSETS:-}" ]; then
  for name in kube-apiserver kubectl etcd; do
    [ -x "$KUBEBUILDER_ASSETS/$name" ] || { echo "KUBEBUILDER_ASSETS is $KUBEBUILDER_ASSETS, which has no $name: unset it, or name a folder with kube-apiserver, kubectl and etcd" >&2; exit 1; }
  done
  echo "kubernetes: using $KUBEBUILDER_ASSETS"
  exit 0
fi

stamp="$bin/kubernetes-$kubernetes-etcd-$etcd"
if [ -e "$stamp" ]; then
  echo "kubernetes: $kubernetes with etcd $etcd is there"
  exit 0
fi
command -v go >/dev/null || { echo "kubernetes: building it needs Go (https://go.dev/dl), or set KUBEBUILDER_ASSETS to a folder with kube-apiserver, kubectl and etcd" >&2; exit 1; }

mkdir -p "$bin"
rm -f "$bin"/kubernetes-*
major=$(echo "$kubernetes" | sed 's/^v\([0-9]*\)\..*/\1/')
minor=$(echo "$kubernetes" | sed 's/^v[0-9]*\.\([0-9]*\)\..*/\1/')
flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  flags="$flags -X $package.gitVersion=$kubernetes -X $package.gitMajor=$major -X $package.gitMinor=$minor"
done
echo "kubernetes: building $kubernetes and etcd $etcd"
nice go build -ldflags "$flags" -o "$bin/" k8s.io/kubernetes/cmd/kube-apiserver k8s.io/kubernetes/cmd/kubectl
nice go build -ldflags "-s -w" -o "$bin/etcd" go.etcd.io/etcd/server/v3
touch "$stamp"
echo "kubernetes: built"
