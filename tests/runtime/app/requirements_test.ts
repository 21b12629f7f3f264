import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { findApp } from "../../../runtime/app/app.ts";
import {
  NO_RULES,
  requirementsOf,
  requirementSources,
  requirementTree,
} from "../../../runtime/app/requirements.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { contextEntries, requirementsPath } from "../../../runtime/image/build_context.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

const PROJECT = { "pyproject.toml": "[project]\n", "uv.lock": "version = 1\n" };
const BOTH = ["pyproject.toml", "uv.lock"];

/** An app with these files; `requirements` is what its configuration says. */
async function appWith(
  files: Readonly<Record<string, string | Uint8Array>>,
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

const FOLDER = ".mlcli-requirements";

/** Text of what the context has in the directory of requirements, links as `-> TARGET`. */
async function folderOf(directory: TestDirectory): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const entry of await contextEntries(await findApp(directory.path, "demo"))) {
    if (!entry.path.startsWith(`${FOLDER}/`)) continue;
    const path = entry.path.slice(FOLDER.length + 1);
    if (entry.type === "file") found[path] = await Deno.readTextFile(entry.source);
    if (entry.type === "symlink") found[path] = `-> ${entry.target}`;
    if (entry.type === "directory") found[`${path}/`] = "";
    if (entry.type === "content") found[path] = new TextDecoder().decode(await entry.read());
  }
  return found;
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
        `uv.lock contains a package that is not on a package index: ${place}`,
      );
    });
  }

  it("is refused without one of its files, or with one that leads elsewhere", async () => {
    await using directory = await appWith({ "uv.lock": "" }, "uv.lock");
    await assertRejects(() => sentOf(directory), MlcliError, "file not found: pyproject.toml");
    await Deno.symlink("/etc/hostname", join(directory.path, "pyproject.toml"));
    await assertRejects(() => sentOf(directory), MlcliError, "pyproject.toml points outside");
  });
});

