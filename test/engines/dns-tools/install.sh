#!/usr/bin/env bash
# Sees to it that dig, named-checkzone and the server named are there: BIND of whatever version the system has.
set -euo pipefail

missing=()
command -v dig >/dev/null || missing+=(bind9-dnsutils)
command -v named-checkzone >/dev/null || missing+=(bind9-utils)
[ -x /usr/sbin/named ] || command -v named >/dev/null || missing+=(bind9)
if [ ${#missing[@]} -eq 0 ]; then
  echo "dns-tools: $(dig -v 2>&1 | head -n 1) is there"
  exit 0
fi
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "dns-tools need dig, named-checkzone and named (Debian, as root: apt-get install ${missing[*]})" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
echo "dns-tools: installing ${missing[*]}"
apt-get update --quiet --quiet >&2
apt-get install --yes --quiet --quiet --no-install-recommends "${missing[@]}" >&2
echo "dns-tools: installed"
