import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { findApp, findApps, lookUp } from "../../../runtime/app/app.ts";
import { MlcliError, NoAppHere } from "../../../runtime/errors.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { replaced } from "../../helpers/replaced.ts";
import { it, suite } from "../../helpers/suite.ts";

const STRANGER = 54_321;
const GIT = { ".git/HEAD": "" };

/** An app as `mlcli init` makes it, in a directory. */
function appIn(directory: string, name = "flats"): Readonly<Record<string, string>> {
  return { [`${directory}${name}.json`]: "{}", [`${directory}${name}/mlcli_base/`]: "" };
}

interface Lookup {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The current directory. */
  readonly from: string;
  readonly appName?: string;
  /** Path of the directory to its owner. */
  readonly owners?: Readonly<Record<string, number>>;
  /** Path of a link to its target. */
  readonly links?: Readonly<Record<string, string>>;
  readonly found: { readonly directory: string; readonly names: readonly string[] } | undefined;
}

const LOOKUPS: readonly Lookup[] = [
  {
    name: "finds the app of the nearest directory above in the work tree",
    files: { ...GIT, ...appIn(""), ...appIn("work/"), "work/sub/dir/": "" },
    from: "work/sub/dir",
    found: { directory: "work", names: ["flats"] },
  },
  {
    // https://github.com/docker/compose/issues/10268
    name: "prefers the app of the current directory to one above",
    files: { ...GIT, ...appIn(""), "work/other.json": '{"image_name": "x"}' },
    from: "work",
    found: { directory: "work", names: ["other"] },
  },
  {
    // https://github.com/jacebrowning/gitman/issues/152
    name: "does not need the app to be at the top of the work tree",
    files: { ...GIT, ...appIn("a/b/"), "a/b/c/": "" },
    from: "a/b/c",
    found: { directory: "a/b", names: ["flats"] },
  },
  {
    name: "finds the app from inside its own directory of code",
    files: { ...GIT, ...appIn(""), "flats/mlcli_base/training/": "" },
    from: "flats/mlcli_base/training",
    found: { directory: "", names: ["flats"] },
  },
  {
    name: "finds the nearest app of the name that is asked for",
    files: { ...GIT, ...appIn("", "wanted"), ...appIn("work/"), "work/sub/": "" },
    from: "work/sub",
    appName: "wanted",
    found: { directory: "", names: ["wanted"] },
  },
  {
    name: "finds all apps of the directory above, sorted",
    files: { ...GIT, ...appIn("", "b"), ...appIn("", "a"), "sub/": "" },
    from: "sub",
    found: { directory: "", names: ["a", "b"] },
  },
  {
    name: "finds no app above outside of a work tree",
    files: { ...appIn(""), "sub/": "" },
    from: "sub",
    found: undefined,
  },
  {
    name: "stops at the top of the work tree",
    files: { ...appIn(""), "repo/.git/HEAD": "", "repo/sub/": "" },
    from: "repo/sub",
    found: undefined,
  },
  {
    name: "stops at the top of the work tree that a link leads into",
    files: { ...appIn(""), "repo/.git/HEAD": "", "repo/sub/": "", "link": "" },
    from: "link",
    links: { "link": "repo/sub" },
    found: undefined,
  },
  {
    // https://github.com/anomalyco/opencode/pull/23736
    name: "stops at the top of a submodule, where .git is a file",
    files: { ...GIT, ...appIn(""), "module/.git": "gitdir: ../.git/modules/module\n" },
    from: "module",
    found: undefined,
  },
  {
    name: "does not take other tools' JSON files above for apps",
    files: { ...GIT, "data/1.json": '{"image": "1.png"}', "data/sub/": "", ...appIn("") },
    from: "data/sub",
    found: { directory: "", names: ["flats"] },
  },
  {
    name: "passes over a name that cannot be an app's",
    files: { ...GIT, ...appIn(""), ...appIn("work/", "my app"), "work/sub/": "" },
    from: "work/sub",
    found: { directory: "", names: ["flats"] },
  },
  {
    name: "does not take what a container wrote for an app",
    files: {
      ...GIT,
      ...appIn(""),
      "flats/mlcli_base/local_test/test_dir/model/x.json": '{"image": "x"}',
      ...appIn("flats/mlcli_base/local_test/test_dir/model/", "evil"),
      "flats/mlcli_base/local_test/test_dir/model/sub/": "",
    },
    from: "flats/mlcli_base/local_test/test_dir/model/sub",
    found: { directory: "", names: ["flats"] },
  },
  {
    name: "does not take what a container wrote to the current directory for an app",
    files: {
      ...GIT,
      ...appIn(""),
      "flats/mlcli_base/local_test/test_dir/output/x.json": '{"image": "x"}',
    },
    from: "flats/mlcli_base/local_test/test_dir/output",
    found: { directory: "", names: ["flats"] },
  },
  {
    name: "does not take what a container wrote for the app of a name that is asked for",
    files: {
      ...GIT,
      ...appIn(""),
      "flats/mlcli_base/local_test/test_dir/model/flats.json": "{}",
    },
    from: "flats/mlcli_base/local_test/test_dir/model",
    appName: "flats",
    found: { directory: "", names: ["flats"] },
  },
  {
    // CVE-2022-24765, https://github.com/rust-lang/rfcs/pull/3279
    name: "does not use the directory of another user",
    files: { "scratch/.git/HEAD": "", ...appIn("scratch/"), "scratch/mine/": "" },
    from: "scratch/mine",
    owners: { "scratch": STRANGER, "scratch/.git": STRANGER },
    found: undefined,
  },
  {
    // https://github.com/rust-cli/config-rs/issues/29
    name: "does not use another user's file in the caller's directory",
    files: { ...GIT, ...appIn(""), "sub/": "" },
    from: "sub",
    owners: { "flats.json": STRANGER },
    found: undefined,
  },
  {
    name: "does not use another user's code in the caller's directory",
    files: { ...GIT, ...appIn(""), "sub/": "" },
    from: "sub",
    owners: { "flats/mlcli_base": STRANGER },
    found: undefined,
  },
  {
    name: "passes over another user's app on the way to the caller's",
    files: { ...GIT, ...appIn(""), ...appIn("shared/"), "shared/sub/": "" },
    from: "shared/sub",
    owners: { "shared": STRANGER },
    found: { directory: "", names: ["flats"] },
  },
  {
    name: "does not use a link to another user's file",
    files: { ...GIT, ...appIn(""), "sub/": "", "theirs": "{}" },
    from: "sub",
    owners: { "theirs": STRANGER },
    links: { "flats.json": "theirs" },
    found: undefined,
  },
];