suite("a requirements file that refers to others", () => {
  it("is sent with all of them, at their places in the app's directory", async () => {
    await using directory = await appWith({
      "deps/prod.txt": "-r nested/base.txt\n-c constraints.txt\n./vendor/x-1.whl\n./lib[extra]\n" +
        "-e edited ; python_version > '3'\n--find-links wheels\n" +
        "scipy==1 --hash=sha256:0\n-r https://example.org/more.txt\n./lib/sub\n",
      "deps/nested/base.txt": "-r ../prod.txt\n--find-links pages.html\nnumpy>=1 # arrays\n",
      "deps/nested/pages.html": "",
      "deps/constraints.txt": "numpy<2\n-r in_constraints.txt\n",
      "deps/in_constraints.txt": "six\n",
      "vendor/x-1.whl": "wheel",
      "vendor/other.whl": "not named",
      "lib/setup.py": "setup",
      "lib/sub/setup.py": "sub",
      "lib/.env": "secret",
      "lib/__pycache__/a.pyc": "ignored",
      "lib/mlcli_base/local_test/data.csv": "test data",
      "edited/setup.py": "edited",
      "wheels/y-1.whl": "y",
      ".dockerignore": "**/__pycache__\n",
    }, "deps/prod.txt");
    await Deno.symlink("setup.py", join(directory.path, "lib/link.py"));
    const { [".mlcli/file"]: file, [".mlcli/packages"]: packages, ...others } = await folderOf(
      directory,
    );
    assertEquals(Object.keys(others).sort(), [
      ...["deps/constraints.txt", "deps/in_constraints.txt", "deps/nested/base.txt"],
      ...["deps/nested/pages.html", "deps/prod.txt", "edited/setup.py", "lib/link.py"],
      ...["lib/mlcli_base/", "lib/setup.py", "lib/sub/", "lib/sub/setup.py"],
      ...["vendor/x-1.whl", "wheels/y-1.whl"],
    ]);
    assertEquals([others["lib/link.py"], others["vendor/x-1.whl"]], ["setup", "wheel"]);
    assertEquals(file, "deps/prod.txt");
    assertEquals(packages?.split("\n"), [
      ...["numpy>=1", "-c numpy<2", "six", "./vendor/x-1.whl", "./lib[extra]"],
      ...["-e edited", "scipy==1", "--requirement https://example.org/more.txt", "./lib/sub", ""],
    ]);
  });

  const alone: readonly (readonly [title: string, text: string | Uint8Array])[] = [
    ["packages", "numpy==1.26 # für\r\nscipy --hash=sha256:0\n--pre\n"],
    ["addresses", "-r https://example.org/x.txt\nx @ git+https://example.org/x\n"],
    ["paths of the image", "/opt/x.whl\n-c /opt/c.txt\nx @ file:///opt/x\n"],
    ["variables", "-r ${WHERE}/x.txt\n./${WHERE}/x.whl\n--find-links ${WHEELS}\n"],
    ["nothing", ""],
  ];
  for (const [title, text] of alone) {
    it(`is sent alone if it names ${title}`, async () => {
      await using directory = await appWith({ "requirements.txt": text });
      const app = await findApp(directory.path, "demo");
      assertEquals(await requirementsPath(app), "requirements.txt");
      assertEquals(await folderOf(directory), {});
    });
  }

  it("is sent as it is in another encoding, with its packages in UTF-8", async () => {
    const bytes = new Uint8Array(new Uint16Array([0xfeff, 0x61, 0xa]).buffer);
    await using directory = await appWith({ "requirements.txt": bytes });
    assertEquals(await requirementsPath(await findApp(directory.path, "demo")), FOLDER);
    assertEquals((await folderOf(directory))[".mlcli/packages"], "a\n");
    assertEquals((await sentOf(directory))[`${FOLDER}/requirements.txt`], "requirements.txt");
    assertEquals(await Deno.readFile(join(directory.path, "requirements.txt")), bytes);
  });

  it("is refused with more than 1,000 references", async () => {
    await using directory = await appWith({
      "a.txt": "",
      "requirements.txt": "-r a.txt\n".repeat(1_001),
    });
    const app = await findApp(directory.path, "demo");
    const error = await assertRejects(() => requirementSources(app), MlcliError);
    assertEquals(error.message, "requirements.txt refers to more than 1000 files");
    await Deno.writeTextFile(join(directory.path, "requirements.txt"), "-r a.txt\n".repeat(1_000));
    assertEquals((await requirementSources(app)).length, 2);
  });

  it("has no lines if it is larger than 4 MiB", async () => {
    await using directory = await appWith({ "requirements.txt": "a==1\n".repeat(900_000) });
    const { files } = await requirementTree({
      directory: directory.path,
      boundary: directory.path,
      owner: "app",
      rules: NO_RULES,
    }, "requirements.txt");
    assertEquals(files.get("requirements.txt"), []);
  });

  it("is listed by build --dry-run with what it refers to", async () => {
    await using directory = await appWith({ "requirements.txt": "./lib\n", "lib/setup.py": "x" });
    const { code, stdout, stderr } = await runInProcess(
      ["build", "--dry-run", "--output", "json"],
      { cwd: directory.path },
    );
    assertEquals(code, 0, stderr);
    const paths = JSON.parse(stdout).send.map(({ path }: { path: string }) => path);
    assertEquals(paths.filter((path: string) => path.startsWith(FOLDER)), [
      ...[`${FOLDER}/requirements.txt`, `${FOLDER}/lib/setup.py`],
      ...[`${FOLDER}/.mlcli/file`, `${FOLDER}/.mlcli/packages`],
    ]);
  });

  it("is not checked for a Dockerfile with a context of its own", async () => {
    await using directory = await appWith({
      "requirements.txt": "-e .\n",
      "own/Dockerfile": "FROM x",
    });
    const { code, stderr } = await runInProcess(
      ["build", "--dry-run", "--context", "own"],
      { cwd: directory.path },
    );
    assertEquals(code, 0, stderr);
  });

  it("makes an image old with each file that it refers to", async () => {
    await using directory = await appWith({
      "requirements.txt": "-r base.txt\n./lib\n../missing\n",
      "base.txt": "",
      "lib/setup.py": "",
      "lib/src/a.py": "",
    });
    const sources = await requirementSources(await findApp(directory.path, "demo"));
    const expected = ["base.txt", "lib/setup.py", "lib/src/a.py", "requirements.txt"];
    assertEquals([...sources].sort(), expected.map((path) => join(directory.path, path)));
  });

  type Refused = readonly [lines: string, message: string, hint: string];
  const OWN =
    "Remove the line: the image contains the app's code anyway. Put a package into a subdirectory, such as ./lib.";
  const refused: readonly Refused[] = [
    [
      "six\n\n../lib",
      "requirements.txt, line 3: ../lib is outside the app's directory",
      "Copy it into the app's directory and use the path of the copy",
    ],
    [
      "-r deps/up.txt",
      "deps/up.txt, line 1: ../../x.txt is outside the app's directory",
      "Copy it",
    ],
    [".", "requirements.txt, line 1: . is the app's directory itself", OWN],
    ["-e .[dev]", "requirements.txt, line 1: . is the app's directory itself", OWN],
    ["file:./", "requirements.txt, line 1: ./ is the app's directory itself", OWN],
    // https://github.com/pypa/pip/issues/6112
    ["-r deps/editable.txt", "deps/editable.txt, line 1: . is the app's directory itself", OWN],
    [
      "six \\\n  \n-c none.txt",
      "requirements.txt, line 3: none.txt does not exist",
      "Create it, or fix its path, which is relative to the app's directory",
    ],
    [
      "-r deps/none.txt",
      "deps/none.txt, line 1: more.txt does not exist",
      "Create it, or fix its path, which is relative to deps",
    ],
    // https://github.com/pypa/pip/issues/8765
    [
      "-r deps/local.txt",
      "deps/local.txt, line 1: ./pkga does not exist",
      "Create it, or fix its path, which is relative to the app's directory",
    ],
    // https://github.com/bentoml/BentoML/issues/1318
    [
      "./bundled_pip_dependencies/*",
      "requirements.txt, line 1: ./bundled_pip_dependencies/* does not exist",
      "Create it,",
    ],
    [
      "./.env/x.whl",
      "requirements.txt, line 1: ./.env/x.whl is private",
      "To send it anyway, add the line !.env",
    ],
    ["-r to_key.txt", "requirements.txt, line 1: to_key.txt is private", "To send it anyway, add "],
    ["-c deps/x.key", "requirements.txt, line 1: deps/x.key is private", "To send it anyway, add "],
    // https://github.com/mlflow/mlflow/issues/1793
    [
      "-r travis/small-requirements.txt",
      "requirements.txt, line 1: travis/small-requirements.txt is excluded by .dockerignore",
      "To send it anyway, add the line !travis/small-requirements.txt to the end of .dockerignore",
    ],
    [
      "./travis",
      "requirements.txt, line 1: ./travis is excluded by .dockerignore",
      "To send it anyway, add the line !travis",
    ],
    [
      "./demo/mlcli_base/local_test/x.whl",
      "requirements.txt, line 1: ./demo/mlcli_base/local_test/x.whl is test data, which mlcli never sends to a build",
      "Move it out of mlcli_base/local_test",
    ],
    ["./to_test", "requirements.txt, line 1: ./to_test is test data", "Move it out of mlcli_base/"],
    [
      "./to_etc",
      "requirements.txt, line 1: ./to_etc points outside ",
      "Replace the link with the file",
    ],
  ];
  for (const [lines, message, hint] of refused) {
    it(`is refused before the build with ${JSON.stringify(lines)}`, async () => {
      await using directory = await appWith({
        "requirements.txt": lines,
        "deps/up.txt": "-r ../../x.txt\n",
        "deps/editable.txt": "-e .\n",
        "deps/none.txt": "-r more.txt\n",
        "deps/local.txt": "./pkga\n",
        "deps/pkga/setup.py": "",
        "deps/x.key": "-----BEGIN PRIVATE KEY-----\n",
        ".env/x.whl": "",
        "travis/small-requirements.txt": "",
        "demo/mlcli_base/local_test/x.whl": "",
        ".dockerignore": "travis\n",
      });
      await Deno.symlink("/etc", join(directory.path, "to_etc"));
      await Deno.symlink("demo/mlcli_base/local_test", join(directory.path, "to_test"));
      await Deno.symlink("deps/x.key", join(directory.path, "to_key.txt"));
      const error = await assertRejects(() => sentOf(directory), MlcliError);
      assertEquals(error.message.slice(0, message.length), message);
      assertEquals(error.hint?.slice(0, hint.length), hint);
    });
  }

  it("takes what .dockerignore brings back, and what links in the directory lead to", async () => {
    await using directory = await appWith({
      "requirements.txt": "./lib\n-r .env/x.txt\n./linked\n",
      "lib/setup.py": "",
      "lib/data.csv": "",
      ".env/x.txt": "",
      "shared/setup.py": "shared",
      ".dockerignore": "*\n!lib/setup.py\n!.env\n!linked\n",
    });
    await Deno.symlink("shared", join(directory.path, "linked"));
    assertEquals(Object.keys(await folderOf(directory)).sort(), [
      ...[".env/x.txt", ".mlcli/file", ".mlcli/packages", "lib/setup.py", "linked/setup.py"],
      "requirements.txt",
    ]);
  });
});
