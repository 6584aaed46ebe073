#!/usr/bin/env bash
# Puts cfn-lint into test/engines/bin/cfn-lint/ (a Python virtual environment), at the version of requirements.txt.
set -euo pipefail
cd "$(dirname "$0")"
venv=../bin/cfn-lint
stamp=$venv/requirements.installed

if cmp -s requirements.txt "$stamp" && "$venv/bin/python" -c 'import cfnlint' 2>/dev/null; then
  echo "cfn-lint: $("$venv/bin/python" -c 'import cfnlint.version; print(cfnlint.version.__version__)') is there"
  exit 0
fi
command -v python3 >/dev/null || { echo "cfn-lint needs Python 3.10 or later (python3), which is not installed" >&2; exit 1; }
python3 -c 'import sys; sys.exit(sys.version_info < (3, 10))' || {
  echo "cfn-lint needs Python 3.10 or later; python3 is $(python3 -V)" >&2
  exit 1
}
rm -rf "$venv"
python3 -m venv "$venv" || { echo "cfn-lint needs Python's venv module (Debian: apt-get install python3-venv)" >&2; exit 1; }
echo "cfn-lint: installing $(grep -v '^#' requirements.txt)"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-input -r requirements.txt
cp requirements.txt "$stamp"
echo "cfn-lint: installed"
