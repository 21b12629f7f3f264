import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { ProgramKind } from "../../../../runtime/contract/jobs.ts";
import {
  linkDifferences,
  outputBefore,
  outputDifferences,
} from "../../../../runtime/local/differences/output.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";
import { completeApp } from "../../../helpers/app.ts";
import { fakeContainers } from "../../../helpers/fake_containers.ts";
import { runInProcess } from "../../../helpers/in_process.ts";

type Files = Readonly<Record<string, string>>;

/** What is said of a run that writes some files over others. */
async function said(kind: ProgramKind, before: Files, written: Files): Promise<readonly string[]> {
  await using directory = await makeDirectory();
  const layout = appObject(directory.path, "demo").paths;
  const inOutput = (files: Files): Files =>
    Object.fromEntries(
      Object.entries(files).map(([name, text]) => [`${OUTPUT}/${name}`, text]),
    );
  await directory.write(inOutput({ "data/": "", ...before }));
  await makeOld(directory, Object.keys(before));
  const state = await outputBefore(layout);
  await directory.write(inOutput(written));
  return (await outputDifferences(layout, kind, state)).map(({ message }) => message);
}

const OUTPUT = "demo/mlcli_base/local_test/test_dir/output";

/** Sets times back: what follows may come in the same tick of the clock. */
async function makeOld(directory: TestDirectory, names: readonly string[]): Promise<void> {
  for (const name of [...names, "."]) {
    await Deno.utime(join(directory.path, OUTPUT, name), new Date(0), new Date(0));
  }
}

const dropped = (names: string): string =>
  `SageMaker keeps only data/ of /opt/ml/output, so ${names} in ${OUTPUT} would be lost`;
const leftBefore = (names: string): string =>
  `${OUTPUT} still contains files of earlier runs: ${names}`;

suite("what a training leaves in output/", () => {
  type Row = readonly [title: string, before: Files, written: Files, said: readonly string[]];
  const rows: readonly Row[] = [
    ["nothing", { "old.json": "" }, {}, []],
    ["what SageMaker keeps", {}, {
      "data/metrics.json": "",
      "failure": "",
      "message": "",
      "metrics/sagemaker/a": "",
      "profiler/a": "",
      "tensors/a": "",
      "tensorboard/a": "",
      "success": "",
      ".gitkeep": "",
    }, []],
    ["a new file", {}, { "metrics.json": "" }, [dropped("metrics.json")]],
    ["a file that was there", { "metrics.json": "1" }, { "metrics.json": "2" }, [
      dropped("metrics.json"),
    ]],
    ["a file in a directory", { "plots/a.png": "1" }, { "plots/a.png": "2" }, [dropped("plots")]],
    ["many", {}, { d: "", c: "", b: "", a: "", "e/f": "" }, [dropped("a, b, c and 2 more")]],
  ];
  for (const [title, before, written, expected] of rows) {
    it(title, async () => assertEquals(await said("train", before, written), expected));
  }

  it("is not listed where the directory is large, but noticed", async () => {
    // Longer names fill the directory sooner.
    const many = Object.fromEntries(
      Array.from({ length: 400 }, (_, index) => [`${index}${"x".repeat(240)}`, ""]),
    );
    assertEquals(await said("train", many, {}), []);
    const [found] = await said("train", many, { "new.json": "" });
    // Where directories are small whatever they hold, as on tmpfs, it is named.
    assertEquals([dropped("new files"), dropped("new.json")].includes(found!), true, found);
  });
});

suite("what earlier runs left in the output of processing", () => {
  type Row = readonly [title: string, before: Files, written: Files, said: readonly string[]];
  const rows: readonly Row[] = [
    ["nothing", {}, { "clean.csv": "" }, []],
    ["what this run wrote again", { "clean.csv": "1" }, { "clean.csv": "2" }, []],
    ["a file", { "old.csv": "" }, { "clean.csv": "" }, [leftBefore("old.csv")]],
    ["what training leaves there", { "data/m": "", "failure": "", ".gitkeep": "" }, {}, []],
    ["a directory", { "plots/a.png": "" }, {}, [leftBefore("plots")]],
    ["nothing of a directory that it wrote to", { "p/a": "1", "p/b": "1" }, { "p/a": "2" }, []],
  ];
  for (const [title, before, written, expected] of rows) {
    it(title, async () => assertEquals(await said("process", before, written), expected));
  }
});

/** What is said of a directory with these files and these links. */
async function saidOfLinks(
  kind: ProgramKind,
  files: readonly string[],
  links: readonly string[],
): Promise<readonly string[]> {
  await using directory = await makeDirectory();
  await directory.write(Object.fromEntries(files.map((path) => [path, ""])));
  for (const link of links) await Deno.symlink("anywhere", join(directory.path, link));
  const path = kind === "train" ? "/opt/ml/model" : "/opt/ml/processing/output";
  return (await linkDifferences(kind, { source: directory.path, path })).map(({ message }) =>
    message
  );
}

suite("links in what a job leaves", () => {
  const rows: readonly (readonly [string, ProgramKind, string[], string[], string[]])[] = [
    ["none, in a model", "train", ["m", "deep/n"], [], []],
    ["none, in an output", "process", ["a.csv", "deep/b.csv"], [], []],
    ["in a model", "train", ["m", "deep/er/n"], ["deep/er/last", "best"], [
      "Training created links in /opt/ml/model: best, deep/er/last; SageMaker cannot create a model " +
      "from an archive with links",
    ]],
    ["in an output", "process", ["a.csv"], ["e", "d", "c", "b"], [
      "Processing created links in /opt/ml/processing/output: b, c, d and 1 more; SageMaker does " +
      "not upload their targets",
    ]],
  ];
  for (const [title, kind, files, links, expected] of rows) {
    it(title, async () => assertEquals(await saidOfLinks(kind, files, links), expected));
  }

  it("are not followed", async () => {
    await using directory = await makeDirectory();
    await directory.write({ "m": "" });
    await Deno.symlink(".", join(directory.path, "itself"));
    assertEquals(
      (await linkDifferences("train", { source: directory.path, path: "/x" })).length,
      1,
    );
  });

  for (
    const [args, target] of [
      [["train"], "/opt/ml/model"],
      [["process", "--file", "p.py"], "/opt/ml/processing/output"],
    ] as const
  ) {
    it(`are warned of: local ${args[0]}`, async () => {
      await using app = await completeApp();
      await using engine = await fakeContainers({
        program: async ({ body, end }) => {
          const mount = body.HostConfig.Mounts.find(({ Target }) => Target === target)!;
          await Deno.symlink("m", join(mount.Source, "best"));
          end(0);
        },
      });
      const { code, stderr } = await runInProcess(["local", ...args], {
        cwd: app.directory,
        engine,
      });
      assertEquals([code, stderr.includes(`created links in ${target}: best;`)], [0, true], stderr);
    });
  }

  it("are none where there is no directory", async () => {
    assertEquals(await linkDifferences("process", { source: "/nowhere/at/all", path: "/x" }), []);
  });
});
