import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { copyTree } from "../../../../runtime/files.ts";
import { copyCode, makeInput } from "../../../../runtime/local/runs/working_copy.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

const BASE = "demo/mlcli_base";

suite("the code of a run", () => {
  async function copied(
    files: Readonly<Record<string, string>>,
    prepare = async (_: string) => {},
  ) {
    const directory = await makeDirectory({ [`${BASE}/training/a.py`]: "1", "run/": "", ...files });
    const layout = appObject(directory.path, "demo").paths;
    await prepare(layout.training);
    const { messages, err } = fakeContext();
    const mounted = { codeFolder: layout.training, commonFolder: undefined };
    const run = join(directory.path, "run");
    const code = await copyCode(layout, run, mounted, messages);
    return { directory, layout, run, code, said: err.text };
  }

  it("the code is a copy that each reader can write to, and the app's code stays unchanged", async () => {
    const { directory, layout, run, code, said } = await copied({
      [`${BASE}/training/deep/b.sh`]: "2",
      [`${BASE}/training/deep/closed`]: "3",
      [`${BASE}/training/__pycache__/a.pyc`]: "",
      [`${BASE}/training/.env`]: "A=1",
    }, async (training) => {
      await Deno.chmod(join(training, "deep/b.sh"), 0o755);
      await Deno.chmod(join(training, "deep/closed"), 0o700);
      await Deno.symlink("a.py", join(training, "link"));
      await Deno.symlink(".", join(training, "around"));
    });
    await using _ = directory;
    const copy = join(run, "code");
    assertEquals(code, { codeFolder: copy, commonFolder: undefined, isWritable: true });
    assertEquals(said, "");
    assertEquals(await namesIn(copy), [".env", "a.py", "around", "deep", "link"]);
    assertEquals(Deno.lstatSync(join(copy, "link")).isFile, true);
    assertEquals(await Deno.readLink(join(copy, "around")), ".");
    const modes = ["", "a.py", "deep", "deep/b.sh", "deep/closed"].map((path) =>
      Deno.statSync(join(copy, path)).mode! & 0o777
    );
    assertEquals(modes, [0o777, 0o666, 0o777, 0o777, 0o700]);
    await Deno.writeTextFile(join(copy, "a.py"), "changed");
    assertEquals(await Deno.readTextFile(join(layout.training, "a.py")), "1");
  });

  // https://github.com/aws/sagemaker-python-sdk/issues/2337, and the opposite wish for links that lead
  // out: https://github.com/aws/sagemaker-python-sdk/pull/5906
  for (
    const { to, words } of [
      { to: "/etc/hostname", words: /training\/lib\.py points outside .*, to \/etc\/hostname$/ },
      {
        to: "../gone.py",
        words: /training\/lib\.py points to \.\.\/gone\.py, which does not exist$/,
      },
    ]
  ) {
    it(`fails for a link to ${to}`, async () => {
      const error = await assertRejects(
        () => copied({}, (training) => Deno.symlink(to, join(training, "lib.py"))),
        MlcliError,
      );
      assertMatch(error.message, words);
    });
  }

  // https://github.com/aws/aws-cli/issues/7072
  it("has links as they are that a build leaves out, and those to test data", async () => {
    const data = `${BASE}/local_test/test_dir/input/data`;
    const { directory, run } = await copied(
      { ".dockerignore": "**/scratch\n", [`${data}/training/x.csv`]: "1", "venv/x": "" },
      async (training) => {
        await Deno.symlink("/nowhere", join(training, "scratch"));
        await Deno.symlink("../../../.env", join(training, ".env"));
        await Deno.symlink("../local_test/test_dir/input/data", join(training, "data"));
      },
    );
    await using _ = directory;
    assertEquals(
      await Promise.all(
        ["scratch", ".env", "data"].map((name) => Deno.readLink(join(run, "code", name))),
      ),
      ["/nowhere", "../../../.env", "../local_test/test_dir/input/data"],
    );
  });

  it("the copy has common/ beside it", async () => {
    await using directory = await makeDirectory({
      [`${BASE}/training/a.py`]: "1",
      [`${BASE}/common/b.py`]: "2",
      "run/": "",
    });
    const layout = appObject(directory.path, "demo").paths;
    const run = join(directory.path, "run");
    const mounted = { codeFolder: undefined, commonFolder: layout.common };
    const code = await copyCode(layout, run, mounted, fakeContext().messages);
    assertEquals(code.codeFolder, undefined);
    assertEquals(await namesIn(code.commonFolder!), ["b.py"]);
  });

  it("code that is too large to copy is mounted read-only, with a note", async () => {
    const { directory, layout, code, said } = await copied({}, async (training) => {
      // Without a block on the disk.
      using file = await Deno.open(join(training, "large"), { write: true, create: true });
      await file.truncate(256 * 1024 ** 2);
    });
    await using _ = directory;
    const mounted = { codeFolder: layout.training, commonFolder: undefined };
    assertEquals(code, { ...mounted, isWritable: false });
    assertMatch(said, /^note: Mounted demo\/mlcli_base\/training\/ read-only: too large .*\n$/);
  });
});

