#!/bin/sh
# Installs mlcli on Linux and macOS:
#
#   curl --proto '=https' --tlsv1.2 -fsSL @RELEASES@/latest/download/install.sh | sh
#
# MLCLI_VERSION   a version such as 0.1.0; default: the latest
# MLCLI_INSTALL   the directory for the program; default: ~/.local/bin
# MLCLI_RELEASES  address of the releases, for a mirror
#
# Nothing is installed unless its checksum is the one that the release names, and nothing is
# downloaded but over https.
set -eu

# Written here by scripts/release/stamp.ts when a release is made; a copy without it has no address.
RELEASES='@RELEASES@'

NEEDS_GLIBC='mlcli needs glibc 2.27 or later'

fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}

# Whether programs for glibc cannot start. A system with musl can also have glibc.
lacks_glibc() {
  case "$(ldd --version 2>&1)" in *musl*) ;; *) return 1 ;; esac
  [ ! -e /lib64/ld-linux-x86-64.so.2 ] && [ ! -e /lib/ld-linux-aarch64.so.1 ]
}

# The name that the release has for this machine.
target() {
  ! lacks_glibc || fail "$NEEDS_GLIBC, but this system has musl" \
    "Install it on a system with glibc, such as Debian or the image debian:bookworm-slim."
  case "$(uname -s) $(uname -m)" in
    "Linux x86_64") echo x86_64-unknown-linux-gnu ;;
    "Linux aarch64" | "Linux arm64") echo aarch64-unknown-linux-gnu ;;
    "Darwin x86_64") echo x86_64-apple-darwin ;;
    "Darwin arm64") echo aarch64-apple-darwin ;;
    *) fail "mlcli does not support $(uname -s) $(uname -m)" "On Windows, run install.ps1." ;;
  esac
}

# The address of the releases: what the user names, or what was written above.
releases() {
  [ -z "${MLCLI_RELEASES:-}" ] || RELEASES=$MLCLI_RELEASES
  case $RELEASES in
    https://?*) ;;
    http://*) is_loopback "$RELEASES" || fail "MLCLI_RELEASES is not https: $RELEASES" \
      "Use https. On http, an attacker could change the program and its checksum." ;;
    @*) fail "This copy of install.sh is not from a release, so it has no address to download from" \
      "Use install.sh of a release, set MLCLI_RELEASES, or run mlcli from source (README.md)." ;;
    *) fail "MLCLI_RELEASES must be an https address, but is: $RELEASES" ;;
  esac
  printf '%s' "${RELEASES%/}"
}

# Whether an http address is on this machine, where nobody is on the way.
is_loopback() {
  authority=${1#http://}
  authority=${authority%%/*}
  printf '%s\n' "$authority" | grep -Eqx '(127\.0\.0\.1|\[::1\]|localhost)(:[0-9]+)?'
}

# fetch ADDRESS FILE
fetch() {
  if command -v curl >/dev/null; then
    # Redirects lead to https alone.
    curl -fsSL --proto '=http,https' --proto-redir '=https' --tlsv1.2 --max-redirs 5 \
      --retry 3 --connect-timeout 20 -o "$2" "$1"
  elif command -v wget >/dev/null; then
    # BusyBox prints its usage because it has no --version.
    case "$(wget --version 2>&1)" in
      *BusyBox*) fail "BusyBox's wget cannot refuse redirects to http" "Install curl or GNU wget." ;;
    esac
    fetch_with_wget "$1" "$2"
  else
    fail "Neither curl nor wget is installed"
  fi || fail "Cannot download $1"
}

# wget follows redirects to http, too, so it is made to follow none and this does, to https alone.
fetch_with_wget() {
  address=$1
  for _ in 1 2 3 4 5 6; do
    answer=$(LC_ALL=C wget -nv --server-response --max-redirect=0 --tries=3 --timeout=20 \
      --secure-protocol=TLSv1_2 -O "$2" "$address" 2>&1) && return
    address=$(printf '%s\n' "$answer" | sed -n 's/^ *[Ll]ocation: *\([^ ]*\).*/\1/p' | tail -n 1)
    case $address in
      https://*) ;;
      "") break ;;
      *) fail "$1 redirects to $address, which is not https" ;;
    esac
  done
  printf '%s\n' "$answer" >&2
  return 1
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

# put FILE DIRECTORY: as the program `mlcli`, once it has run there.
# What lies there already is replaced and never written to: a program that runs cannot be written
# to, one that works is not to be lost for one that does not, and a link leads elsewhere.
put() {
  mkdir -p "$2" || fail "Cannot create $2" "Set MLCLI_INSTALL to another directory"
  new=$(mktemp "$2/.mlcli.XXXXXX") ||
    fail "Cannot write to $2" "Set MLCLI_INSTALL to another directory"
  cp "$1" "$new"
  chmod 755 "$new"
  # Its first line has the version.
  installed=$("$new" --version) ||
    fail "$file does not run on this machine" "Nothing was installed. On Linux, $NEEDS_GLIBC."
  # mv would move into the directory that a link leads to; `mv -T` is not everywhere.
  if [ -L "$2/mlcli" ] && [ -d "$2/mlcli" ]; then rm -f "$2/mlcli"; fi
  mv -f "$new" "$2/mlcli" || fail "Cannot replace $2/mlcli" "Set MLCLI_INSTALL to another directory"
  new=
  printf 'Installed %s as %s/mlcli\n' "${installed%%
*}" "$2"
  [ -z "$(find "$2/." -prune -perm -0002)" ] ||
    printf 'warning: All users can write to %s, so they can replace mlcli\n' "$2" >&2
}

# All in a function: a script that was cut off on its way does nothing.
main() {
  releases=$(releases)
  if [ -n "${MLCLI_VERSION:-}" ]; then
    base=$releases/download/v${MLCLI_VERSION#v}
  else
    base=$releases/latest/download
  fi
  directory=${MLCLI_INSTALL:-${HOME:+$HOME/.local/bin}}
  [ -n "$directory" ] ||
    fail "Neither HOME nor MLCLI_INSTALL is set" "Set MLCLI_INSTALL to the directory for mlcli"
  # As PATH names it: whole, without a slash at its end.
  case $directory in /*) ;; *) directory=$PWD/$directory ;; esac
  directory=$(printf '%s' "$directory" | sed 's,\(.\)/*$,\1,')
  [ -L "$directory/mlcli" ] || [ ! -d "$directory/mlcli" ] ||
    fail "$directory/mlcli is a directory" "Set MLCLI_INSTALL to another directory"
  target=$(target)
  file=mlcli-$target

  work=$(mktemp -d) new=
  trap 'rm -rf "$work" ${new:+"$new"}' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  fetch "$base/SHA256SUMS" "$work/SHA256SUMS"
  expected=$(sed -n "s/^\([0-9a-f]\{64\}\)  $file\$/\1/p" "$work/SHA256SUMS")
  [ -n "$expected" ] || fail "$base/SHA256SUMS does not contain $file"
  fetch "$base/$file" "$work/mlcli"
  actual=$(sha256 "$work/mlcli")
  [ "$actual" = "$expected" ] ||
    fail "The checksum of $file is wrong: $actual, not $expected" "Nothing was installed. Try again."

  put "$work/mlcli" "$directory"
  case ":$PATH:" in
    *":$directory:"*) ;;
    *) printf 'Add it to your PATH: export PATH="%s:%s"\n' "$directory" "\$PATH" ;;
  esac
}

main
