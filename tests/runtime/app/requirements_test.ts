import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { findApp } from "../../../runtime/app/app.ts";
import { requirementsOf } from "../../../runtime/app/requirements.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { contextEntries, requirementsPath } from "../../../runtime/image/build_context.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const PROJECT = { "pyproject.toml": "[project]\n", "uv.lock": "version = 1\n" };
const BOTH = ["pyproject.toml", "uv.lock"];

/** An app with these files; `requirements` is what its configuration says. */
async function appWith(
  files: Readonly<Record<string, string>>,
  requirements?: string,
): Promise<TestDirectory> {
  return await makeDirectory({
    "demo.json": JSON.stringify({ requirements }),
    "demo/mlcli_base/Dockerfile": "FROM x\n",
    ...files,
  });
}

/** Where the context has files from, by their paths there; what is mlcli's own apart. */
async function sentOf(directory: TestDirectory): Promise<Record<string, string>> {
  const sources: Record<string, string> = {};
  for await (const entry of await contextEntries(await findApp(directory.path, "demo"))) {
    if (entry.type === "file") sources[entry.path] = entry.shown;
  }
  return sources;
}

suite("requirementsOf", () => {
  type Row = readonly [
    files: Readonly<Record<string, string>>,
    configured: string | undefined,
    expected: readonly string[],
  ];
  const rows: readonly Row[] = [
    [{ "requirements.txt": "" }, undefined, ["requirements.txt"]],
    [{}, undefined, ["requirements.txt"]],
    [{ ...PROJECT, "requirements.txt": "" }, undefined, ["requirements.txt"]],
    [PROJECT, undefined, BOTH],
    [PROJECT, "requirements.txt", BOTH],
    [PROJECT, "other.txt", ["other.txt"]],
    [{ "pyproject.toml": "" }, undefined, ["requirements.txt"]],
    [{ ...PROJECT, "requirements.txt": "" }, "uv.lock", BOTH],
    [{}, "./deps/pyproject.toml", ["deps/pyproject.toml", "deps/uv.lock"]],
  ];
  for (const [files, configured, expected] of rows) {
    it(`${Object.keys(files).join(", ") || "nothing"}; configured: ${configured}`, async () => {
      await using directory = await appWith(files, configured);
      const app = await findApp(directory.path, "demo");
      assertEquals(await requirementsOf(app), { files: expected, isLock: expected.length === 2 });
    });
  }
});

suite("a project of uv in the build context", () => {
  it("is a directory with its two files, which the Dockerfile copies as the requirements", async () => {
    await using directory = await appWith({
      "deps/pyproject.toml": "[project]\n",
      "deps/uv.lock": 'source = { registry = "https://pypi.org/simple" }\n' +
        'source = { virtual = "." }\n',
      ".dockerignore": "*\n",
    }, "deps/uv.lock");
    assertEquals(
      await requirementsPath(await findApp(directory.path, "demo")),
      ".mlcli-requirements",
    );
    assertEquals(await sentOf(directory), {
      ".dockerignore": ".dockerignore",
      ".mlcli-requirements/pyproject.toml": "deps/pyproject.toml",
      ".mlcli-requirements/uv.lock": "deps/uv.lock",
      "demo/mlcli_base/Dockerfile": "demo/mlcli_base/Dockerfile",
      "deps/pyproject.toml": "deps/pyproject.toml",
      "deps/uv.lock": "deps/uv.lock",
    });
  });

  for (
    const [source, place] of [
      ['{ editable = "libs/features" }', "libs/features"],
      ['{ editable = ".." }', ".."],
      ['{ directory = "../own" }', "../own"],
      ['{ path = "wheels/a-1-py3-none-any.whl" }', "wheels/a-1-py3-none-any.whl"],
      ['{ git = "https://example.org/a?rev=v1#0123" }', "https://example.org/a?rev=v1#0123"],
      ['{ url = "https://example.org/a-1.whl" }', "https://example.org/a-1.whl"],
    ] as const
  ) {
    it(`is refused with a package of ${source}`, async () => {
      await using directory = await appWith({
        ...PROJECT,
        "uv.lock": `[[package]]\nname = "a"\nsource = ${source}\n`,
      });
      await assertRejects(
        () => sentOf(directory),
        MlcliError,
        `uv.lock names a package that is on no index: ${place}`,
      );
    });
  }

  it("is refused without one of its files, or with one that leads elsewhere", async () => {
    await using directory = await appWith({ "uv.lock": "" }, "uv.lock");
    await assertRejects(() => sentOf(directory), MlcliError, "file not found: pyproject.toml");
    await Deno.symlink("/etc/hostname", join(directory.path, "pyproject.toml"));
    await assertRejects(() => sentOf(directory), MlcliError, "pyproject.toml leads out of");
  });
});
