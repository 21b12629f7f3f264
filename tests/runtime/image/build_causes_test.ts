import { assertEquals, assertStringIncludes } from "@std/assert";
import { buildCause, type FailedStep } from "../../../runtime/image/build_causes.ts";
import { it, suite } from "../../helpers/suite.ts";

const STEP: FailedStep = {
  name: "[2/9] RUN /opt/mlcli/install /opt/mlcli/requirements.txt",
  lines: [],
  dockerfile: "flats/mlcli_base/Dockerfile",
  file: "requirements.txt",
  python: 'another "python_version" in flats.json',
  lineOf: (name) =>
    ["scikit-lern", "psutil", "torch", "numpy"].includes(name)
      ? "requirements.txt, line 3"
      : undefined,
  shownFile: (path) => /^(?:\/opt\/mlcli\/|\/src\/)?(requirements\.txt)$/.exec(path)?.[1] ?? "",
};

function causeOf(said: string, step: Partial<FailedStep> = {}) {
  const lines = said.split("\n");
  return buildCause({ ...STEP, lines, ...step });
}

interface Row {
  /** Where the words were reported; undefined: as pip 23.0, apt 2.6 or uv 0.13 print them. */
  readonly report?: string;
  readonly name: string;
  readonly said: string;
  /** The message. */
  readonly words: string;
  /** Parts of the hint. */
  readonly hint: readonly string[];
  readonly quote?: string;
}

const installs = (packages: string): readonly string[] => [
  "Add this line to flats/mlcli_base/Dockerfile, above the RUN line that failed (Debian, Ubuntu):\n",
  `\n  RUN apt-get update && apt-get install -y ${packages}`,
];

const COMPILES = "psutil has no wheel for the image's Python: use a version that has one, ";

function compiling(words: string, name = "psutil"): string {
  return `Collecting ${name}\n  Downloading ${name}-5.4.0.tar.gz (418 kB)\n      ${words}\n` +
    "      [end of output]\n\n  note: This error originates from a subprocess, and is likely not a " +
    `problem with pip.\nerror: legacy-install-failure\n\n╰─> ${name}`;
}

