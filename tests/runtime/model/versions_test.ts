import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { dirname, join, relative } from "@std/path";
import type { Paths } from "../../../runtime/app/paths.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { idOf } from "../../../runtime/files.ts";
import { modelOfRun } from "../../../runtime/model/runs.ts";
import {
  currentRun,
  type Ending,
  finishMove,
  makeLike,
  settleModel,
} from "../../../runtime/model/versions.ts";
import { appObject } from "../../helpers/app_object.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { replaced } from "../../helpers/replaced.ts";
import { MAY_MOUNT, mounted, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";

const RUN = "demo-2026-03-01-10-00-00-000";
const BEFORE = "demo-2026-03-01-09-00-00-000";
const MADE = `jobs/${RUN}/model`;

/** Files below `local_test`: path to content; a path that ends in a slash is an empty directory. */
type Files = Readonly<Record<string, string>>;

interface Place {
  readonly layout: Paths;
  path(name: string): string;
  /** Returns the messages so far. */
  readonly said: () => string;
  settle(ending: Ending, isStrict?: boolean): ReturnType<typeof settleModel>;
  finish(): Promise<void>;
}

/** Calls `work` with a layout that has these files. */
async function withFiles(files: Files, work: (place: Place) => Promise<void>): Promise<void> {
  await using directory = await makeDirectory();
  const layout = appObject(directory.path, "demo").paths;
  await Deno.mkdir(layout.testDirectory, { recursive: true });
  await write(layout.localTest, files);
  const { messages, err } = fakeContext();
  await work({
    layout,
    path: (name) => join(layout.localTest, name),
    said: () => err.text,
    settle: (ending, isStrict) => settleModel(layout, RUN, ending, { messages }, isStrict),
    finish: () => finishMove(layout, { messages }),
  });
}

async function write(directory: string, files: Files): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    await Deno.mkdir(name.endsWith("/") ? path : dirname(path), { recursive: true });
    if (!name.endsWith("/")) await Deno.writeTextFile(path, content);
  }
}

/** Records the run of the current model, and further values. */
async function writeCurrent({ layout }: Place, more: Readonly<Record<string, string>> = {}) {
  const current = { of: BEFORE, id: await idOf(layout.model), ...more };
  await write(layout.jobs, {
    ".current.json": JSON.stringify(current),
    [`${BEFORE}/job.json`]: "",
  });
}

/** All files below a directory, and its empty directories; but for what only mlcli needs to know. */
async function filesIn(directory: string, root = directory): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = join(directory, name);
    const shown = relative(root, path).replace(/kept-[\d-]+/, "kept");
    if (/jobs\/(\.lock|\.gitignore|\.current\.json|[^/]+\/job\.json)$/.test(path)) continue;
    if (!isDirectory) {
      found[shown] = await Deno.readTextFile(path);
      continue;
    }
    const inner = await filesIn(path, root);
    Object.assign(found, Object.keys(inner).length === 0 ? { [`${shown}/`]: "" } : inner);
  }
  return found;
}

/** A system that refuses these renames. */
function renamesRefused(isRefused: (from: string, to: string) => boolean): Disposable {
  const { rename } = Deno;
  return replaced(Deno, {
    rename: (from: string, to: string) =>
      isRefused(from, to)
        ? Promise.reject(Object.assign(new Error("No (os error 13)"), { code: "EACCES" }))
        : rename(from, to),
  });
}

/** What is there, as it was before a run. */
const EARLIER: Files = { "test_dir/model/m": "old", "test_dir/model/.gitkeep": "" };
const WRITTEN: Files = { [`${MADE}/m`]: "new", [`${MADE}/deep/n`]: "too" };
const EMPTY: Files = { [`${MADE}/`]: "" };
const NEW: Files = { "test_dir/model/m": "new", "test_dir/model/deep/n": "too" };
const KEPT: Files = { "jobs/OLD/model/m": "old", "jobs/OLD/model/.gitkeep": "" };

