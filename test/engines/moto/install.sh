#!/usr/bin/env bash
# Puts moto_server into test/engines/bin/moto/ (a Python virtual environment), at the version of requirements.txt.
set -euo pipefail
cd "$(dirname "$0")"
venv=../bin/moto
stamp=$venv/requirements.installed

if cmp -s requirements.txt "$stamp" && "$venv/bin/python" -c 'import moto.server' 2>/dev/null; then
  echo "moto: $("$venv/bin/python" -c 'import moto; print(moto.__version__)') is there"
  exit 0
fi
command -v python3 >/dev/null || { echo "moto needs Python 3.10 or later (python3), which is not installed" >&2; exit 1; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "moto needs Python 3.10 or later; python3 is $(python3 -V)" >&2
  exit 1
}
rm -rf "$venv"
python3 -m venv "$venv" || { echo "moto needs Python's venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
echo "moto: installing $(grep -v '^#' requirements.txt)"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-input -r requirements.txt
cp requirements.txt "$stamp"
echo "moto: installed"
