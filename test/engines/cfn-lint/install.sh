#!/usr/bin/env bash
# Puts cfn-lint into test/engines/bin/cfn-lint/, at the version of requirements.txt.
exec bash "$(dirname "$0")/../python-venv.sh" cfn-lint cfnlint
