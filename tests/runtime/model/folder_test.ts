import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { basename, dirname, join, relative } from "@std/path";
import { type Layout, layoutOf } from "../../../runtime/app/layout.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import {
  type Ending,
  finishMove,
  finishSwap,
  idOf,
  modelFolderOf,
  openLikeModel,
  settleModel,
} from "../../../runtime/model/folder.ts";
import { appObject } from "../../helpers/app_object.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const RUN = "mlcli-demo-train-0badcafe";
const FOLDER = `.model-${RUN}`;

/** Files below `test_dir`: path to content; a path that ends in a slash is an empty directory. */
type Files = Readonly<Record<string, string>>;

/** Calls `work` with a layout that has these files. */
async function withFiles(
  files: Files,
  work: (layout: Layout, path: (name: string) => string) => Promise<void>,
): Promise<void> {
  await using directory = await makeDirectory();
  const layout = layoutOf(appObject(directory.path, "demo"));
  await Deno.mkdir(layout.testDirectory, { recursive: true });
  await write(layout.testDirectory, files);
  await work(layout, (name) => join(layout.testDirectory, name));
}

async function write(directory: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await Deno.mkdir(name.endsWith("/") ? path : dirname(path), { recursive: true });
    if (!name.endsWith("/")) await Deno.writeTextFile(path, content);
  }
}

/** All files below a directory, and its empty directories. */
async function filesIn(directory: string, root = directory): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = join(directory, name);
    const shown = relative(root, path);
    if (!isDirectory) {
      found[shown] = await Deno.readTextFile(path);
      continue;
    }
    const inner = await filesIn(path, root);
    Object.assign(found, Object.keys(inner).length === 0 ? { [`${shown}/`]: "" } : inner);
  }
  return found;
}

const never = () => Promise.resolve(false);

/** What is there, as it was before a run. */
const EARLIER: Files = { "model/m": "old", "model/.gitkeep": "" };
const WRITTEN: Files = { [`${FOLDER}/m`]: "new", [`${FOLDER}/deep/n`]: "too" };
const EMPTY: Files = { [`${FOLDER}/`]: "" };