const PROGRAMS: readonly Row[] = [
  {
    report: "https://github.com/janitor-team/janitor/pull/1405",
    name: "git",
    said: "Collecting git+https://github.com/a/b (from -r /opt/mlcli/requirements.txt (line 2))\n" +
      "  Cloning https://github.com/a/b to /tmp/pip-req-build-1\n" +
      "ERROR: Error [Errno 2] No such file or directory: 'git' while executing command git version\n" +
      "ERROR: Cannot find command 'git' - do you have 'git' installed and in your PATH?",
    words: "Cannot find command 'git' - do you have 'git' installed and in your PATH? " +
      "(requirements.txt, line 2)",
    hint: installs("git"),
  },
  {
    report: "https://github.com/tsuru/basebuilder/issues/99",
    name: "git of an editable requirement",
    said: "Obtaining Flask from git+https://github.com/mitsuhiko/flask.git@7f3867#egg=Flask-dev " +
      "(from -r requirements.txt (line 5))\n  Cloning https://github.com/mitsuhiko/flask.git\n" +
      "  Error [Errno 2] No such file or directory while executing command git clone -q\n" +
      "Cannot find command 'git'",
    words: "Cannot find command 'git' (requirements.txt, line 5)",
    hint: installs("git"),
  },
  {
    name: "git of a requirement with a name",
    said: "Collecting numpy@ git+https://github.com/a/b\n  Cloning https://github.com/a/b\n" +
      "ERROR: Cannot find command 'git' - do you have 'git' installed and in your PATH?",
    words: "Cannot find command 'git' - do you have 'git' installed and in your PATH? " +
      "(requirements.txt, line 3)",
    hint: installs("git"),
  },
  {
    report: "https://github.com/astral-sh/uv/issues/9200",
    name: "git for uv",
    said: "error: Git operation failed\n  cause: Git executable not found. Ensure that Git is " +
      "installed and available.",
    words: "Git executable not found. Ensure that Git is installed and available.",
    hint: installs("git"),
  },
  {
    name: "hg",
    said: "ERROR: Cannot find command 'hg' - do you have 'hg' installed and in your PATH?",
    words: "Cannot find command 'hg' - do you have 'hg' installed and in your PATH?",
    hint: installs("mercurial"),
  },
  {
    name: "svn",
    said: "ERROR: Cannot find command 'svn' - do you have 'svn' installed and in your PATH?",
    words: "Cannot find command 'svn' - do you have 'svn' installed and in your PATH?",
    hint: installs("subversion"),
  },
  {
    report: "https://github.com/rolandu/nextcloud-tests/issues/2",
    name: "gcc",
    said: compiling("error: command 'gcc' failed: No such file or directory"),
    words: "command 'gcc' failed: No such file or directory (requirements.txt, line 3)",
    hint: [COMPILES, ...installs("build-essential python3-dev")],
  },
  {
    report: "https://github.com/pypa/gh-action-pypi-publish/issues/51",
    name: "gcc of an old setuptools",
    said: compiling("unable to execute 'gcc': No such file or directory"),
    words: "unable to execute 'gcc': No such file or directory (requirements.txt, line 3)",
    hint: [COMPILES, ...installs("build-essential python3-dev")],
  },
  {
    report: "https://github.com/obendidi/Tracking-with-darkflow/issues/39",
    name: "Debian's gcc",
    said: compiling("error: command 'x86_64-linux-gnu-gcc' failed: No such file or directory"),
    words: "command 'x86_64-linux-gnu-gcc' failed: No such file or directory " +
      "(requirements.txt, line 3)",
    hint: [COMPILES, ...installs("build-essential python3-dev")],
  },
  {
    report: "https://github.com/adamjtaylor/miniature/issues/19",
    name: "gcc, as Python reports it",
    said: compiling("FileNotFoundError: [Errno 2] No such file or directory: 'gcc'"),
    words: "FileNotFoundError: [Errno 2] No such file or directory: 'gcc' " +
      "(requirements.txt, line 3)",
    hint: [COMPILES, ...installs("build-essential python3-dev")],
  },
  {
    name: "gcc for uv",
    said: "  × Failed to build `psutil==5.4.0`\n" +
      "         error: [Errno 2] No such file or directory: 'x86_64-linux-gnu-gcc'",
    words: "[Errno 2] No such file or directory: 'x86_64-linux-gnu-gcc'",
    hint: installs("build-essential python3-dev"),
  },
  {
    report: "https://github.com/docker-library/python/issues/273",
    name: "a toolchain",
    said: compiling("RuntimeError: Broken toolchain: cannot link a simple C program", "numpy"),
    words: "RuntimeError: Broken toolchain: cannot link a simple C program " +
      "(requirements.txt, line 3)",
    hint: installs("build-essential python3-dev"),
  },
  {
    report: "https://github.com/mesonbuild/meson/issues/12677",
    name: "any compiler for meson",
    said: compiling("../meson.build:1:0: ERROR: Unknown compiler(s): [['icc'], ['cc'], ['gcc']]"),
    words: "../meson.build:1:0: ERROR: Unknown compiler(s): [['icc'], ['cc'], ['gcc']] " +
      "(requirements.txt, line 3)",
    hint: installs("build-essential python3-dev"),
  },
  {
    report: "https://github.com/Mebus/restatic/issues/2",
    name: "Python's headers",
    said: compiling(
      "psutil/_psutil_common.c:9:10: fatal error: Python.h: No such file or directory",
    ),
    words: "psutil/_psutil_common.c:9:10: fatal error: Python.h: No such file or directory " +
      "(requirements.txt, line 3)",
    hint: installs("python3-dev"),
  },
  {
    report: "https://github.com/psycopg/psycopg2/issues/1368",
    name: "pg_config",
    said: compiling("Error: pg_config executable not found.", "psycopg2"),
    words: "pg_config executable not found.",
    hint: ["use psycopg2-binary, ", "install -y \\\n    libpq-dev build-essential python3-dev"],
  },
  {
    report: "https://github.com/davisking/dlib/issues/2981",
    name: "cmake",
    said: compiling("ERROR: CMake must be installed to build dlib", "dlib"),
    words: "CMake must be installed to build dlib",
    hint: installs("cmake build-essential python3-dev"),
  },
  {
    report: "https://github.com/treygrainger/ai-powered-search/issues/48",
    name: "rustc",
    said: compiling("error: can't find Rust compiler", "tokenizers"),
    words: "can't find Rust compiler",
    hint: ["tokenizers has no wheel", ...installs("cargo")],
  },
  {
    report: "https://github.com/dev-lu/osint_toolkit/issues/33",
    name: "cargo",
    said: compiling(
      "Cargo, the Rust package manager, is not installed or is not on PATH.",
      "rpds-py",
    ),
    words: "Cargo, the Rust package manager, is not installed or is not on PATH.",
    hint: ["rpds-py has no wheel", ...installs("cargo")],
  },
  {
    name: "MySQL's library",
    said: compiling("Exception: Can not find valid pkg-config name.", "mysqlclient"),
    words: "Exception: Can not find valid pkg-config name.",
    hint: ["\n    default-libmysqlclient-dev build-essential pkg-config python3-dev"],
  },
  {
    name: "a program of a RUN line",
    said:
      "/bin/sh: 1: curl: not found\nBuild failed: process did not complete successfully: exit code: 127",
    words: "/bin/sh: 1: curl: not found",
    hint: installs("curl"),
  },
];

