import { assertEquals, assertMatch } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { Box } from "../../helpers/box/box.ts";
import { contentOf, namesIn } from "../../helpers/directory.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { assertSaysNoRoom, moments } from "../../helpers/full_disk.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { inOwnProcess } from "../../helpers/own_process.ts";
import { MAY_MOUNT, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";
import { tarGz } from "../../helpers/tar.ts";

const BUCKET = "data-bucket";
const KEY = "churn/model.tar.gz";

// Bytes that cannot be compressed.
const WEIGHTS = Array.from(
  crypto.getRandomValues(new Uint8Array(6_000)),
  (byte) => byte.toString(16).padStart(2, "0"),
).join("");
const ARCHIVE = tarGz([
  { name: "./", type: "5" },
  { name: "./weights", content: WEIGHTS },
  { name: "./code/", type: "5" },
  { name: "./code/inference.py", content: "print()\n" },
]);
const MODEL = { "code/": "", "code/inference.py": "print()\n", weights: WEIGHTS };
const OLD = { ".gitkeep": "", m: "old\n" };

// Root alone can mount a disk.
if (MAY_MOUNT) {
  for (
    const [words, args, files] of [
      ["in the place of the app's model", [], 10],
      ["into a new directory", ["--to", "there"], 8],
      ["into an empty directory", ["--to", "empty"], 8],
    ] as const
  ) {
    suite(`download-model ${words} on a full disk takes nothing half for whole`, () => {
      for (const moment of moments({ blocks: 9, files, calls: 4 })) {
        it(moment.title, async () => {
          await using disk = await smallDisk();
          await using box = await Box.open();
          await using engine = await fakeContainers();
          await using app = await completeApp({ parent: disk.path });
          await Deno.mkdir(`${app.directory}/empty`);
          await app.write(app.testPath("model/m"), "old\n");
          await app.write(app.testPath("model/.gitkeep"), "");
          box.s3.createBucket(BUCKET);
          await box.s3.put(BUCKET, KEY, await ARCHIVE);
          let calls = 0;
          box.faults.after = async () => {
            if (++calls === moment.call) await disk.leave(moment.room);
            return undefined;
          };
          const before = await namesIn(app.directory);
          const download = () =>
            runInProcess(["download-model", `s3://${BUCKET}/${KEY}`, ...args], {
              cwd: app.directory,
              cloud: box.env(),
              engine,
            });
          const target = args.length === 0 ? app.testPath("model") : `${app.directory}/${args[1]}`;
          const whole = args.length === 0 ? { ".gitkeep": "", ...MODEL } : MODEL;

          if (moment.call === 0) await disk.leave(moment.room);
          const result = await download();
          if (result.code === 0) assertEquals(await contentOf(target), whole);
          else {
            assertSaysNoRoom(result, disk);
            assertEquals(await namesIn(app.directory), before);
            assertEquals(await namesIn(`${app.directory}/empty`), []);
            assertEquals(await contentOf(app.testPath("model")), OLD);
            await disk.leave({});
            assertEquals((await download()).code, 0);
            assertEquals(await contentOf(target), whole);
          }
          assertEquals(await namesIn(app.testPath()), ["input", "model"]);
          // The earlier model is kept, if there was one in its place.
          const kept = args.length === 0 ? ["jobs"] : [];
          assertEquals(await namesIn(app.path("local_test")), [...kept, "test_dir"]);
        });
      }
    });
  }

  suite("download-model into a model/ on another disk, which is full", () => {
    it("leaves the earlier model, and nothing beside it", async () => {
      await using disk = await smallDisk();
      await using box = await Box.open();
      await using app = await completeApp();
      await Deno.remove(app.testPath("model"), { recursive: true });
      await Deno.mkdir(`${disk.path}/m`);
      await Deno.writeTextFile(`${disk.path}/m/m`, "old\n");
      await mounted(disk.path, app.testPath("model"), async () => {
        box.s3.createBucket(BUCKET);
        await box.s3.put(BUCKET, KEY, await ARCHIVE);
        await disk.leave({ blocks: 1 });
        const result = await runInProcess(["download-model", `s3://${BUCKET}/${KEY}`], {
          cwd: app.directory,
          cloud: box.env(),
        });
        assertSaysNoRoom(result, disk);
        assertMatch(
          result.stderr,
          /^error: Cannot move the model from .*\nhint: The previous model is/,
        );
        assertEquals(await contentOf(app.testPath("model")), { "m/": "", "m/m": "old\n" });
        assertEquals(await namesIn(app.testPath()), ["input", "model"]);
      });
    });
  });

  suite("download-output on a full disk", () => {
    it("download-output leaves no file on a full disk, and downloads all once the disk has space", async () => {
      await using disk = await smallDisk();
      await using box = await Box.open();
      await using app = await completeApp({ parent: disk.path });
      box.s3.createBucket(BUCKET);
      const Outputs = [{ OutputName: "o", S3Output: { S3Uri: `s3://${BUCKET}/o` } }];
      const job = box.jobs.add("processing", "clean", { ProcessingOutputConfig: { Outputs } });
      for (const name of ["a", "b"]) await box.s3.put(BUCKET, `o/${name}`, WEIGHTS);
      job.end({ status: "Completed" });
      const download = () =>
        runInProcess(["download-output", "clean"], { cwd: app.directory, cloud: box.env() });
      const before = await namesIn(app.directory);
      await disk.leave({ blocks: 4 });
      assertSaysNoRoom(await download(), disk);
      assertEquals(await namesIn(app.directory), before);
      await disk.leave({});
      assertEquals((await download()).code, 0);
      const whole = { "o/": "", "o/a": WEIGHTS, "o/b": WEIGHTS };
      assertEquals(await contentOf(`${app.directory}/clean`), whole);
    });
  });

  suite("a model that is packed where the directory of temporary files is full", () => {
    it("is not sent, the reason names TMPDIR, and nothing is left there", async () => {
      const code = `
        const { signal } = new AbortController();
        Deno.chdir(${JSON.stringify("/")});
        const model = { path: Deno.makeTempDirSync(), shown: "model" };
        Deno.writeTextFileSync(model.path + "/weights", ${JSON.stringify(WEIGHTS)});
        await using disk = await smallDisk();
        Deno.env.set("TMPDIR", disk.path);
        const rows = [];
        for (const room of [{ blocks: 0 }, { blocks: 1 }, { blocks: 2 }, { files: 0 }, { files: 1 }, { files: 2 }, {}]) {
          await disk.leave(room);
          try {
            await using archive = await archiveOf(model, {}, () => {}, signal);
            rows.push([archive.bytes === Deno.statSync(archive.path).size]);
          } catch (error) {
            rows.push([error.message, /TMPDIR/.test(error.hint)]);
          }
          await disk.leave({});
          rows.at(-1).push([...Deno.readDirSync(disk.path)].length);
        }
        Deno.removeSync(model.path, { recursive: true });
        console.log(JSON.stringify(rows));`;
      const rows = JSON.parse(
        await inOwnProcess(code, {
          imports: {
            archiveOf: "runtime/cloud/deploy/packing.ts",
            smallDisk: "tests/helpers/small_disk.ts",
          },
        }),
      );
      const refused = ["Cannot pack the model: No space left on device", true, 0];
      assertEquals(rows, [...Array(6).fill(refused), [true, 0]]);
    });
  });
}

/** Does something while a directory is mounted over another one. */
async function mounted(source: string, target: string, work: () => Promise<void>): Promise<void> {
  const run = async (program: string, ...args: string[]) => {
    assertEquals((await new Deno.Command(program, { args }).output()).success, true);
  };
  await Deno.mkdir(target, { recursive: true });
  await run("mount", "--bind", source, target);
  try {
    await work();
  } finally {
    await run("umount", "--lazy", target);
  }
}
