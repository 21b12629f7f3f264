import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { JobKind } from "../../../../runtime/contract/jobs.ts";
import { linkDifferences } from "../../../../runtime/local/differences/output.ts";
import { completeApp } from "../../../helpers/app.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { fakeContainers } from "../../../helpers/fake_containers.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** What is said of a directory with these files and these links. */
async function said(
  kind: JobKind,
  files: readonly string[],
  links: readonly string[],
): Promise<readonly string[]> {
  await using directory = await makeDirectory();
  await directory.write(Object.fromEntries(files.map((path) => [path, ""])));
  for (const link of links) await Deno.symlink("anywhere", join(directory.path, link));
  return (await linkDifferences(kind, directory.path)).map(({ message }) => message);
}

suite("links in what a job leaves", () => {
  const rows: readonly (readonly [string, JobKind, string[], string[], string[]])[] = [
    ["none, in a model", "train", ["m", "deep/n"], [], []],
    ["none, in an output", "process", ["a.csv", "deep/b.csv"], [], []],
    ["in a model", "train", ["m", "deep/er/n"], ["deep/er/last", "best"], [
      "Training left links in /opt/ml/model: best, deep/er/last; on the platform, no model can be " +
      "created of an archive with links",
    ]],
    ["in an output", "process", ["a.csv"], ["e", "d", "c", "b"], [
      "Processing left links in /opt/ml/processing/output: b, c, d and 1 more; the platform does " +
      "not upload what they lead to",
    ]],
  ];
  for (const [title, kind, files, links, expected] of rows) {
    it(title, async () => assertEquals(await said(kind, files, links), expected));
  }

  it("are not followed", async () => {
    await using directory = await makeDirectory();
    await directory.write({ "m": "" });
    await Deno.symlink(".", join(directory.path, "itself"));
    assertEquals((await linkDifferences("train", directory.path)).length, 1);
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
      assertEquals([code, stderr.includes(`left links in ${target}: best;`)], [0, true], stderr);
    });
  }

  it("are none where there is no directory", async () => {
    assertEquals(await linkDifferences("process", "/nowhere/at/all"), []);
  });
});