function absent(requirement: string, versions: string, before = ""): string {
  return `${before}ERROR: Could not find a version that satisfies the requirement ${requirement} ` +
    `(from versions: ${versions})\nERROR: No matching distribution found for ${requirement}`;
}

const TORCH = "1.11.0, 1.12.0, 1.12.1, 1.13.0, 1.13.1, 2.0.0, 2.0.1, 2.1.0, 2.1.1, 2.1.2";

const VERSIONS: readonly Row[] = [
  {
    name: "a name that is almost right",
    said: `Collecting six\n${absent("scikit-lern", "none")}`,
    words: "No matching distribution found for scikit-lern (requirements.txt, line 3)",
    hint: ["Did you mean scikit-learn? Fix scikit-lern in requirements.txt, line 3."],
  },
  {
    name: "the name of a module",
    said: absent("yaml", "none"),
    words: "No matching distribution found for yaml",
    hint: ["Use PyYAML instead of yaml in requirements.txt"],
  },
  {
    report: "https://github.com/idealo/image-quality-assessment/issues/114",
    name: "sklearn",
    said:
      "Collecting sklearn (from -r requirements.txt (line 2))\n    Complete output (15 lines):\n" +
      "    The 'sklearn' PyPI package is deprecated, use 'scikit-learn'\n" +
      "    rather than 'sklearn' for pip commands.",
    words: "The 'sklearn' PyPI package is deprecated, use 'scikit-learn'",
    hint: ["Use scikit-learn instead of sklearn in requirements.txt"],
  },
  {
    name: "a module of Python itself",
    said: absent("pickle", "none"),
    words: "No matching distribution found for pickle",
    hint: ["Remove pickle from requirements.txt: it is part of Python"],
  },
  {
    report: "https://github.com/osmose-qa/osmose-backend/issues/2287",
    name: "an unknown name",
    said: absent("types-pkg_resources (from -r /opt/mlcli/requirements.txt (line 7))", "none"),
    words: "No matching distribution found for types-pkg_resources (requirements.txt, line 7)",
    hint: [
      "Fix types-pkg_resources in requirements.txt, line 7.",
      "private index",
      "\n  --extra-index-url https://HOST/simple",
    ],
  },
  {
    name: "a package without a version for the image's Python",
    said: absent("tensorflow", "none"),
    words: "No matching distribution found for tensorflow",
    hint: [
      `Choose another "python_version" in flats.json, or build for --platform linux/amd64: no version of tensorflow fits the image's Python and platform`,
    ],
  },
  {
    name: "a package that uv does not find",
    said:
      "error: No solution found when resolving dependencies\n  cause: Because scikit-lern was not " +
      "found in the package registry and you require scikit-lern, we can conclude that your " +
      "requirements are unsatisfiable.",
    words:
      "Because scikit-lern was not found in the package registry and you require scikit-lern, " +
      "we can conclude that your requirements are unsatisfiable. (requirements.txt, line 3)",
    hint: ["Did you mean scikit-learn? Fix scikit-lern in requirements.txt, line 3."],
  },
  {
    name: "a version that does not exist",
    said: absent("numpy==1.99", "1.21.0, 1.26.4, 2.0.0rc1, 2.4.6"),
    words: "No matching distribution found for numpy==1.99 (requirements.txt, line 3)",
    hint: [
      "Use numpy==1.26.4 in requirements.txt, line 3, or another version that the index has",
    ],
  },
  {
    report: "https://github.com/jaraco/zipp/issues/28",
    name: "a version that is too new for the Python",
    said: absent("zipp==2.0.0 (from -r requirements.txt (line 15))", "0.1.0, 0.6.0, 1.0.0"),
    words: "No matching distribution found for zipp==2.0.0 (requirements.txt, line 15)",
    hint: ["Use zipp==1.0.0 in requirements.txt, line 15, or another version"],
  },
  {
    report: "https://github.com/YassineYousfi/comma10k-baseline/issues/13",
    name: "a version that is too old for the Python",
    said: absent("torch==1.8.1", TORCH),
    words: "No matching distribution found for torch==1.8.1 (requirements.txt, line 3)",
    hint: [
      "Use torch==1.13.1 in requirements.txt, line 3, or another version",
      'Version 1.8.1 might need another Python: choose another "python_version" in flats.json.',
    ],
  },
  {
    name: "a version that needs another Python",
    said: absent(
      "numpy==1.21.2",
      "1.21.1, 1.22.0, 1.26.4, 2.4.6",
      "ERROR: Ignored the following versions that require a different python version: 1.21.2 " +
        "Requires-Python >=3.7,<3.11; 2.5.0 Requires-Python >=3.12\n",
    ),
    words: "No matching distribution found for numpy==1.21.2 (requirements.txt, line 3)",
    hint: [
      "Use numpy==1.26.4 in requirements.txt, line 3",
      'Version 1.21.2 needs Python >=3.7,<3.11: choose another "python_version" in flats.json.',
    ],
  },
  {
    report: "https://github.com/Nerogar/OneTrainer/issues/138",
    name: "a local version of torch",
    said: absent("torch==2.1.2+cu118", TORCH),
    words: "No matching distribution found for torch==2.1.2+cu118 (requirements.txt, line 3)",
    hint: [
      "Use torch==2.1.2 in requirements.txt, line 3, or add this line to requirements.txt, because PyPI has no +cu118:\n  --extra-index-url https://download.pytorch.org/whl/cu118",
    ],
  },
  {
    report: "https://github.com/pytorch/TensorRT/issues/1151",
    name: "a local version that its index does not have",
    said: absent("torch==1.11.0+cu113 (from -r requirements.txt (line 4))", "1.9.1, 1.9.1+cu111"),
    words: "No matching distribution found for torch==1.11.0+cu113 (requirements.txt, line 4)",
    hint: ["Use torch==1.9.1 in requirements.txt, line 4, or another version"],
  },
  {
    name: "a dependency of a requirement",
    said: absent("nothing>=2 (from psutil)", "none"),
    words: "No matching distribution found for nothing>=2 (from psutil) (requirements.txt, line 3)",
    hint: [
      "Use another version of psutil in requirements.txt, line 3: it requires nothing, which the index lacks",
    ],
  },
  {
    name: "a version of a package with extras",
    said: absent("uvicorn[standard]==0.99.0", "0.29.0, 0.30.0"),
    words: "No matching distribution found for uvicorn[standard]==0.99.0",
    hint: ["Use uvicorn[standard]==0.30.0 in requirements.txt"],
  },
  {
    name: "a package of another Python",
    said: "ERROR: Package 'numpy' requires a different Python: 3.11.2 not in '>=3.12'",
    words: "Package 'numpy' requires a different Python: 3.11.2 not in '>=3.12' " +
      "(requirements.txt, line 3)",
    hint: [
      'Use another version of numpy in requirements.txt, line 3, or choose another "python_version" in flats.json (Python >=3.12)',
    ],
  },
  {
    report: "https://github.com/duo-labs/cloudmapper/issues/882",
    name: "versions that conflict",
    said: "ERROR: Cannot install -r requirements.txt (line 5) and urllib3==1.26.5 because these " +
      "package versions have conflicting dependencies.\nERROR: ResolutionImpossible: for help visit " +
      "https://pip.pypa.io/\n\nThe conflict is caused by:\n" +
      "    The user requested urllib3==1.26.5\n    botocore 1.17.6 depends on urllib3<1.26 and " +
      '>=1.20; python_version != "3.4"\n\nTo fix this you could try to:\n1. loosen the range\n\n' +
      "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/",
    words: "Cannot install requirements.txt, line 5 and urllib3==1.26.5 because these package " +
      "versions have conflicting dependencies.",
    quote: "The user requested urllib3==1.26.5\nbotocore 1.17.6 depends " +
      'on urllib3<1.26 and >=1.20; python_version != "3.4"',
    hint: [
      "Remove the version from requirements.txt, line 5, or the version that it conflicts with",
    ],
  },
  {
    name: "versions that conflict for uv",
    said: "error: No solution found when resolving dependencies\n  cause: Because boto3==1.26.0 " +
      "depends on botocore>=1.29.0 and you require botocore==1.20.0, your requirements are " +
      "unsatisfiable.",
    words: "No solution found when resolving dependencies",
    quote:
      "Because boto3==1.26.0 depends on botocore>=1.29.0 and you require botocore==1.20.0, your " +
      "requirements are unsatisfiable.",
    hint: ["Use other versions in requirements.txt: these conflict or do not exist"],
  },
  {
    report: "https://github.com/EricJMarti/inventory-hunter/issues/26",
    name: "another hash",
    said: "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have " +
      "updated the package versions, please update the hashes. Otherwise, examine\n" +
      "    lxml from https://files.pythonhosted.org/packages/8e/lxml-4.6.2.whl (from -r " +
      "/src/requirements.txt (line 2)):\n        Expected sha256 7e9eac\n             Got        5e153b\n",
    words: "THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE " +
      "(requirements.txt, line 2)",
    quote: "lxml from https://files.pythonhosted.org/packages/8e/lxml-4.6.2.whl\n" +
      "Expected sha256 7e9eac\nGot        5e153b",
    hint: ["Run mlcli build again", "If requirements.txt, line 2 has a --hash"],
  },
  {
    report: "https://github.com/pypi/warehouse/issues/1056",
    name: "hashes without versions",
    said:
      "ERROR: In --require-hashes mode, all requirements must have their versions pinned with " +
      "==. These do not:\n    requests from https://files.pythonhosted.org/requests.whl (from -r " +
      "/opt/mlcli/requirements.txt (line 2))",
    words: "In --require-hashes mode, all requirements must have their versions pinned with == " +
      "(requirements.txt, line 2)",
    quote: "requests from https://files.pythonhosted.org/requests.whl",
    hint: ["Give requirements.txt, line 2 a version (==) and a --hash, or remove all hashes"],
  },
  {
    name: "requirements that pip cannot read",
    said: "ERROR: Invalid requirement: 'six=>1' (from line 2 of /opt/mlcli/requirements.txt)\n" +
      "Hint: = is not a valid operator. Did you mean == ?",
    words: "Invalid requirement: 'six=>1' (requirements.txt, line 2)",
    quote: "Hint: = is not a valid operator. Did you mean == ?",
    hint: ["Fix requirements.txt, line 2: use NAME, "],
  },
  {
    report: "https://github.com/jamesoff/simplemonitor/issues/545",
    name: "a requirements file that was not copied",
    said: "ERROR: Could not open requirements file: [Errno 2] No such file or directory: " +
      "'/code/requirements.txt'",
    words: "Could not open requirements file: [Errno 2] No such file or directory: " +
      "'/code/requirements.txt'",
    hint: ["above the RUN line that failed:\n  COPY requirements.txt /code/requirements.txt"],
  },
  {
    name: "a script that was not copied",
    said: "python3: can't open file '/app/get.py': [Errno 2] No such file or directory",
    words: "python3: can't open file '/app/get.py': [Errno 2] No such file or directory",
    hint: ["above the RUN line that failed:\n  COPY get.py /app/get.py"],
  },
  {
    name: "a requirements file in a directory that was not copied",
    said: "ERROR: Could not open requirements file: [Errno 2] No such file or directory: " +
      "'requirements/prod.txt'",
    words: "Could not open requirements file: [Errno 2] No such file or directory: " +
      "'requirements/prod.txt'",
    hint: ["above the RUN line that failed:\n  COPY requirements/prod.txt requirements/prod.txt"],
  },
  {
    name: "a compiler that Linux killed",
    said: "-- -DCMAKE_CXX_COMPILER=/usr/bin/g++\n" +
      "c++: fatal error: Killed signal terminated program cc1plus",
    words: "c++: fatal error: Killed signal terminated program cc1plus",
    hint: ["Give the Docker Engine more memory"],
  },
  {
    name: "an error of mlcli's installer",
    said: "mlcli: uv.lock does not match pyproject.toml: run uv lock, then rebuild",
    words: "uv.lock does not match pyproject.toml: run uv lock, then rebuild",
    hint: [],
  },
  {
    name: "Debian's own Python",
    said: "error: externally-managed-environment\n\n× This environment is externally managed",
    words: "externally-managed-environment",
    hint: ["above the RUN line that failed:\n  ENV PIP_BREAK_SYSTEM_PACKAGES=1"],
  },
  {
    report: "https://github.com/moby/buildkit/issues/5309",
    name: "a builder that wants a session",
    said: "Build failed: no active sessions",
    words: "no active sessions",
    hint: ["Build with docker: mlcli build cannot pass secrets"],
  },
  {
    name: "an optional secret that the step needs",
    said: "cat: /run/secrets/token: No such file or directory",
    words: "cat: /run/secrets/token: No such file or directory",
    hint: ["Build with docker build --secret: mlcli build cannot pass secrets"],
  },
];

