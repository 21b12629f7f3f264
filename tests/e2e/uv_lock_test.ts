import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp } from "../helpers/app.ts";
import { runToEnd } from "../helpers/container.ts";
import { pipImage, removeImage } from "../helpers/engine.ts";
import { itByPypi, PYPI_TIMEOUT } from "../helpers/pypi.ts";
import { suite } from "../helpers/suite.ts";

const PROJECT = `[project]
name = "flats"
version = "0.1.0"
requires-python = ">=3.9"
dependencies = ["six>=1.16"]

[dependency-groups]
dev = ["toml"]
`;

/** As `uv lock` of uv 0.13.9 wrote it. */
const LOCK = `version = 1
revision = 5
requires-python = ">=3.9"

[[package]]
name = "flats"
version = "0.1.0"
source = { virtual = "." }
dependencies = [
    { name = "six" },
]

[package.dev-dependencies]
dev = [
    { name = "toml" },
]

[package.metadata]
requires-dist = [{ name = "six", specifier = ">=1.16" }]

[package.metadata.requires-dev]
dev = [{ name = "toml" }]

[[package]]
name = "six"
version = "1.17.0"
source = { registry = "https://pypi.org/simple" }
sdist = { url = "https://files.pythonhosted.org/packages/94/e7/b2c673351809dca68a0e064b6af791aa332cf192da575fd474ed7d6f16a2/six-1.17.0.tar.gz", hash = "sha256:ff70335d468e7eb6ec65b95b99d3a2836546063f63acc5171de367e834932a81", size = 34031, upload-time = "2024-12-04T17:35:28.174Z" }
wheels = [
    { url = "https://files.pythonhosted.org/packages/b7/ce/149a00dd41f10bc29e5921b496af8b574d8413afcd5e30dfa0ed46c2cc5e/six-1.17.0-py2.py3-none-any.whl", hash = "sha256:4721f391ed90541fddacab5acf947aa0d3dc7d27b2e1e8eda2be8970586c3274", size = 11050, upload-time = "2024-12-04T17:35:26.475Z" },
]

[[package]]
name = "toml"
version = "0.10.2"
source = { registry = "https://pypi.org/simple" }
sdist = { url = "https://files.pythonhosted.org/packages/be/ba/1f744cdc819428fc6b5084ec34d9b30660f6f9daaf70eead706e3203ec3c/toml-0.10.2.tar.gz", hash = "sha256:b3bda1d108d5dd99f4a20d24d9c348e91c4db7ab1b749200bded2f839ccbe68f", size = 22253, upload-time = "2020-11-01T01:40:22.204Z" }
wheels = [
    { url = "https://files.pythonhosted.org/packages/44/6f/7120676b6d73228c96e17f1f794d8ab046fc910d781c8d151120c3f1569e/toml-0.10.2-py2.py3-none-any.whl", hash = "sha256:806143ae5bfb6a3c6e736a764057db0e6a0e05e338b5630894a5f779cabb4f9b", size = 16588, upload-time = "2020-11-01T01:40:20.672Z" },
]
`;

suite("a project of uv in place of requirements.txt", () => {
  itByPypi(
    "is installed as its uv.lock says, hashes included, and uv is not in the image",
    async () => {
      await using app = await makeApp();
      const write = (files: Readonly<Record<string, string>>) =>
        Promise.all(
          Object.entries(files).map(([name, text]) => app.write(`${app.directory}/${name}`, text)),
        );
      const build = () => app.run(["build", "--base-image", pipImage()], { timeout: PYPI_TIMEOUT });
      await write({ "pyproject.toml": PROJECT, "uv.lock": LOCK });
      const { stdout: made } = await app.run(["init", app.name]);
      assertEquals(made.includes("requirements.txt"), false, made);
      const reference = `${app.name}:latest`;
      try {
        const { code, stderr } = await build();
        assertEquals(code, 0, stderr);
        const { status, log } = await runToEnd({
          Image: reference,
          Entrypoint: ["sh"],
          Cmd: [
            "-c",
            "python3 -m pip list 2> /dev/null | grep -iE '^(six|toml|flats|uv) ' | tr -s ' '; " +
            "ls -A /tmp; command -v uv || echo no uv",
          ],
          Labels: {},
          HostConfig: { AutoRemove: false, NetworkMode: "none", Mounts: [] },
        });
        assertEquals([status, log.replaceAll("\r", "")], [0, "six 1.17.0\nno uv\n"]);

        // Of another content than the lock says.
        await write({ "uv.lock": LOCK.replaceAll(/4721f391|ff70335d/g, "00000000") });
        const changed = await build();
        assertEquals(changed.code, 1, changed.stderr);
        assertMatch(changed.stderr, /THESE PACKAGES DO NOT MATCH THE HASHES/);

        await write({ "uv.lock": LOCK, "pyproject.toml": PROJECT.replace(">=1.16", ">=2") });
        const stale = await build();
        assertEquals(stale.code, 1, stale.stderr);
        assertStringIncludes(
          stale.stderr,
          "mlcli: uv.lock does not match pyproject.toml: run uv lock, then rebuild\n",
        );
      } finally {
        await removeImage(reference);
      }
    },
  );
});
