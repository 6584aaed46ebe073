#!/usr/bin/env bash
# Puts the packages of an engine's requirements.txt into a Python virtual environment, test/engines/bin/NAME/.
# Arguments: the engine's name, and the module whose import shows that it is there.
set -euo pipefail
name=$1
module=$2
cd "$(dirname "$0")/$name"
venv=../bin/$name
stamp=$venv/requirements.installed

if cmp -s requirements.txt "$stamp" && "$venv/bin/python" -c "import $module" 2>/dev/null; then
  echo "$name: $(grep -v '^#' requirements.txt | head -n 1) is there"
  exit 0
fi
command -v python3 >/dev/null || { echo "$name needs Python 3.10 or later (python3), which is not installed" >&2; exit 1; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "$name needs Python 3.10 or later; python3 is $(python3 -V)" >&2
  exit 1
}
rm -rf "$venv"
python3 -m venv "$venv" || { echo "$name needs Python's venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
echo "$name: installing $(grep -v '^#' requirements.txt)"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-input -r requirements.txt
cp requirements.txt "$stamp"
echo "$name: installed"