suite("settleModel", () => {
  type Row = readonly [
    title: string,
    before: Files,
    Ending,
    after: Files,
    said: RegExp | undefined,
  ];
  const rows: readonly Row[] = [
    [
      "puts a model in the place of the earlier one",
      { ...EARLIER, ...WRITTEN },
      "succeeded",
      { "model/m": "new", "model/deep/n": "too", "model/.gitkeep": "" },
      undefined,
    ],
    [
      "puts a model where none was",
      WRITTEN,
      "succeeded",
      { "model/m": "new", "model/deep/n": "too" },
      undefined,
    ],
    [
      "keeps what the run wrote itself of what is carried over",
      { ...EARLIER, [`${FOLDER}/m`]: "new", [`${FOLDER}/.gitkeep`]: "its own" },
      "succeeded",
      { "model/m": "new", "model/.gitkeep": "its own" },
      undefined,
    ],
    [
      "leaves model/ empty when nothing was written, and keeps the earlier model",
      { ...EARLIER, ...EMPTY, "model.previous/m": "older" },
      "succeeded",
      { "model/.gitkeep": "", "model.previous/m": "old", "model.previous/.gitkeep": "" },
      /^The training wrote no file to \/opt\/ml\/model .*model\.previous now/,
    ],
    [
      "says that nothing was written where there was nothing before",
      { "model/.gitkeep": "", ...EMPTY },
      "succeeded",
      { "model/.gitkeep": "" },
      /^The training wrote no file .*train\(\) gets second/,
    ],
    [
      "counts directories and what keeps them for nothing",
      { ...EARLIER, [`${FOLDER}/deep/.gitkeep`]: "" },
      "succeeded",
      {
        "model/.gitkeep": "",
        "model/deep/.gitkeep": "",
        "model.previous/m": "old",
        "model.previous/.gitkeep": "",
      },
      /model\.previous now/,
    ],
    [
      "keeps the last failed run's model aside",
      { ...EARLIER, ...WRITTEN, "model.failed/m": "older", "model.failed/x": "" },
      "failed",
      { ...EARLIER, "model.failed/m": "new", "model.failed/deep/n": "too" },
      /^The model of this run is in .*model\.failed; .*model is as it was$/,
    ],
    [
      "leaves nothing of a failed run that wrote nothing",
      { ...EARLIER, ...EMPTY, "model.failed/m": "older" },
      "failed",
      { ...EARLIER, "model.failed/m": "older" },
      undefined,
    ],
    [
      "takes what a stopped run wrote",
      { ...EARLIER, ...WRITTEN },
      "stopped",
      { "model/m": "new", "model/deep/n": "too", "model/.gitkeep": "" },
      /\/model is what this run had written when it was stopped$/,
    ],
    [
      "keeps the earlier model when a stopped run wrote nothing",
      { ...EARLIER, ...EMPTY },
      "stopped",
      EARLIER,
      undefined,
    ],
  ];
  for (const [title, before, ending, after, said] of rows) {
    it(title, () =>
      withFiles(before, async (layout) => {
        const folder = await Deno.realPath(modelFolderOf(layout, RUN));
        const { difference, note, moved } = await settleModel(
          layout,
          modelFolderOf(layout, RUN),
          ending,
          never,
        );
        // What was written is where it says.
        const isWritten = before[`${FOLDER}/m`] !== undefined;
        assertEquals(moved !== undefined, isWritten);
        if (moved) assertEquals([moved[0], after[`${basename(moved[1])}/m`]], [folder, "new"]);
        const text = difference ? `${difference.message} ${difference.hint}` : note;
        assertEquals(said === undefined, text === undefined, text);
        if (said) assert(said.test(text!), text);
        assertEquals(await filesIn(layout.testDirectory), after);
      }));
  }

  it("leaves the earlier model where writing none is a failure (--strict)", () =>
    withFiles({ ...EARLIER, ...EMPTY }, async (layout) => {
      const folder = modelFolderOf(layout, RUN);
      const { difference } = await settleModel(layout, folder, "succeeded", never, true);
      assertStringIncludes(difference!.message, "wrote no file");
      assertEquals(await filesIn(layout.testDirectory), EARLIER);
    }));

  it("does not say that nothing was written where the run's directory is gone", async () => {
    for (const ending of ["succeeded", "stopped"] as const) {
      await withFiles(EARLIER, async (layout) => {
        const error = await assertRejects(
          () => settleModel(layout, modelFolderOf(layout, RUN), ending, never),
          MlcliError,
          "The directory with the model of this run is gone",
        );
        assertStringIncludes(error.hint ?? "", "Was the app moved");
        assertEquals(await filesIn(layout.testDirectory), EARLIER);
      });
    }
  });

  it("keeps the directory that a server uses, and no other", async () => {
    for (const isUsed of [true, false]) {
      await withFiles({ ...EARLIER, ...WRITTEN }, async (layout, path) => {
        const id = await idOf(layout.model);
        const asked: string[] = [];
        await settleModel(layout, modelFolderOf(layout, RUN), "succeeded", (id) => {
          asked.push(id);
          return Promise.resolve(isUsed);
        });
        assertEquals(asked, [id]);
        assertEquals(await Deno.readTextFile(path("model/m")), "new");
        const old = await Deno.readTextFile(path(`${FOLDER}.old/m`)).catch(() => undefined);
        assertEquals(old, isUsed ? "old" : undefined);
      });
    }
  });

  it("keeps it, too, where the engine does not say", () =>
    withFiles({ ...EARLIER, ...WRITTEN }, async (layout, path) => {
      const fails = () => Promise.reject(new MlcliError("gone"));
      await settleModel(layout, modelFolderOf(layout, RUN), "succeeded", fails);
      assertEquals(await Deno.readTextFile(path(`${FOLDER}.old/m`)), "old");
    }));

  it("keeps what a server uses where another run of the app is as fast", async () => {
    for (const isUsed of [true, false]) {
      await withFiles({ ...EARLIER, ...WRITTEN }, async (layout, path) => {
        const earlier = await idOf(layout.model);
        const other = `${FOLDER.slice(0, -1)}f`;
        await write(layout.testDirectory, { [`${other}/m`]: "other" });
        // Between the two renames of this run, the other one puts its model in place.
        const rename = Deno.rename;
        let renames = 0;
        Deno.rename = async (from, to) => {
          if (++renames === 2) await rename(path(other), layout.model);
          return await rename(from, to);
        };
        try {
          await settleModel(
            layout,
            modelFolderOf(layout, RUN),
            "succeeded",
            (id) => Promise.resolve(isUsed && id === earlier),
          );
        } finally {
          Deno.rename = rename;
        }
        assertEquals(await Deno.readTextFile(path("model/m")), "new");
        const found = await names(layout);
        const kept = found.filter((name) => name !== "model");
        assertEquals(kept.length, isUsed ? 1 : 0, String(found));
        if (!isUsed) return;
        assertEquals(kept[0]!.endsWith(".old"), true);
        assertEquals(await Deno.readTextFile(path(`${kept[0]}/m`)), "old");
      });
    }
  });

  it("finds its work done where another command has finished it", () =>
    withFiles({ ...EARLIER, ...WRITTEN }, async (layout, path) => {
      const rename = Deno.rename;
      let renames = 0;
      Deno.rename = async (from, to) => {
        if (++renames === 2) await rename(path(FOLDER), layout.model);
        return await rename(from, to);
      };
      try {
        await settleModel(layout, modelFolderOf(layout, RUN), "succeeded", never);
      } finally {
        Deno.rename = rename;
      }
      assertEquals(await filesIn(layout.testDirectory), {
        "model/m": "new",
        "model/deep/n": "too",
        "model/.gitkeep": "",
      });
    }));

  it("removes a link in the place of model.failed, not what it leads to", () =>
    withFiles({ ...EARLIER, ...WRITTEN, "work/notes": "a year's" }, async (layout, path) => {
      await Deno.symlink("work", path("model.failed"));
      await settleModel(layout, modelFolderOf(layout, RUN), "failed", never);
      assertEquals(await Deno.readTextFile(path("work/notes")), "a year's");
      assertEquals(await Deno.readTextFile(path("model.failed/m")), "new");
    }));
});

