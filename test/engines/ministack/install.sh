#!/usr/bin/env bash
# Puts MiniStack, AWS with CloudFormation and IAM by others, into test/engines/bin/ministack/, at the version of requirements.txt.
exec bash "$(dirname "$0")/../python-venv.sh" ministack ministack.app