suite("settleModel", () => {
  type Row = readonly [
    title: string,
    before: Files,
    Ending,
    /** OLD: the directory of the earlier model. */
    after: Files,
    said: RegExp | undefined,
  ];
  const gone = { [`jobs/${RUN}/`]: "" };
  const rows: readonly Row[] = [
    [
      "puts a model in the place of the earlier one, which its own run gets",
      { ...EARLIER, ...WRITTEN },
      "succeeded",
      { ...NEW, "test_dir/model/.gitkeep": "", ...gone, ...KEPT },
      undefined,
    ],
    ["puts a model where none was", WRITTEN, "succeeded", { ...NEW, ...gone }, undefined],
    [
      "keeps what the run wrote itself of what is carried over",
      { ...EARLIER, [`${MADE}/m`]: "new", [`${MADE}/.gitkeep`]: "its own" },
      "succeeded",
      { "test_dir/model/m": "new", "test_dir/model/.gitkeep": "its own", ...gone, ...KEPT },
      undefined,
    ],
    [
      "leaves model/ empty when nothing was written, and names the run with the earlier model",
      { ...EARLIER, ...EMPTY },
      "succeeded",
      { "test_dir/model/.gitkeep": "", ...gone, ...KEPT },
      /^The training run wrote no file to \/opt\/ml\/model .* now in .*jobs\/OLD\/model\. Serve it: .* --run OLD$/,
    ],
    [
      "says that nothing was written where there was nothing before",
      { "test_dir/model/.gitkeep": "", ...EMPTY },
      "succeeded",
      { "test_dir/model/.gitkeep": "", ...gone },
      /^The training run wrote no file .*the second argument of train\(\)/,
    ],
    [
      "counts directories and what keeps them for nothing",
      { ...EARLIER, [`${MADE}/deep/.gitkeep`]: "" },
      "succeeded",
      { "test_dir/model/.gitkeep": "", "test_dir/model/deep/.gitkeep": "", ...gone, ...KEPT },
      /Serve it: .* --run OLD$/,
    ],
    [
      "leaves a failed run's model with the run",
      { ...EARLIER, ...WRITTEN },
      "failed",
      { ...EARLIER, ...WRITTEN },
      /^The model of this run is in .*jobs\/demo-.*\/model; .*model is unchanged$/,
    ],
    [
      "leaves nothing of a failed run that wrote nothing",
      { ...EARLIER, ...EMPTY },
      "failed",
      { ...EARLIER, ...gone },
      undefined,
    ],
    [
      "takes what a stopped run wrote",
      { ...EARLIER, ...WRITTEN },
      "stopped",
      { ...NEW, "test_dir/model/.gitkeep": "", ...gone, ...KEPT },
      /\/model contains what this run wrote before it was stopped$/,
    ],
    [
      "keeps the earlier model when a stopped run wrote nothing",
      { ...EARLIER, ...EMPTY },
      "stopped",
      { ...EARLIER, ...gone },
      undefined,
    ],
  ];
  for (const [old, isKnown] of [[BEFORE, true], ["kept", false]] as const) {
    for (const [title, before, ending, after, said] of rows) {
      it(`${title}: of ${isKnown ? "an earlier run" : "a person"}`, () =>
        withFiles(before, async (place) => {
          const { layout, settle } = place;
          if (isKnown) await writeCurrent(place);
          const made = await Deno.realPath(modelOfRun(layout, RUN));
          const { difference, note, moved } = await settle(ending);
          const isMoved = ending !== "failed" && before[`${MADE}/m`] !== undefined;
          assertEquals(moved, isMoved ? [[made, await Deno.realPath(layout.model)]] : undefined);
          const text = difference ? `${difference.message} ${difference.hint}` : note;
          assertEquals(said === undefined, text === undefined, text);
          const shown = text?.replaceAll(/kept-[\d-]+/g, "kept").replaceAll(old, "OLD");
          if (said) assert(said.test(shown!), shown);
          const files = Object.entries(after).map((
            [path, text],
          ) => [path.replace("OLD", old), text]);
          const other = isKnown && !Object.hasOwn(after, "jobs/OLD/model/m")
            ? { [`jobs/${BEFORE}/`]: "" }
            : {};
          assertEquals(await filesIn(layout.localTest), { ...Object.fromEntries(files), ...other });
          const current = after["test_dir/model/m"] === "new" || difference ? RUN : BEFORE;
          if (isKnown) assertEquals(await currentRun(layout), current);
        }));
    }
  }

  it("leaves the earlier model where writing none is a failure (--strict)", () =>
    withFiles({ ...EARLIER, ...EMPTY }, async ({ layout, settle }) => {
      const { difference } = await settle("succeeded", true);
      assertStringIncludes(difference!.message, "wrote no file");
      assertEquals(await filesIn(layout.testDirectory), { "model/m": "old", "model/.gitkeep": "" });
    }));

  it("does not say that nothing was written where the run's directory is gone", async () => {
    for (const ending of ["succeeded", "stopped"] as const) {
      await withFiles(EARLIER, async ({ layout, settle }) => {
        const error = await assertRejects(
          () => settle(ending),
          MlcliError,
          "The model directory of this run no longer exists",
        );
        assertStringIncludes(error.hint ?? "", "If you moved or renamed the app");
        assertEquals(await filesIn(layout.localTest), EARLIER);
      });
    }
  });

  it("takes a model that a person put in the place of a run's for that person's", () =>
    withFiles({ ...EARLIER, ...WRITTEN }, async (place) => {
      const { layout, path, settle } = place;
      await writeCurrent(place);
      await Deno.rename(layout.model, path("mine"));
      await write(layout.model, { mine: "1" });
      await settle("succeeded");
      const found = await filesIn(layout.jobs);
      assertEquals(found, { [`${BEFORE}/`]: "", [`${RUN}/`]: "", "kept/model/mine": "1" });
    }));

  it("takes it so, too, where it has the inode of the run's model", () =>
    withFiles({ ...EARLIER, ...WRITTEN }, async (place) => {
      const { layout, settle } = place;
      await writeCurrent(place);
      // Most file systems give it to the next.
      await Deno.remove(layout.model, { recursive: true });
      await write(layout.testDirectory, { "model/mine": "1" });
      await settle("succeeded");
      const { "jobs/kept/model/mine": mine } = await filesIn(layout.localTest);
      assertEquals(mine, "1");
    }));

  it("believes no name in a file that a repository holds which leads out", () =>
    withFiles({ ...EARLIER, ...WRITTEN, "../x/model/m": "theirs" }, async (place) => {
      const { layout, path, settle, finish } = place;
      for (const name of ["../../x", ".", "", ".hidden", "/tmp/x"]) {
        await writeCurrent(place, { of: name, next: name });
        await finish();
        assertEquals(await currentRun(layout), undefined);
        assertEquals(await Deno.readTextFile(path("../x/model/m")), "theirs");
      }
      await settle("succeeded");
      assertEquals((await filesIn(layout.localTest))["jobs/kept/model/m"], "old");
    }));

  it("puts the earlier model back where the new one cannot be moved", () =>
    withFiles({ ...EARLIER, ...WRITTEN }, async ({ layout, settle }) => {
      using _refused = renamesRefused((from) => from === modelOfRun(layout, RUN));
      await assertRejects(() => settle("succeeded"), MlcliError);
      assertEquals(await filesIn(layout.testDirectory), { "model/m": "old", "model/.gitkeep": "" });
    }));

  it("a warning names the model that cannot be moved, and a later command moves it", () =>
    withFiles(WRITTEN, async ({ layout, path, settle, finish, said }) => {
      // A file cannot take the place of a directory.
      await Deno.writeTextFile(path("test_dir/model"), "");
      await Deno.mkdir(path("jobs/.empty/x"), { recursive: true });
      {
        using _refused = renamesRefused((_, to) => to === layout.model);
        const error = await assertRejects(() => settle("succeeded"), MlcliError);
        assert(/^Cannot move the model from demo\/.*jobs\//.test(error.message), error.message);
        assertStringIncludes(error.hint!, `serve the model: mlcli local deploy --run ${RUN}`);
        assertEquals(await Deno.readTextFile(path(`${MADE}/m`)), "new");
        await finish();
        assertStringIncludes(
          said(),
          `warning: Cannot move the model of run ${RUN} into model/: No`,
        );
      }
      await finish();
      assertEquals(await filesIn(layout.testDirectory), {
        "model/m": "new",
        "model/deep/n": "too",
      });
      assertEquals(await currentRun(layout), RUN);
    }));
});

suite("two commands that move the model at once", () => {
  it("two runs take turns, so that each complete model is kept", () =>
    withFiles({ ...EARLIER, ...WRITTEN, "jobs/other/model/m": "other" }, async (place) => {
      const { layout, settle } = place;
      await writeCurrent(place);
      const { messages } = fakeContext();
      await Promise.all([
        settle("succeeded"),
        settleModel(layout, "other", "succeeded", { messages }),
      ]);
      const { "test_dir/model/m": model, ...found } = await filesIn(layout.localTest);
      const last = await currentRun(layout);
      assertEquals(model, last === RUN ? "new" : "other");
      const first = last === RUN ? "other" : RUN;
      assertEquals(found[`jobs/${first}/model/m`], first === RUN ? "new" : "other");
      assertEquals(found[`jobs/${BEFORE}/model/m`], "old");
    }));
});

suite("a model/ that is a mount point", () => {
  // Root alone can mount.
  if (!MAY_MOUNT) return;

  async function linked(files: Files, work: (place: Place) => Promise<void>): Promise<void> {
    await using disk = await smallDisk();
    await withFiles(files, async (place) => {
      const { layout } = place;
      await Deno.mkdir(layout.model, { recursive: true });
      await using _mount = await mounted(disk, layout.model);
      await work(place);
    });
  }

  it("gets the new contents, from another file system", () =>
    linked(WRITTEN, async (place) => {
      const { layout, path, settle } = place;
      await write(layout.model, { m: "old", gone: "old", ".gitkeep": "" });
      await writeCurrent(place);
      await Deno.chmod(path(`${MADE}/m`), 0o750);
      await Deno.symlink("m", path(`${MADE}/link`));
      await settle("succeeded");
      const files = { m: "new", link: "new", "deep/n": "too", ".gitkeep": "" };
      assertEquals(await filesIn(layout.model), files);
      assertEquals((await Deno.stat(join(layout.model, "m"))).mode! & 0o777, 0o750);
      assertEquals(await Deno.readLink(join(layout.model, "link")), "m");
      assertEquals(await filesIn(modelOfRun(layout, BEFORE)), { m: "old", gone: "old" });
      assertEquals(await currentRun(layout), RUN);
    }));

  it("model/ is emptied if the run writes no file, and the earlier model is kept", () =>
    linked(EMPTY, async ({ layout, settle }) => {
      await write(layout.model, { m: "old" });
      const { difference } = await settle("succeeded");
      assertStringIncludes(difference!.hint!, "Serve it: ");
      assertEquals(await filesIn(layout.model), {});
      assertEquals((await filesIn(layout.jobs))["kept/model/m"], "old");
    }));

  for (const name of ["incoming", "outgoing", "replaced"]) {
    it(`follows no link that somebody left there: .mlcli-${name}`, () =>
      linked({ ...WRITTEN, "work/notes": "a year's" }, async ({ layout, path, settle }) => {
        await write(layout.model, { m: "old" });
        await Deno.symlink(path("work"), join(layout.model, `.mlcli-${name}`));
        await settle("succeeded");
        assertEquals(await filesIn(layout.model), { "m": "new", "deep/n": "too" });
        assertEquals(await filesIn(path("work")), { notes: "a year's" });
      }));
  }

  /** How far a move had got when it was interrupted, by what was in `model/` then. */
  const interrupted: Readonly<Record<string, Files>> = {
    "while it was copied": { "a": "old", "b": "old", ".mlcli-incoming.part/a": "ne" },
    "before anything went": { "a": "old", "b": "old", ".mlcli-incoming/a": "new" },
    "while the old went": { "b": "old", ".mlcli-outgoing/a": "old", ".mlcli-incoming/a": "new" },
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
  for (const [title, files] of Object.entries(interrupted)) {
    it(`is whole after a move that was cut off ${title}`, () =>
      linked({}, async (place) => {
        const { layout, finish } = place;
        await write(layout.model, { ...files, ".gitkeep": "" });
        const isAllThere = title !== "while it was copied";
        // Of a copy that came to its end, there may be a part where it came from.
        const left: Files = isAllThere
          ? { [`${RUN}/model/part`]: "ne" }
          : { [`${RUN}/model/a`]: "new" };
        await write(
          layout.jobs,
          Object.hasOwn(files, ".mlcli-incoming/a") || !isAllThere ? left : {},
        );
        await writeCurrent(place, { next: RUN, nextId: "1:2" });
        await finish();
        assertEquals(await filesIn(layout.model), { "a": "new", ".gitkeep": "" });
        assertEquals(await filesIn(modelOfRun(layout, BEFORE)), { "a": "old", "b": "old" });
        await finish(); // once more changes nothing
        assertEquals(await filesIn(layout.model), { "a": "new", ".gitkeep": "" });
      }));
  }
});

suite("the model directory of a run", () => {
  it("is open to the same users as model/", () =>
    withFiles({ ...EARLIER, ...WRITTEN }, async ({ layout, path }) => {
      const folder = path(MADE);
      await Deno.chmod(folder, 0o755);
      await Deno.chmod(layout.model, 0o2777);
      await makeLike(layout.model, folder);
      assertEquals((await Deno.stat(folder)).mode! & 0o7777, 0o2777);
      if (Deno.uid() === 0) {
        await Deno.chown(layout.model, 54_321, 54_322);
        await makeLike(layout.model, folder);
        const { uid, gid } = await Deno.stat(folder);
        assertEquals([uid, gid], [54_321, 54_322]);
      }
      await Deno.remove(layout.model, { recursive: true });
      await makeLike(layout.model, folder); // nothing to be like
    }));
});

suite("a move that was cut off", () => {
  const OLD_MOVED: Files = {
    [`jobs/${BEFORE}/model/m`]: "old",
    [`jobs/${BEFORE}/model/.gitkeep`]: "",
  };
  const rows: readonly (readonly [title: string, Files, after: Files])[] = [
    ["before its first rename", { ...EARLIER, ...WRITTEN }, {}],
    ["between its two renames", { ...OLD_MOVED, ...WRITTEN }, {}],
    ["between its two renames, with an empty model/ made meanwhile", {
      ...OLD_MOVED,
      ...WRITTEN,
      "test_dir/model/": "",
    }, {}],
    ["between its two renames, with a model that somebody put there meanwhile", {
      ...OLD_MOVED,
      ...WRITTEN,
      "test_dir/model/mine": "1",
    }, { "jobs/kept/model/mine": "1" }],
  ];
  for (const [title, before, after] of rows) {
    it(`${title} is finished`, () =>
      withFiles(before, async (place) => {
        const { layout, finish } = place;
        const nextId = await idOf(modelOfRun(layout, RUN));
        await writeCurrent(place, { next: RUN, nextId });
        await finish();
        const { "test_dir/model/.gitkeep": _, ...found } = await filesIn(layout.localTest);
        assertEquals(found, { ...NEW, ...OLD_MOVED, [`jobs/${RUN}/`]: "", ...after });
        assertEquals(await currentRun(layout), RUN);
      }));
  }

  it("after both renames is known to be finished; where the run's model is gone, nothing is", async () => {
    for (const isThere of [true, false]) {
      await withFiles({ "test_dir/model/m": "1" }, async (place) => {
        const { layout, finish } = place;
        const id = await idOf(layout.model);
        await writeCurrent(place, { next: RUN, nextId: isThere ? id : "1:2" });
        await finish();
        assertEquals(await currentRun(layout), isThere ? RUN : BEFORE);
      });
    }
  });

  it("is not finished with a link, which may lead anywhere", () =>
    withFiles({ "work/notes": "", [`jobs/${RUN}/`]: "" }, async (place) => {
      const { layout, path, finish } = place;
      await Deno.symlink(path("work"), path(MADE));
      await writeCurrent(place, { next: RUN });
      await finish();
      assertEquals(await filesIn(path("work")), { notes: "" });
      assertEquals(await Deno.lstat(layout.model).catch(() => "none"), "none");
    }));

  it("takes and removes nothing of a run's directory that is a link", async () => {
    const incoming: Files = { "test_dir/model/.mlcli-incoming/m": "" };
    for (const more of [{}, incoming]) {
      await withFiles({ ...EARLIER, ...more, "work/model/notes": "" }, async (place) => {
        const { path, finish } = place;
        await Deno.mkdir(path("jobs"));
        await Deno.symlink(path("work"), path(`jobs/${RUN}`));
        await writeCurrent(place, { next: RUN });
        await finish();
        assertEquals(await filesIn(path("work")), { "model/notes": "" });
      });
    }
  });
});
