#!/usr/bin/env bash
# Puts moto_server into test/engines/bin/moto/, at the version of requirements.txt.
exec bash "$(dirname "$0")/../python-venv.sh" moto moto.server
