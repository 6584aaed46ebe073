#!/usr/bin/env bash
# Sees to it that a Chromium is there: that of whatever version the system has, for the tests of the console's page.
set -euo pipefail

for program in chromium chromium-browser google-chrome; do
  if command -v "$program" >/dev/null; then
    echo "chromium: $("$program" --version 2>/dev/null) is there"
    exit 0
  fi
done
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo "chromium needs a Chromium or Chrome (Debian, as root: apt-get install chromium)" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
echo "chromium: installing chromium"
apt-get update --quiet --quiet >&2
apt-get install --yes --quiet --quiet --no-install-recommends chromium fonts-dejavu-core >&2
echo "chromium: installed"
