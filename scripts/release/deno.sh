#!/usr/bin/env bash
# Prints the path of the Deno that releases are made with: from npm, where its checksum can be named
# beforehand. (Nobody checks the archives on Deno's own site.)
set -euo pipefail
readonly package=@deno/linux-x64-glibc version=2.9.6
readonly integrity=3md4TKLCuzsLDmfOoC5KN7NAZaxSVkMgm64vg6foD00JBADCpYS2/5QqXfzgnP5ZQz3iLP9vBQJtEgc116OAoQ==

if [[ $(uname -sm) != "Linux x86_64" ]]; then
  echo "error: Releases are made on Linux x86-64, not on $(uname -sm)" >&2
  exit 1
fi
directory=$(mktemp -d)
cd "$directory"
# Not from the project's directory, whose files npm would obey.
npm pack --silent "$package@$version" >/dev/null
tarball=$(echo ./*.tgz)
actual=$(openssl dgst -sha512 -binary "$tarball" | base64 -w0)
if [[ $actual != "$integrity" ]]; then
  echo "error: $package@$version from npm is not the file that was checked: its sha512 is $actual" >&2
  rm -r "$directory"
  exit 1
fi
tar -xzf "$tarball" --strip-components=1 package/deno
rm "$tarball"
chmod +x deno
echo "$directory/deno"