suite("lookUp", () => {
  for (const { name, files, from, appName, owners = {}, links = {}, found } of LOOKUPS) {
    it(name, async () => {
      if (Deno.uid() !== 0 && Object.keys(owners).length > 0) return;
      await using directory = await makeDirectory(files);
      for (const [path, target] of Object.entries(links)) {
        await Deno.remove(join(directory.path, path));
        await Deno.symlink(target, join(directory.path, path));
      }
      for (const [path, uid] of Object.entries(owners)) {
        await Deno.chown(join(directory.path, path), uid, null);
      }
      const cwd = join(directory.path, from);
      const expected = found === undefined
        ? { directory: cwd, names: [] }
        : { ...found, directory: join(directory.path, found.directory).replace(/\/$/, "") };
      assertEquals(await lookUp(cwd, appName), expected);
    });
  }

  it("uses no app above on Windows, which tells no owner", async () => {
    await using directory = await makeDirectory({ ...GIT, ...appIn(""), "sub/": "" });
    using _deno = replaced(Deno, { uid: () => null });
    assertEquals((await lookUp(join(directory.path, "sub"))).names, []);
  });
});

suite("findApp in a subdirectory", () => {
  it("returns the app with its own directory and the current one", async () => {
    await using directory = await makeDirectory({ ...GIT, ...appIn(""), "sub/": "" });
    const cwd = join(directory.path, "sub");
    const { directory: own, cwd: current, configurationPath } = await findApp(cwd);
    assertEquals({ own, current, configurationPath }, {
      own: directory.path,
      current: cwd,
      configurationPath: join(directory.path, "flats.json"),
    });
  });

  it("lists several apps with their directory", async () => {
    await using directory = await makeDirectory({
      ...GIT,
      ...appIn(""),
      ...appIn("", "a"),
      "x/": "",
    });
    await assertRejects(
      () => findApp(join(directory.path, "x")),
      MlcliError,
      `Found several apps in ${directory.path}: a, flats`,
    );
  });

  it("names the directory above that it does not use", async () => {
    await using directory = await makeDirectory({ ...appIn(""), "sub/": "" });
    const error = await assertRejects(() => findApp(join(directory.path, "sub")), NoAppHere);
    assertEquals(error.above, directory.path);
  });

  it("names no directory above that is another user's", async () => {
    if (Deno.uid() !== 0) return;
    await using directory = await makeDirectory({ ...appIn(""), "sub/": "" });
    await Deno.chown(join(directory.path, "flats.json"), STRANGER, null);
    const error = await assertRejects(() => findApp(join(directory.path, "sub")), NoAppHere);
    assertEquals(error.above, undefined);
  });

  it("lists the apps above when none has the name", async () => {
    await using directory = await makeDirectory({ ...GIT, ...appIn(""), "sub/": "" });
    const error = await assertRejects(
      () => findApp(join(directory.path, "sub"), "demo"),
      NoAppHere,
    );
    assertEquals(error.hint, "Use an app in this directory: flats");
  });

  it("names a broken file above by its path", async () => {
    await using directory = await makeDirectory({
      ...GIT,
      ...appIn(""),
      "flats.json": "{",
      "sub/": "",
    });
    const error = await assertRejects(() => findApp(join(directory.path, "sub")), MlcliError);
    assertStringIncludes(error.message, "../flats.json is not valid JSON");
  });

  it("refuses a link out of the work tree", async () => {
    await using directory = await makeDirectory({
      "secret.json": "{}",
      "repo/.git/HEAD": "",
      "repo/flats/mlcli_base/": "",
      "repo/sub/": "",
    });
    await Deno.symlink("../secret.json", join(directory.path, "repo/flats.json"));
    const error = await assertRejects(() => findApp(join(directory.path, "repo/sub")), MlcliError);
    assertStringIncludes(error.message, "../flats.json points outside");
  });
});

suite("findApps", () => {
  it("finds no app above for an app that is being made", async () => {
    await using directory = await makeDirectory({ ...GIT, ...appIn(""), "sub/": "" });
    const cwd = join(directory.path, "sub");
    const found = {
      above: (await findApps(cwd, {})).length,
      here: (await findApps(cwd, { isNew: true })).length,
    };
    assertEquals(found, { above: 1, here: 0 });
  });
});