const GOT = "Get:1 http://ftp.debian.org/debian trixie InRelease [140 kB]\n";

const APT: readonly Row[] = [
  {
    report: "https://github.com/CatchTheTornado/text-extract-api/issues/126",
    name: "a package that was renamed",
    said:
      `${GOT}Package libgl1-mesa-glx is not available, but is referred to by another package.\n` +
      "E: Package 'libgl1-mesa-glx' has no installation candidate",
    words: "Package 'libgl1-mesa-glx' has no installation candidate",
    hint: ["Fix libgl1-mesa-glx in flats/", "libgl1-mesa-glx is now libgl1"],
  },
  {
    report: "https://github.com/docker/docs/issues/15593",
    name: "an unknown package",
    said: `${GOT}E: Unable to locate package docker-ce-cli`,
    words: "Unable to locate package docker-ce-cli",
    hint: [
      "Fix docker-ce-cli in flats/mlcli_base/Dockerfile. Find its name at packages.debian.org",
    ],
  },
  {
    report: "https://github.com/balena-io-library/base-images/issues/292",
    name: "a step without apt-get update",
    said: "Reading package lists...\nE: Unable to locate package python",
    words: "Unable to locate package python",
    hint: [
      "Use apt-get update && apt-get install in one RUN line of flats/mlcli_base/Dockerfile",
    ],
  },
  {
    name: "an image whose user is not root",
    said:
      "E: List directory /var/lib/apt/lists/partial is missing. - Acquire (13: Permission denied)",
    words:
      "List directory /var/lib/apt/lists/partial is missing. - Acquire (13: Permission denied)",
    hint: ["Add USER root above this RUN line in flats/mlcli_base/Dockerfile, and the image's"],
  },
  {
    report: "https://github.com/sassoftware/viya4-deployment/issues/44",
    name: "an old list of packages",
    said: "E: Failed to fetch http://security.ubuntu.com/ubuntu/pool/main/c/curl/a.deb  404  Not " +
      "Found [IP: 91.189.88.152 80]\nE: Unable to fetch some archives, maybe run apt-get update or " +
      "try with --fix-missing?",
    words: "Failed to fetch http://security.ubuntu.com/ubuntu/pool/main/c/curl/a.deb  404  Not " +
      "Found [IP: 91.189.88.152 80]",
    hint: ["Use apt-get update && apt-get install in one RUN line"],
  },
  {
    name: "a network that does not work",
    said: "W: Failed to fetch http://ftp.debian.org/debian/dists/trixie/InRelease  Temporary " +
      "failure resolving 'ftp.debian.org'\nE: Unable to locate package git",
    words: "W: Failed to fetch http://ftp.debian.org/debian/dists/trixie/InRelease  Temporary " +
      "failure resolving 'ftp.debian.org'",
    hint: ["Check the network of the Docker Engine: apt cannot reach the server."],
  },
  {
    name: "a repository that never had the release",
    said: "E: The repository 'https://ppa.launchpadcontent.net/deadsnakes/ppa/x trixie Release' " +
      "does not have a Release file.",
    words:
      "The repository 'https://ppa.launchpadcontent.net/deadsnakes/ppa/x trixie Release' does " +
      "not have a Release file.",
    hint: ["Remove https://ppa.launchpadcontent.net/deadsnakes/ppa/x trixie from the repositories"],
  },
  {
    report: "https://github.com/Meituan-Dianping/lyrebird/issues/372",
    name: "a version that is gone",
    said: "E: Version '1:2.20.1-2' for 'git' was not found",
    words: "Version '1:2.20.1-2' for 'git' was not found",
    hint: ["Use git without a version in flats/mlcli_base/Dockerfile"],
  },
  {
    report: "https://github.com/serversideup/docker-php/issues/420",
    name: "an expired repository",
    said: "E: Release file for http://ftp.debian.org/debian/dists/bookworm-updates/InRelease is " +
      "expired (invalid since 3d 21h 3min 17s). Updates for this repository will not be applied.",
    words: "Release file for http://ftp.debian.org/debian/dists/bookworm-updates/InRelease is " +
      "expired (invalid since 3d 21h 3min 17s)",
    hint: ["the clock of the Docker Engine", "apt-get -o Acquire::Check-Valid-Until=false update"],
  },
  {
    report: "https://github.com/Bioconductor/bioconductor_docker/issues/5",
    name: "a clock that is behind",
    said:
      "E: Release file for http://ftp.debian.org/debian/dists/buster-updates/InRelease is not " +
      "valid yet (invalid for another 7d 9h 38min 1s). Updates for this repository will not be applied.",
    words: "Release file for http://ftp.debian.org/debian/dists/buster-updates/InRelease is not " +
      "valid yet (invalid for another 7d 9h 38min 1s)",
    hint: ["Fix the clock of the Docker Engine"],
  },
  {
    report: "https://github.com/schwartzlab-methods/too-many-cells-interactive/pull/24",
    name: "a release that has ended",
    said:
      "Err:2 http://ftp.debian.org/debian buster Release\n  404  Not Found [IP: 151.101.2.132 80]\n" +
      "E: The repository 'http://ftp.debian.org/debian buster Release' does not have a Release file.",
    words:
      "The repository 'http://ftp.debian.org/debian buster Release' does not have a Release file.",
    hint: [
      "Choose a newer base image: the server no longer has http://ftp.debian.org/debian buster",
    ],
  },
];

