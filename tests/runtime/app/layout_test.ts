import { join } from "@std/path";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import {
  requireModel,
  requireNotWritten,
  requireProcessingFile,
  requireTestDirectory,
  requireTrainingData,
} from "../../../runtime/app/layout.ts";
import { type Paths, pathsOf } from "../../../runtime/app/paths.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const TEST = "demo/mlcli_base/local_test/test_dir";

function layoutIn(directory: TestDirectory): Paths {
  const path = directory.path;
  return pathsOf({
    name: "demo",
    directory: path,
    cwd: path,
    boundary: path,
  });
}

suite("requireTestDirectory", () => {
  it("accepts it, empty or not", async () => {
    await using directory = await makeDirectory({ [`${TEST}/`]: "" });
    await requireTestDirectory(layoutIn(directory));
  });

  it("names what is not there", async () => {
    await using directory = await makeDirectory({
      "demo/mlcli_base/local_test/test_dir": "a file",
    });
    const error = await assertRejects(() => requireTestDirectory(layoutIn(directory)), MlcliError);
    assertEquals(error.name, "MlcliError");
    assertEquals(error.message, "Not a valid mlcli directory: demo/mlcli_base");
    assertStringIncludes(error.hint ?? "", `${TEST}/`);
    assertStringIncludes(error.hint ?? "", "mlcli init demo");
  });
});

/** Two checks of the same kind: the directory, the check, its message and hint. */
const CONTENTS = [
  {
    name: "requireTrainingData",
    folder: `${TEST}/input/data/training`,
    check: (layout: Paths) => requireTrainingData(layout, [layout.trainingData]),
    message: `No such file or directory: ${TEST}/input/data/training (training data)`,
    hint:
      `Put training data into ${TEST}/input/data/training/ or a directory next to it, or use other data: --input CHANNEL=DIR`,
  },
  {
    name: "requireModel",
    folder: `${TEST}/model`,
    check: requireModel,
    message: `Model not found: ${TEST}/model`,
    hint: "Run mlcli local train first",
  },
] as const;

for (const { name, folder, check, message, hint } of CONTENTS) {
  suite(name, () => {
    const present = [["a.csv"], ["a/b/c.parquet", "a/.gitkeep"], [".hidden"], ["a", ".gitkeep"]];
    for (const files of present) {
      it(`accepts ${files.join(", ")}`, async () => {
        await using directory = await makeDirectory(
          Object.fromEntries(files.map((file) => [`${folder}/${file}`, ""])),
        );
        await check(layoutIn(directory));
      });
    }

    const absent = [[], [""], [".gitkeep"], ["a/", "b/c/.gitkeep", ".DS_Store"], [
      ...["._a.csv", "__MACOSX/a.csv", ".ipynb_checkpoints/a-checkpoint.csv", "b/thumbs.db"],
    ]];
    for (const files of absent) {
      it(`refuses ${files.length === 0 ? "no directory" : `only "${files.join('", "')}"`}`, async () => {
        await using directory = await makeDirectory(
          Object.fromEntries(files.map((file) => [`${folder}/${file}`, ""])),
        );
        const error = await assertRejects(() => check(layoutIn(directory)), MlcliError);
        assertEquals([error.name, error.message, error.hint], ["MlcliError", message, hint]);
      });
    }

    it("refuses a file in place of the directory", async () => {
      await using directory = await makeDirectory({ [folder]: "" });
      await assertRejects(() => check(layoutIn(directory)), MlcliError, message);
    });

    it("counts a link to a file, and names a broken one with its target", async () => {
      await using directory = await makeDirectory({ [`${folder}/`]: "" });
      const link = join(directory.path, folder, "link");
      for (const target of [join(directory.path, "missing.csv"), "/etc/hostname"]) {
        await Deno.symlink(target, link);
        const error = await assertRejects(() => check(layoutIn(directory)), MlcliError, message);
        assertStringIncludes(error.hint ?? "", `${folder}/link points `);
        assertStringIncludes(error.hint ?? "", target);
        await Deno.remove(link);
      }
      await Deno.symlink("real.csv", link);
      await Deno.writeTextFile(join(directory.path, folder, "real.csv"), "1");
      await check(layoutIn(directory));
    });
  });
}