suite("the input of a run", () => {
  const INPUT = `${BASE}/local_test/test_dir/input`;
  const FILES = {
    [`${INPUT}/config/own.json`]: "{}",
    [`${INPUT}/words.txt`]: "a",
    [`${INPUT}/data/training/a.csv`]: "1",
    [`${INPUT}/data/processing/p.csv`]: "2",
    [`${INPUT}/data/notes.txt`]: "3",
    [`${INPUT}/data/.gitkeep`]: "",
    "run/": "",
  };

  async function made(
    options: { copies: boolean; isStrict: boolean },
    more: Readonly<Record<string, string>> = {},
  ) {
    const directory = await makeDirectory({ ...FILES, ...more });
    const layout = appObject(directory.path, "demo").paths;
    await Deno.symlink("words.txt", join(layout.input, "link"));
    const input = join(directory.path, "run/input");
    const channels = [{
      name: "training",
      source: join(layout.inputData, "training"),
      mounts: [],
    }];
    const { mounts, left } = await makeInput(layout, input, channels, options);
    return { directory, input, paths: mounts.map(({ path }) => path), left };
  }

  it("has a place for each channel, and for what else lies there", async () => {
    const { directory, input, paths } = await made({ copies: false, isStrict: false });
    await using _ = directory;
    assertEquals(paths, [
      "data/training",
      "link",
      "words.txt",
      "data/notes.txt",
      "data/processing",
    ]);
    assertEquals(await namesIn(input), ["data", "link", "words.txt"]);
    assertEquals(await namesIn(join(input, "data")), ["notes.txt", "processing", "training"]);
  });

  it("has the channels alone under --strict", async () => {
    const { directory, input, paths } = await made({ copies: false, isStrict: true });
    await using _ = directory;
    assertEquals([paths, await namesIn(join(input, "data"))], [["data/training"], ["training"]]);
  });

  it("has a copy of the channels where the code is to write to them", async () => {
    const { directory, input, paths } = await made({ copies: true, isStrict: true });
    await using _ = directory;
    assertEquals(paths, []);
    assertEquals(await Deno.readTextFile(join(input, "data/training/a.csv")), "1");
  });

  it("is not copied into itself, where a channel is a directory around the run's", async () => {
    await using directory = await makeDirectory(FILES);
    await copyTree(directory.path, join(directory.path, "run/copy"));
    assertEquals(await namesIn(join(directory.path, "run/copy/run")), []);
  });

  it("has no more than a hundred others", async () => {
    const more = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [`${INPUT}/data/file-${index}`, ""]),
    );
    const { directory, paths, left } = await made({ copies: false, isStrict: false }, more);
    await using _ = directory;
    assertEquals([paths.length, left], [1 + 100, 24]);
  });
});