const RETRYING = "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken by " +
  "'NewConnectionError('<...>: Failed to establish a new connection: [Errno 111]')': /simple/";

const NETWORK: readonly Row[] = [
  {
    name: "a certificate that pip does not trust",
    said:
      "Could not fetch URL https://pypi.org/simple/six/: (Caused by SSLError(SSLCertVerification" +
      "Error(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed\n" +
      absent("six", "none"),
    words: "Could not fetch URL https://pypi.org/simple/six/: (Caused by SSLError(SSLCert" +
      "VerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: self-signed",
    hint: ["certificate_file"],
  },
  {
    name: "a proxy that pip does not get through",
    said: "(Caused by ProxyError('Cannot connect to proxy.', OSError('Tunnel connection ",
    words: "(Caused by ProxyError('Cannot connect to proxy.', OSError('Tunnel connection",
    hint: ["HTTPS_PROXY"],
  },
  {
    name: "an index that asks for a password",
    said: "Looking in indexes: https://pypi.corp/simple\nUser for pypi.corp: ",
    words: "User for pypi.corp:",
    hint: ["~/.netrc"],
  },
  {
    name: "an index that pip does not reach",
    said: `${RETRYING}scikit-lern/\n${absent("scikit-lern", "none")}`,
    words: `${RETRYING}scikit-lern/`,
    hint: ["PIP_INDEX_URL"],
  },
  {
    name: "an index that drops connections",
    said:
      "WARNING: Retrying (Retry(total=4)) after connection broken by 'ConnectTimeoutError(<...>, " +
      `'Connection to pypi.org timed out. (connect timeout=15)')': /simple/numpy/\n${
        absent("numpy", "none")
      }`,
    words:
      "WARNING: Retrying (Retry(total=4)) after connection broken by 'ConnectTimeoutError(<...>, " +
      "'Connection to pypi.org timed out. (connect timeout=15)')': /simple/numpy/",
    hint: ["PIP_INDEX_URL"],
  },
];

