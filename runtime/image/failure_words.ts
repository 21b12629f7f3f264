/** Words of pip, uv, apt, compilers and OpenSSL for the causes of failures, and what to do about each. */

/**
 * Words, and a hint with `$1` for a group, `{place}` for the requirement's line, `{file}`, `{dockerfile}`
 * and `{python}`; and which lines explain it.
 */
export type Row = readonly [words: RegExp, hint: string, quoted?: RegExp];

const HASHES = "or remove all hashes. To create them, run uv pip compile --generate-hashes.";
export const ABOVE = "Add this line to {dockerfile}, above the RUN line that failed";

export const PIP: readonly Row[] = [
  [/^mlcli: /, ""],
  [/'(\S{1,80})' PyPI package is deprecated, use '(\S+)'/, "Use $2 instead of $1 in {place}"],
  [
    /ackage '?([\w.-]+)'? requires a different Python: \S+ not in '(.+?)'/,
    "Use another version of $1 in {place}, or choose {python} (Python $2)",
  ],
  [
    /Cannot install .{1,999} because these package versions have/,
    "Remove the version from {place}, or the version that it conflicts with",
    /^ {4}(?:The user requested|\S+ \S+ depends on)/,
  ],
  [
    /No solution found when resolving/,
    "Use other versions in {file}: these conflict or do not exist",
    /ecause /,
  ],
  [
    /DO NOT MATCH THE HASHES/,
    "Run mlcli build again, because the download might be damaged. If {place} has a --hash and " +
    "you trust the new file, use the hash after Got.",
    /^ {4}\S.* from |^ +(?:Expected|Got) /,
  ],
  [
    /In --require-hashes mode, all/,
    `Give {place} a version (==) and a --hash, ${HASHES}`,
    /^ {4}\S/,
  ],
  [/Hashes are required in --require/, `Give each requirement a --hash, ${HASHES}`, /^ {4}\S/],
  [
    /Invalid requirement: /,
    "Fix {place}: use NAME, NAME==1.2, NAME>=1.2,<2 or ./FILE.whl",
    /^Hint: |^File .{1,200} does not exist/,
  ],
  [/is not a supported wheel/, "Use a wheel for the image's Python and platform in {place}"],
  [
    /(?:requirements file: .{1,30}No such .{1,30}: '|can't open file ')([^'/][^']{0,200})'(?!: \[Errno 13)/,
    `${ABOVE}:\n  COPY $1 $1`,
  ],
  [
    /(?:requirements file: .{1,30}No such .{1,30}: '|can't open file ')(\/(?:[^']{0,200}\/)?([^'/]{1,100}))'(?!: \[Errno 13)/,
    `${ABOVE}:\n  COPY $2 $1`,
  ],
  [
    /Killed signal terminated program/,
    "Give the Docker Engine more memory: the compiler ran out of memory",
  ],
  [/externally-managed-environment/, `${ABOVE}:\n  ENV PIP_BREAK_SYSTEM_PACKAGES=1`],
  [/^Build failed: no active sessions/, "Build with docker: mlcli build cannot pass secrets"],
  [
    /\/run\/secrets\/[\w.-]{1,99}.{1,9}(?:No such file|[Cc]an(?:'|no)t open)/,
    "Build with docker build --secret: mlcli build cannot pass secrets",
  ],
];

export const NO_PACKAGE =
  /^E: (?:Unable to locate package (\S+)|Package '?([^' ]+)'? has no installation)/;
export const UPDATE =
  "Use apt-get update && apt-get install in one RUN line of {dockerfile}: the image's list of " +
  "packages is missing or outdated";

export const APT_NETWORK: Row = [
  /^[EW]: .{0,300}(?:Temporary failure resolving|Could not (?:connect|resolve)|Connection (?:timed out|failed)|[Uu]nable to connect)/,
  "Check the network of the Docker Engine: apt cannot reach the server. To use a proxy, set " +
  '"proxies" in ~/.docker/config.json.',
];

export const APT: readonly Row[] = [
  [
    /Release file for \S+ is not valid yet/,
    "Fix the clock of the Docker Engine: restart Docker Desktop or its virtual machine",
  ],
  [
    /Release file for \S+ is expired/,
    "Fix the clock of the Docker Engine. If it is right, the release is no longer updated: use " +
    "apt-get -o Acquire::Check-Valid-Until=false update in {dockerfile}.",
  ],
  [
    /repository '(\S{1,99}(?:debian|ubuntu)\.(?:org|com)\S{0,99} \S+).{0,100} does not have a Release file/,
    "Choose a newer base image: the server no longer has $1",
  ],
  [
    /repository '(\S+ \S+).{0,100} does not have a Release file/,
    "Remove $1 from the repositories, or fix its release: the server does not have it",
  ],
  [
    NO_PACKAGE,
    "Fix $1$2 in {dockerfile}. Find its name at packages.debian.org: for example, " +
    "libgl1-mesa-glx is now libgl1, and python-dev is python3-dev.",
  ],
  [/^E: Version '.{1,99}' for '(\S+)' was not/, "Use $1 without a version in {dockerfile}"],
  [
    /^E: .{1,200}\(13: Permission denied\)/,
    "Add USER root above this RUN line in {dockerfile}, and the image's own USER below it",
  ],
  [/^E: Failed to fetch .{1,300} 404/, UPDATE],
];

export const NETWORK: readonly Row[] = [
  [
    /CERTIFICATE_VERIFY_FAILED/,
    'Set PIP_CERT, or "certificate_file" in NAME.json, to your company\'s certificate file: pip ' +
    "does not trust the certificate of the index or proxy",
  ],
  [
    /Cannot connect to proxy|Tunnel connection failed/,
    "Check HTTPS_PROXY with its user name and password: pip cannot connect through the proxy",
  ],
  [
    /^User for |HTTP error 401|401 (?:Client )?Error.{0,300}\/simple\//,
    "Add a user name and password to the URL of the index (PIP_INDEX_URL), or to ~/.netrc",
  ],
  [
    /(?:Retrying \(Retry|\/simple\/|Failed to fetch: ).{0,400}(?:new connection|NameResolutionError|name resolution|timed out|Connection reset|EOF)/,
    "Set PIP_INDEX_URL to an index in your network, or set HTTPS_PROXY: pip cannot reach the index",
  ],
];

/** `WORD=PACKAGES`: programs, headers, and words of build tools; packages of Debian and Ubuntu. */
export const PACKAGES: ReadonlyMap<string, string> = new Map(
  `git=git hg=mercurial svn=subversion bzr=brz curl=curl wget=wget unzip=unzip swig=swig
  cc=build-essential+python3-dev g++=build-essential+python3-dev gcc=build-essential+python3-dev
  toolchain=build-essential+python3-dev compiler=build-essential+python3-dev make=build-essential
  gfortran=gfortran+libopenblas-dev+pkg-config blas=gfortran+libopenblas-dev+pkg-config
  cmake=cmake+build-essential+python3-dev rust=cargo cargo=cargo
  pg_config=libpq-dev+build-essential+python3-dev
  pkg-config=default-libmysqlclient-dev+build-essential+pkg-config+python3-dev
  Python.h=python3-dev libpq-fe.h=libpq-dev mysql.h=default-libmysqlclient-dev ffi.h=libffi-dev
  sql.h=unixodbc-dev portaudio.h=portaudio19-dev lber.h=libldap2-dev+libsasl2-dev zlib.h=zlib1g-dev
  hdf5.h=libhdf5-dev ssl.h=libssl-dev xmlversion.h=libxml2-dev+libxslt1-dev
  cgraph.h=libgraphviz-dev`
    .split(/\s+/).map((entry) => entry.split("=") as [string, string]),
);

export const MISSING = new RegExp(
  [
    /Cannot find command '(\w+)'|\b(Git) executable not found/,
    /(?:command|execute) '(?:[^']{0,200}[/-])?([a-z+]+)'(?: failed)?: No such file/,
    /No such file or directory: '(?:[^']{0,200}[/-])?(gcc|g\+\+|cc|make|cmake)'|linker `(cc)` not found/,
    /Broken (toolchain)|No working (compiler)|Unknown compiler\(s\): \[\['(gfortran)'/,
    /Unknown (compiler)\b|Unsupported (compiler)|No CMAKE_CX*_(COMPILER) could|CMAKE_CX*_(COMPILER) not set|lapack\/(blas) resources/,
    /(CMake) must be installed|can(?:'|no)t find (Rust) compiler|(Cargo), the Rust package/,
    /(pg_config) executable not|valid (pkg-config) name/,
    /fatal error: (?:[\w/]{1,80}\/)?([\w-]{1,40}\.h)\b/,
  ].map(({ source }) => source).join("|"),
);

/** A shell's words, which explain the failure only if it ended the step: others can be optional. */
export const NOT_FOUND = /(?:: |^)([\w-]{1,40}): (?:command )?not found$/;
