import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { Interrupted, MlcliError } from "../../../runtime/errors.ts";
import { type ModelFiles, modelFiles } from "../../../runtime/model/files.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const SIGNAL = new AbortController().signal;

function filesOf({ path }: TestDirectory): Promise<ModelFiles> {
  return modelFiles(join(path, "model"), "my/model", SIGNAL);
}

async function refused(prepare: (model: string) => unknown): Promise<MlcliError> {
  await using directory = await makeDirectory({ "model/m": "1", "outside/secret": "s" });
  await prepare(join(directory.path, "model"));
  const error = await assertRejects(() => filesOf(directory), MlcliError);
  assertEquals(error.hint !== undefined, true, "a hint");
  return error;
}

suite("the files of a model", () => {
  it("come in one order, directories before what is in them, empty ones too", async () => {
    await using directory = await makeDirectory({
      "model/b/2": "22",
      "model/b/10": "1",
      "model/B": "",
      "model/a": "a",
      "model/empty/": "",
      "model/.hidden": "h",
    });
    const { entries, bytes, files } = await filesOf(directory);
    assertEquals(entries.map(({ type, path }) => type === "directory" ? `${path}/` : path), [
      ".hidden",
      "B",
      "a",
      "b/",
      "b/10",
      "b/2",
      "empty/",
    ]);
    assertEquals([bytes, files], [5, 5]);
  });

  it("are without placeholders, and without what is private, which is told", async () => {
    await using directory = await makeDirectory({
      "model/m": "m",
      "model/.gitkeep": "",
      "model/x/.DS_Store": "",
      "model/.env": "KEY=secret",
      "model/.env.example": "KEY=",
      "model/.ssh/id_rsa": "k",
      "model/x/server.pem": "-----BEGIN RSA PRIVATE KEY-----\n",
      "model/x/ca.pem": "-----BEGIN CERTIFICATE-----\n",
    });
    await Deno.symlink("../.env", join(directory.path, "model/x/link"));
    const { entries, privateFiles } = await filesOf(directory);
    assertEquals(entries.map(({ path }) => path), [".env.example", "m", "x", "x/ca.pem"]);
    assertEquals(privateFiles, [
      "my/model/.env",
      "my/model/.ssh",
      "my/model/x/link",
      "my/model/x/server.pem",
    ]);
  });

  it("are without what macOS and notebooks leave behind, at any depth", async () => {
    // https://github.com/pytorch/serve/issues/3104: a server that failed to load `._model.pkl`.
    await using directory = await makeDirectory({
      "model/model.pkl": "m",
      "model/._model.pkl": "x",
      "model/1_Pooling/config.json": "{}",
      "model/1_Pooling/._config.json": "x",
      "model/1_Pooling/__MACOSX/1_Pooling/._config.json": "x",
      "model/code/.ipynb_checkpoints/inference-checkpoint.py": "x",
      "model/code/Thumbs.db": "x",
    });
    const { entries, privateFiles } = await filesOf(directory);
    assertEquals(entries.map(({ path }) => path), [
      ...["1_Pooling", "1_Pooling/config.json", "code", "model.pkl"],
    ]);
    assertEquals(privateFiles, []);
  });

  it("are what links in the directory lead to", async () => {
    await using directory = await makeDirectory({ "model/blobs/1": "one", "model/d/x": "x" });
    const model = join(directory.path, "model");
    await Deno.symlink("blobs/1", join(model, "best"));
    await Deno.symlink(join(model, "d"), join(model, "also"));
    await Deno.symlink("../best", join(model, "blobs/again"));
    const { entries, bytes } = await filesOf(directory);
    assertEquals(entries.map(({ type, path }) => `${type} ${path}`), [
      "directory also",
      "file also/x",
      "file best",
      "directory blobs",
      "file blobs/1",
      "file blobs/again",
      "directory d",
      "file d/x",
    ]);
    assertEquals(bytes, 11);
  });

  it("are those of a directory that a link leads to", async () => {
    await using directory = await makeDirectory({ "there/m": "m" });
    await Deno.symlink("there", join(directory.path, "model"));
    assertEquals((await filesOf(directory)).entries.map(({ path }) => path), ["m"]);
  });

  for (
    const [what, prepare, words] of [
      [
        "a link out of the directory",
        (model: string) => Deno.symlink("../outside/secret", join(model, "link")),
        /^my\/model\/link points outside .*\/model, to .*\/outside\/secret$/,
      ],
      [
        "a link to a directory outside",
        (model: string) => Deno.symlink("/etc", join(model, "link")),
        /^my\/model\/link points outside .*\/model, to \/etc$/,
      ],
      [
        "a link to nothing",
        (model: string) => Deno.symlink("nothing", join(model, "link")),
        /^my\/model\/link points to nothing, which does not exist$/,
      ],
      [
        "a circle",
        async (model: string) => {
          await Deno.mkdir(join(model, "a"));
          await Deno.symlink("..", join(model, "a/up"));
        },
        /^my\/model\/a\/up forms a loop with .*\/model$/,
      ],
      [
        "a circle of one link",
        (model: string) => Deno.symlink("self", join(model, "self")),
        /^my\/model\/self points to itself$/,
      ],
      [
        "a pipe",
        (model: string) => new Deno.Command("mkfifo", { args: [join(model, "pipe")] }).output(),
        /^my\/model\/pipe is not a file or directory$/,
      ],
      [
        "a link to a device",
        (model: string) => Deno.symlink("/dev/zero", join(model, "zeros")),
        /^my\/model\/zeros points outside .*\/model, to \/dev\/zero$/,
      ],
    ] as const
  ) {
    it(`are refused with ${what}`, async () => {
      assertMatch((await refused(prepare)).message, words);
    });
  }

  it("are refused with a socket, and shown in one line", async () => {
    await using directory = await makeDirectory({ "model/m": "" });
    const path = join(directory.path, "model", "so\ncket");
    using _listener = Deno.listen({ transport: "unix", path });
    const error = await assertRejects(() => filesOf(directory), MlcliError);
    assertEquals(error.message, "my/model/so?cket is not a file or directory");
  });

  it("are refused where one has changed since", async () => {
    await using directory = await makeDirectory({ "model/m": "1", "model/n": "2" });
    const files = await filesOf(directory);
    await files.requireUnchanged();
    await Deno.writeTextFile(join(directory.path, "model/n"), "another");
    const error = await assertRejects(() => files.requireUnchanged(), MlcliError);
    assertEquals(error.message, "my/model/n changed while it was being packed");
  });

  it("are refused where one was written again, of the same size", async () => {
    await using directory = await makeDirectory({ "model/m": "1", "model/n": "2" });
    const files = await filesOf(directory);
    await Deno.writeTextFile(join(directory.path, "model/n"), "3");
    await Deno.utime(join(directory.path, "model/n"), 1, 1);
    await assertRejects(() => files.requireUnchanged(), MlcliError, "my/model/n changed while");
  });

  it("are not gone through after Ctrl-C", async () => {
    await using directory = await makeDirectory({ "model/m": "1" });
    const signal = AbortSignal.abort(new Interrupted("SIGINT"));
    await assertRejects(
      () => modelFiles(join(directory.path, "model"), "model", signal),
      Interrupted,
    );
  });
});
