#!/bin/sh
# Installs mlcli on Linux and macOS:
#
#   curl -fsSL https://github.com/mlcli/mlcli/releases/latest/download/install.sh | sh
#
# MLCLI_VERSION   a version such as 0.1.0; default: the latest
# MLCLI_INSTALL   the directory for the program; default: ~/.local/bin
# MLCLI_RELEASES  address of the releases, for a mirror
#
# Nothing is installed unless its checksum is the one that the release names.
set -eu

fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}

# The name that the release has for this machine.
target() {
  case "$(uname -s) $(uname -m)" in
    "Linux x86_64") echo x86_64-unknown-linux-gnu ;;
    "Linux aarch64" | "Linux arm64") echo aarch64-unknown-linux-gnu ;;
    "Darwin x86_64") echo x86_64-apple-darwin ;;
    "Darwin arm64") echo aarch64-apple-darwin ;;
    *) fail "No mlcli for $(uname -s) $(uname -m)" "Windows has install.ps1." ;;
  esac
}

# fetch ADDRESS FILE
fetch() {
  if command -v curl >/dev/null; then
    curl -fsSL --retry 3 --connect-timeout 20 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q --tries=3 --timeout=20 -O "$2" "$1"
  else
    fail "Neither curl nor wget is installed"
  fi || fail "Cannot download $1"
}

# The SHA-256 of a file, in hexadecimal.
sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1"
  else
    fail "Neither sha256sum nor shasum is installed, so the download cannot be checked"
  fi | cut -d ' ' -f 1
}

# All in a function: a script that was cut off on its way does nothing.
main() {
  releases=${MLCLI_RELEASES:-https://github.com/mlcli/mlcli/releases}
  if [ -n "${MLCLI_VERSION:-}" ]; then
    base=$releases/download/v${MLCLI_VERSION#v}
  else
    base=$releases/latest/download
  fi
  directory=${MLCLI_INSTALL:-${HOME:+$HOME/.local/bin}}
  [ -n "$directory" ] ||
    fail "Neither HOME nor MLCLI_INSTALL is set" "MLCLI_INSTALL names the directory for the program."
  # As PATH names it: without a slash at its end.
  directory=$(printf '%s' "$directory" | sed 's,\(.\)/*$,\1,')
  [ ! -d "$directory/mlcli" ] || fail "$directory/mlcli is a directory" "MLCLI_INSTALL names another place."
  new=$directory/.mlcli.new
  target=$(target)
  file=mlcli-$target

  work=$(mktemp -d)
  trap 'rm -rf "$work" "$new"' EXIT
  trap 'exit 130' INT TERM
  fetch "$base/SHA256SUMS" "$work/SHA256SUMS"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "$base/SHA256SUMS does not name $file"
  fetch "$base/$file" "$work/mlcli"
  actual=$(sha256 "$work/mlcli")
  [ "$actual" = "$expected" ] ||
    fail "The checksum of $file is wrong: $actual, not $expected" "Nothing was installed. Try again."

  mkdir -p "$directory"
  chmod 755 "$work/mlcli"
  # Copied beside its place, tried, and then moved there: a program that runs cannot be written to,
  # and one that works is not to be lost for one that does not.
  cp "$work/mlcli" "$new"
  installed=$("$new" --version) || fail "$file does not run on this machine" "Nothing was installed."
  mv -f "$new" "$directory/mlcli"
  printf 'Installed %s as %s/mlcli\n' "$installed" "$directory"
  case ":$PATH:" in
    *":$directory:"*) ;;
    *) printf 'Add it to your PATH: export PATH="%s:%s"\n' "$directory" "\$PATH" ;;
  esac
}

main
