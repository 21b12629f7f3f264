#!/usr/bin/env bash
# What a new binary does on a system, from the first command on. Shows each command with its output
# and its exit status, goes on to the end whatever fails, and then says what failed: a first run on a
# system that nobody here has shall tell what is wrong there.
#
#   smoke.sh linux BINARY     with an engine that runs Linux containers: the whole local workflow
#   smoke.sh windows BINARY   with one that runs Windows containers, which mlcli refuses
#   smoke.sh none BINARY      without an engine
#
# MLCLI_SMOKE_BASE_IMAGE is the image to build on, instead of the official Python.
#
# Bash 3.2 must do (macOS), and Git's Bash (Windows).
set -u

if [[ $# -ne 2 || ! $1 =~ ^(linux|windows|none)$ ]]; then
  echo "usage: smoke.sh linux|windows|none BINARY" >&2
  exit 2
fi
readonly engine=$1
binary=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
readonly binary
readonly app=mlcli-smoke-$$

# Below the home, since a virtual machine with an engine sees little else of this one's files.
place=${RUNNER_TEMP:-$HOME}
directory=$(cd "$place" && mktemp -d "$PWD/mlcli-smoke-XXXXXX") || exit 1
readonly directory
cd "$directory" || exit 1
trap 'cd / && rm -rf "$directory"' EXIT

number=0
failures=()

# failed WHAT: keeps it for the end.
failed() {
  echo "!! $1"
  failures+=("$number: $1")
}

# step STATUS PATTERN ARGUMENT...: runs the binary. STATUS is what it must end with (any: -), PATTERN
# what its output must have (an extended regular expression, or nothing).
step() {
  local status=$1 pattern=$2 got=0
  shift 2
  number=$((number + 1))
  echo
  echo "== $number: mlcli $*"
  "$binary" "$@" >out 2>err </dev/null || got=$?
  awk '{ print "  out: " $0 }' out
  awk '{ print "  err: " $0 }' err
  echo "  exit status $got"
  if [[ $status != - && $got -ne $status ]]; then failed "mlcli $*: exit status $got, not $status"; fi
  if [[ -n $pattern ]] && ! cat out err | grep -Eq "$pattern"; then
    failed "mlcli $*: does not say: $pattern"
  fi
}

# show COMMAND...: runs another program, for what it says alone.
show() {
  echo
  echo "-- $*"
  "$@" 2>&1 | sed 's/^/  /'
}

show uname -a
env | grep -E '^(DOCKER|COLIMA|XDG|HOME|USERPROFILE|RUNNER)' | sort
if command -v docker >/dev/null; then
  show docker version
  show docker context ls
fi

step 0 '^mlcli [0-9]' --version
step 0 'Usage: mlcli' --help
step 0 'complete' completions bash

case $engine in
  linux) step - 'Engine .* at ' doctor ;;
  windows) step 1 'runs Windows containers' doctor ;;
  none) step 1 'Cannot connect to a Docker Engine' doctor ;;
esac

if [[ -n ${MLCLI_SMOKE_BASE_IMAGE:-} ]]; then
  step 0 'Created [0-9]+ files' init "$app" --base-image "$MLCLI_SMOKE_BASE_IMAGE"
else
  step 0 'Created [0-9]+ files' init "$app"
fi

case $engine in
  linux)
    echo 72,3,15 >rows.csv
    step 0 "^$app:latest" build
    step 0 'trained on 160 rows' local train
    if [[ ! -s $app/mlcli_base/local_test/test_dir/model/model.json ]]; then
      failed "local train: there is no model"
    fi
    step 0 '.' local process --file processing.py
    step 0 '^http://localhost:[0-9]+$' local deploy --port 0
    port=$(sed 's/.*://' out)
    step 0 'predictions' local invoke rows.csv --port "$port" --accept application/json
    step 0 "$app" local status
    step 0 '' local logs --port "$port"
    step 0 "^mlcli-$app-serve-$port" local stop --port "$port"
    step 1 'Container not found on port' local stop --port "$port"
    step - 'is up to date with the app.s files' doctor
    if command -v docker >/dev/null; then
      left=$(docker ps --all --quiet --filter "label=mlcli.app=$app")
      if [[ -n $left ]]; then failed "containers are left: $left"; fi
      show docker image rm "$app:latest"
    fi
    ;;
  windows)
    step 1 'runs Windows containers' build
    step 1 'runs Windows containers' local train
    ;;
  none)
    step 1 'Cannot connect to a Docker Engine' build
    step 1 'Cannot connect to a Docker Engine' local train
    ;;
esac

echo
if [[ ${#failures[@]} -eq 0 ]]; then
  echo "All $number steps did what they should."
  exit 0
fi
echo "${#failures[@]} things went wrong in $number steps:"
printf '  %s\n' "${failures[@]}"
exit 1