suite("buildCause", () => {
  for (
    const { report, name, said, words, hint, quote } of [
      ...PROGRAMS,
      ...VERSIONS,
      ...APT,
      ...NETWORK,
    ]
  ) {
    it(`buildCause explains ${name}${report ? ` (${report})` : ""}`, () => {
      const cause = causeOf(said);
      assertEquals(cause?.words.slice(0, words.length), words);
      if (words.length < 200) assertEquals(cause?.words, words);
      assertEquals(cause?.quote ?? "", quote ?? "");
      for (const part of hint) assertStringIncludes(cause?.hint ?? "", part);
    });
  }

  it("buildCause uses the hint of the network settings only for network causes", () => {
    const networkHint = "Add this line";
    assertEquals(causeOf("CERTIFICATE_VERIFY_FAILED", { networkHint })?.hint, "Add this line");
    const found = causeOf(`${RETRYING}six/\n${absent("scikit-lern", "none")}`, { networkHint });
    assertStringIncludes(found?.hint ?? "", "Did you mean scikit-learn?");
  });

  it("buildCause looks for another cause if pip found the version but could not build it", () => {
    const words = "    Error: pg_config executable not found.\n";
    const said = absent("psycopg2-binary==2.9.1", "2.8, 2.9.1", words);
    assertEquals(causeOf(said)?.words, "pg_config executable not found.");
  });

  it("buildCause names the last missing program, because earlier ones might be optional", () => {
    const said = "unable to execute 'swig': No such file or directory\n" +
      "unable to execute 'gcc': No such file or directory";
    assertStringIncludes(causeOf(said)?.hint ?? "", "build-essential");
  });

  it("buildCause recognizes a quiet apt-get update by the name of the step", () => {
    const name = "[2/9] RUN apt-get -qq update && apt-get install -y x";
    assertStringIncludes(
      causeOf("E: Unable to locate package x", { name })?.hint ?? "",
      "Fix x",
    );
  });

  it("buildCause returns undefined for output without known words", () => {
    for (
      const said of [
        "Traceback\nValueError: no\nfatal error: own.h: No such file",
        // The step went on without git.
        "/bin/sh: 1: git: not found\nBuild failed: exit code: 1",
        // Programs that are not pip.
        "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: https://x.org/y",
        "wget: unable to resolve host address: Temporary failure in name resolution",
        "ERROR: Could not open requirements file: [Errno 13] Permission denied: '/root/r.txt'",
        "make: file: command 'x' failed\nfatal error: linux/compiler.h: No such file",
      ]
    ) assertEquals(causeOf(said), undefined);
  });

  it("buildCause does not take the word of an address for a package", () => {
    const said = "Obtaining file:///app\nerror: command 'gcc' failed: No such file or directory";
    assertEquals(causeOf(said)?.hint.startsWith("Add this line to "), true);
  });

  it("buildCause reads hostile long lines in linear time", () => {
    for (
      const part of [
        "a/",
        "(from ",
        "-r (line ",
        "command '",
        "/run/secrets/",
        "Cannot install ",
        "satisfies the requirement a ",
        "requires a different Python: 3 not in 'a ",
        "Package 'a",
        "E: ",
        "satisfies the requirement aaa (from versions: ",
        "ERROR: Could not find a version that satisfies the requirement aaa (from versions: ",
        "Retrying (Retry",
        "fatal error: a/",
      ]
    ) {
      const words = causeOf(part.repeat(30_000))?.words ?? "";
      assertEquals(words.length < 300, true, words.slice(0, 400));
    }
  });
});
