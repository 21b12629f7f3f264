#!/bin/sh
# Runs a program of the user's code: start.sh ENTRY_POINT [ARGUMENT...]. mlcli sends this beside
# sourcedir.tar.gz, with the modules of its harness at the end; mlcli_harness/start.py says what it does.
set -eu

# What mlcli adds at the end uses it.
# shellcheck disable=SC2034
python=$(command -v python3 || command -v python) || {
  mkdir -p /opt/ml/output
  case $0 in
    /opt/ml/processing/*) reason=message ;;
    *) reason=failure ;;
  esac
  echo "no python3 in this image, which mlcli's start script requires; use --command to run a program of the image" |
    tee "/opt/ml/output/$reason" >&2
  exit 127
}
mlcli=$(mktemp -d)
mkdir "$mlcli/mlcli_harness"