/** Where another file system is; the test of moving between two says nothing without one. */
const ELSEWHERE = "/dev/shm";

suite("a model/ that has to stay the directory that it is", () => {
  async function linked(files: Files, work: (layout: Layout, target: string) => Promise<void>) {
    const target = await Deno.makeTempDir({ dir: ELSEWHERE, prefix: "mlcli-test-" });
    try {
      await withFiles(files, async (layout, path) => {
        assert(
          (await Deno.stat(target)).dev !== (await Deno.stat(layout.testDirectory)).dev,
          "two file systems",
        );
        await Deno.symlink(target, path("model"));
        await work(layout, target);
      });
    } finally {
      await Deno.remove(target, { recursive: true });
    }
  }

  it("gets the new contents, also on another file system", () =>
    linked(WRITTEN, async (layout, target) => {
      await Deno.writeTextFile(join(target, "m"), "old");
      await Deno.writeTextFile(join(target, "gone"), "old");
      await Deno.writeTextFile(join(target, ".gitkeep"), "");
      await Deno.chmod(join(layout.testDirectory, FOLDER, "m"), 0o750);
      await Deno.symlink("m", join(layout.testDirectory, FOLDER, "link"));
      await settleModel(layout, modelFolderOf(layout, RUN), "succeeded", never);
      assertEquals(await filesIn(target), {
        "m": "new",
        "link": "new",
        "deep/n": "too",
        ".gitkeep": "",
      });
      assertEquals((await Deno.stat(join(target, "m"))).mode! & 0o777, 0o750);
      assertEquals(await Deno.readLink(join(target, "link")), "m");
      assertEquals((await Deno.lstat(layout.model)).isSymlink, true);
      assertEquals(await names(layout), ["model"]);
    }));

  it("is emptied when nothing was written, and the earlier model is kept", () =>
    linked(EMPTY, async (layout, target) => {
      await Deno.writeTextFile(join(target, "m"), "old");
      const { difference } = await settleModel(
        layout,
        modelFolderOf(layout, RUN),
        "succeeded",
        never,
      );
      assertStringIncludes(difference!.hint, "model.previous now");
      assertEquals(await filesIn(target), {});
      assertEquals(await names(layout), ["model", "model.previous"]);
      const kept = join(layout.testDirectory, "model.previous/m");
      assertEquals(await Deno.readTextFile(kept), "old");
    }));

  /** How far a move had got when it was interrupted, by what was in `model/` then. */
  const interrupted: Readonly<Record<string, Files>> = {
    "before anything went": { "a": "old", "b": "old", ".mlcli-incoming/a": "new" },
    "while the old went": {
      "b": "old",
      ".mlcli-outgoing/a": "old",
      ".mlcli-incoming/a": "new",
    },
    "when the old was gone": {
      ".mlcli-replaced/a": "old",
      ".mlcli-replaced/b": "old",
      ".mlcli-incoming/a": "new",
    },
    "while the new came": {
      "a": "new",
      ".mlcli-replaced/a": "old",
      ".mlcli-replaced/b": "old",
      ".mlcli-incoming/": "",
    },
    "when only the old was left to move": {
      "a": "new",
      ".mlcli-replaced/a": "old",
      ".mlcli-replaced/b": "old",
    },
  };
  for (const name of ["incoming", "outgoing", "replaced"]) {
    it(`follows no link that somebody left as .mlcli-${name}`, () =>
      withFiles({ "work/notes": "a year's" }, async (layout, path) => {
        await Deno.mkdir(path("model"));
        await write(layout.model, { "m": "old", ".mlcli-incoming/m": "new" });
        await Deno.remove(path(`model/.mlcli-${name}`), { recursive: true }).catch(() => {});
        await Deno.symlink(path("work"), path(`model/.mlcli-${name}`));
        await finishMove(layout);
        assertEquals(await filesIn(path("work")), { notes: "a year's" });
        const model = await Deno.readTextFile(path("model/m"));
        assertEquals(model, name === "incoming" ? "old" : "new");
      }));

    it(`a training does not follow it either: .mlcli-${name}`, () =>
      linked(WRITTEN, async (layout, target) => {
        const work = join(layout.testDirectory, "work");
        await write(work, { notes: "a year's" });
        await write(target, { m: "old" });
        await Deno.symlink(work, join(target, `.mlcli-${name}`));
        await settleModel(layout, modelFolderOf(layout, RUN), "succeeded", never);
        assertEquals(await filesIn(target), { "m": "new", "deep/n": "too" });
        assertEquals(await filesIn(work), { notes: "a year's" });
      }));
  }

  it("is whole, too, where there is an earlier model.previous", () =>
    linked({ "model.previous/x": "older" }, async (layout, target) => {
      await write(target, { a: "new", ".mlcli-replaced/a": "old" });
      await finishMove(layout);
      assertEquals(await filesIn(target), { a: "new" });
      assertEquals(await filesIn(join(layout.testDirectory, "model.previous")), { a: "old" });
    }));

  it("has no part of a model that was copied there when mlcli was killed, unless one lives", () =>
    linked({}, async (layout, target) => {
      const before = { a: "old", ".mlcli-incoming.part/a": "ne" };
      await write(target, before);
      const owner = join(layout.localTest, `.run-${RUN}`, "owner");
      await write("/", { [owner]: `${Deno.pid} ${Deno.hostname()}` });
      await finishMove(layout);
      assertEquals(await filesIn(target), before);
      // No process has this number.
      await Deno.writeTextFile(owner, `4194305 ${Deno.hostname()}`);
      await finishMove(layout);
      assertEquals(await filesIn(target), { a: "old" });
    }));

  for (const [title, files] of Object.entries(interrupted)) {
    it(`is whole after a move that was cut off ${title}`, () =>
      linked({}, async (layout, target) => {
        await write(target, { ...files, ".gitkeep": "" });
        await finishMove(layout);
        assertEquals(await filesIn(target), { "a": "new", ".gitkeep": "" });
        assertEquals(await filesIn(join(layout.testDirectory, "model.previous")), {
          "a": "old",
          "b": "old",
        });
        await finishMove(layout); // once more changes nothing
        assertEquals(await filesIn(target), { "a": "new", ".gitkeep": "" });
      }));
  }
});

