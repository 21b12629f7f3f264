#!/bin/sh
# Runs Deno as a user who may see neither the sources nor Deno where they are: the directory to show
# them in, the user's number, the sources, the packages that Deno has, and the command. In mounts of
# its own.
set -eu
directory=$1/caller
user=$2
sources=$3
packages=$4
deno=$5
shift 5

mkdir -p "$directory/sources" "$directory/cache/npm"
touch "$directory/deno"
chown "$user:$user" "$directory" "$directory/cache"
mount --bind "$sources" "$directory/sources"
mount --bind "$packages" "$directory/cache/npm"
mount --bind "$deno" "$directory/deno"
cd "$directory/sources"
exec setpriv --reuid="$user" --regid="$user" --clear-groups \
  env HOME="$directory" DENO_DIR="$directory/cache" "$directory/deno" "$@"
