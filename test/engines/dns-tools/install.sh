#!/usr/bin/env bash
# Sees to it that dig and named-checkzone are on the PATH: BIND's own tools, of whatever version the system has.
set -euo pipefail

missing=()
command -v dig >/dev/null || missing+=(bind9-dnsutils)
command -v named-checkzone >/dev/null || missing+=(bind9-utils)
if [ ${#missing[@]} -eq 0 ]; then
  echo "dns-tools: $(dig -v 2>&1 | head -n 1) is there"
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "dns-tools need dig and named-checkzone (Debian, as root: apt-get install ${missing[*]})" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
echo "dns-tools: installing ${missing[*]}"
apt-get update --quiet --quiet >&2
apt-get install --yes --quiet --quiet --no-install-recommends "${missing[@]}" >&2
echo "dns-tools: installed"