async function names(layout: Layout): Promise<string[]> {
  const found = await Array.fromAsync(Deno.readDir(layout.testDirectory), ({ name }) => name);
  return found.sort();
}

suite("the model directory of a run", () => {
  it("is open to whom model/ is", () =>
    withFiles({ ...EARLIER, ...WRITTEN }, async (layout, path) => {
      const folder = path(FOLDER);
      await Deno.chmod(folder, 0o755);
      await Deno.chmod(layout.model, 0o2777);
      await openLikeModel(layout, folder);
      assertEquals((await Deno.stat(folder)).mode! & 0o7777, 0o2777);
      if (Deno.uid() === 0) {
        await Deno.chown(layout.model, 54_321, 54_322);
        await openLikeModel(layout, folder);
        const { uid, gid } = await Deno.stat(folder);
        assertEquals([uid, gid], [54_321, 54_322]);
      }
      await Deno.remove(layout.model, { recursive: true });
      await openLikeModel(layout, folder); // nothing to be like
    }));
});

suite("a swap that was cut off between its two renames", () => {
  const HALF: Files = { [`${FOLDER}.old/m`]: "old", [`${FOLDER}.old/.gitkeep`]: "", ...WRITTEN };

  for (const meanwhile of [{}, { "model/": "" }] as readonly Files[]) {
    it(`is finished, with ${JSON.stringify(meanwhile)} made meanwhile`, () =>
      withFiles({ ...HALF, ...meanwhile }, async (layout) => {
        await finishSwap(layout, RUN);
        assertEquals(await filesIn(layout.model), { "m": "new", "deep/n": "too", ".gitkeep": "" });
        assertEquals(await names(layout), [`${FOLDER}.old`, "model"]);
      }));
  }

  it("is not finished over what somebody put into its place", () =>
    withFiles({ ...HALF, "model/mine": "" }, async (layout) => {
      await finishSwap(layout, RUN);
      assertEquals(await filesIn(layout.model), { mine: "" });
      assertEquals((await names(layout)).includes(FOLDER), true);
    }));

  it("is not finished with a link, which may lead anywhere", () =>
    withFiles({ [`${FOLDER}.old/.gitkeep`]: "", "work/notes": "" }, async (layout, path) => {
      await Deno.symlink(path("work"), path(FOLDER));
      await finishSwap(layout, RUN);
      assertEquals(await filesIn(path("work")), { notes: "" });
      assertEquals((await names(layout)).includes("model"), false);
    }));

  it("is not seen where a run has not ended, or has been put in place", async () => {
    for (const files of [{ ...EARLIER, ...WRITTEN }, { ...EARLIER, [`${FOLDER}.old/m`]: "" }]) {
      await withFiles(files, async (layout) => {
        const before = await filesIn(layout.testDirectory);
        await finishSwap(layout, RUN);
        assertEquals(await filesIn(layout.testDirectory), before);
      });
    }
  });
});

suite("settleModel where the system refuses", () => {
  it("says where the whole model is", () =>
    withFiles(WRITTEN, async (layout, path) => {
      // A file cannot take the place of a directory.
      await Deno.writeTextFile(path("model"), "");
      await Deno.mkdir(path(`${FOLDER}.old`));
      const error = await assertRejects(
        () => settleModel(layout, modelFolderOf(layout, RUN), "succeeded", never),
        MlcliError,
      );
      assert(/^The model cannot be moved from demo\/.*\.model-/.test(error.message), error.message);
      assertEquals(await Deno.readTextFile(path(`${FOLDER}/m`)), "new");
    }));
});