suite("requireTrainingData of several channels", () => {
  const DATA = `${TEST}/input/data`;
  const FILES = {
    [`${DATA}/a/`]: "",
    [`${DATA}/b/.gitkeep`]: "",
    [`${DATA}/c/deep/x.csv`]: "1",
    "other/.gitkeep": "",
  };
  const refusal = (path: string) => `No such file or directory: ${path} (training data)`;

  for (
    const [title, channels, named, path] of [
      ["one with a file among empty ones", ["a", "b", "c"], undefined, undefined],
      ["one with a file beside an empty one that was named", ["c", "../../../../../../other"], 1],
      ["none", [], undefined, `${DATA}/training`],
      ["empty ones alone", ["a", "b"], undefined, `${DATA}/training`],
      ["empty ones, one of them named", ["a", "../../../../../../other"], 1, "other"],
    ] as const
  ) {
    it(`${path === undefined ? "accepts" : "refuses"} ${title}`, async () => {
      await using directory = await makeDirectory(FILES);
      const layout = layoutIn(directory);
      const paths = channels.map((channel) => join(layout.inputData, channel));
      const found = requireTrainingData(layout, paths, named && paths[named]);
      if (path === undefined) return await found;
      const error = await assertRejects(() => found, MlcliError, refusal(path));
      assertEquals(error.hint?.startsWith(`Put training data into ${path}/`), true);
      assertEquals(error.hint?.includes("--input"), named === undefined);
    });
  }

  it("counts a link into another channel", async () => {
    await using directory = await makeDirectory(FILES);
    const layout = layoutIn(directory);
    await Deno.symlink("../c/deep/x.csv", join(layout.inputData, "a/link.csv"));
    await requireTrainingData(layout, [join(layout.inputData, "a")]);
  });
});

suite("requireProcessingFile", () => {
  const PROCESSING = "demo/mlcli_base/processing";

  async function app(): Promise<TestDirectory> {
    const directory = await makeDirectory({
      [`${PROCESSING}/clean.py`]: "",
      [`${PROCESSING}/jobs/deep.py`]: "",
      [`${PROCESSING}/..py`]: "",
      "demo/mlcli_base/outside.py": "",
    });
    const processing = join(directory.path, PROCESSING);
    await Deno.symlink("../outside.py", join(processing, "out.py"));
    await Deno.symlink("clean.py", join(processing, "in.py"));
    await Deno.symlink("nowhere.py", join(processing, "dangling.py"));
    await Deno.symlink("/etc/hostname", join(processing, "etc.py"));
    return directory;
  }

  const accepted = {
    "clean.py": "clean.py",
    "./clean.py": "clean.py",
    "jobs/deep.py": "jobs/deep.py",
    "jobs/../clean.py": "clean.py",
    "in.py": "in.py",
    "out.py": "out.py",
    "..py": "..py",
  };
  for (const [name, expected] of Object.entries(accepted)) {
    it(`accepts ${name}`, async () => {
      await using directory = await app();
      assertEquals(await requireProcessingFile(layoutIn(directory), name), expected);
    });
  }

  const refused = [
    "missing.py",
    "",
    ".",
    "jobs",
    "../outside.py",
    "jobs/../../outside.py",
    "../processing/clean.py",
    "etc.py",
    "dangling.py",
    "clean.py/",
    "clean.py/x",
    "/etc/passwd",
  ];
  for (const name of refused) {
    it(`refuses "${name}"`, async () => {
      await using directory = await app();
      const error = await assertRejects(
        () => requireProcessingFile(layoutIn(directory), name),
        MlcliError,
      );
      assertEquals([error.name, error.message], [
        "MlcliError",
        `Processing file not found: ${name}`,
      ]);
      assertStringIncludes(error.hint ?? "", `Choose one of these files in ${PROCESSING}/: `);
      assertStringIncludes(error.hint ?? "", "clean.py");
    });
  }

  it("refuses an absolute path even to a script of its own", async () => {
    await using directory = await app();
    const name = join(directory.path, PROCESSING, "clean.py");
    await assertRejects(
      () => requireProcessingFile(layoutIn(directory), name),
      MlcliError,
      `Processing file not found: ${name}`,
    );
  });
});

suite("requireNotWritten", () => {
  const RESULTS = { [`${TEST}/output/data/`]: "", [`${TEST}/model/`]: "", "data/deep/": "" };

  for (const path of [`${TEST}/input/data/eval`, "data", "data/deep", `${TEST}/outputs`]) {
    it(`takes ${path}`, async () => {
      await using directory = await makeDirectory(RESULTS);
      await requireNotWritten(layoutIn(directory), join(directory.path, path));
    });
  }

  for (
    const [title, path, written] of [
      ["a directory of results", `${TEST}/output`, "output"],
      ["one in it", `${TEST}/output/data`, "output"],
      ["one in it that is not there yet", `${TEST}/model/new`, "model"],
      ["one around both", TEST, "model"],
      ["a link into one", "link", "output"],
    ] as const
  ) {
    it(`refuses ${title}`, async () => {
      await using directory = await makeDirectory(RESULTS);
      await Deno.symlink(`${TEST}/output/data`, join(directory.path, "link"));
      const error = await assertRejects(
        () => requireNotWritten(layoutIn(directory), join(directory.path, path)),
        MlcliError,
      );
      assertEquals(error.message, `${TEST}/${written} overlaps with ${path}`);
    });
  }
});
