import { assertEquals, assertMatch } from "@std/assert";
import { MlcliError } from "../../runtime/errors.ts";
import { PROCESS, TRAIN } from "../helpers/cloud_lines.ts";
import {
  type CommandName,
  COMMANDS,
  commandsWith,
  except,
  type Exceptions,
  fails,
  openStage,
  printsResult,
  type Stage,
  wordsOf,
  wordsWith,
} from "../helpers/command_lines.ts";
import { MAY_MOUNT, type SmallDisk, smallDisk } from "../helpers/small_disk.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

/** Error of a stream on a full disk (`tests/commands/streams_test.ts`, on /dev/full). */
const outputError = new MlcliError("Cannot write to standard output: No space left on device");
const SAID = /^error: Cannot write to standard output: No space left on device$/m;

/** Messages of a command on standard error about completed steps. */
const DONE: Readonly<Partial<Record<CommandName, RegExp>>> = {
  "push": /test-[0-9a-f]+/,
  "upload-data": /Uploaded 1 file |1 unchanged/,
  "train": /test-[0-9a-f]+-\d{4}-/,
  "process": /test-[0-9a-f]+-\d{4}-/,
  "transform": /test-[0-9a-f]+-\d{4}-/,
  "deploy": /shop/,
  "download-model": /bytes from s3:/,
};

/** Runs a command line, and requires that it fails. */
async function assertFails(
  stage: Stage,
  name: CommandName,
  words: readonly string[] = stage.filled(wordsOf(name)),
): Promise<void> {
  const engine = stage.engineOf(name);
  const { code, stdout, stderr } = await stage.run(words, { engine, outputError });
  const where = `mlcli ${words.join(" ")}`;
  assertEquals({ where, code, stdout }, { where, code: 1, stdout: "" }, stderr);
  assertMatch(stderr, SAID);
  assertMatch(stderr, DONE[name] ?? /^/);
  // The server of local deploy keeps running.
  assertEquals(stage.engine.left.filter((one) => !one.includes("-serve-")), []);
}

suite("a command whose standard output is on a full disk", () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(async () => await stage?.[Symbol.asyncDispose]());

  for (const name of COMMANDS.filter(printsResult)) {
    it(`mlcli ${name} fails if its result cannot be written, and prints what it has done`, () =>
      assertFails(stage, name));
  }

  for (const [name, words] of [["train", TRAIN], ["process", PROCESS]] as const) {
    it(`mlcli ${name} fails after the job if its result cannot be written`, () =>
      assertFails(stage, name, words));
  }

  it("a command with --output json fails if its result cannot be written", async () => {
    await using other = await openStage();
    for (const name of await commandsWith("--output")) {
      await assertFails(other, name, other.filled(wordsWith(name, "--output", "json")));
    }
  });

  // Last, because the directory then has two apps.
  it("mlcli init fails after it has created an app if the names of its files cannot be written", () =>
    assertFails(stage, "init", ["init", "other", "--base-image", "python:3.12"]));
});

/** Commands that write to the app's directory. */
const EXCEPTIONS: Exceptions = {
  "local train": "it writes the run and the model (local/full_disk_test.ts)",
  "local process": "it writes the run and the output (local/full_disk_test.ts)",
  "local transform": "it writes the responses",
  "local shell": "it writes working copies (local/full_disk_test.ts)",
  "local report": "it writes the report",
  "download-model": "it writes the model (cloud/full_disk_test.ts)",
};

// Only root can mount a disk.
if (MAY_MOUNT) {
  suite("an app on a full disk", () => {
    let disk: SmallDisk;
    let stage: Stage;

    beforeAll(async () => {
      disk = await smallDisk();
      stage = await openStage({ parent: disk.path });
      await disk.leave({ blocks: 0, files: 0 });
    });
    afterAll(async () => {
      await stage?.[Symbol.asyncDispose]();
      await disk?.[Symbol.asyncDispose]();
    });

    for (const name of except(COMMANDS, EXCEPTIONS)) {
      it(`mlcli ${name} works in an app on a full disk, because it writes nothing there`, async () => {
        const { code, stderr } = await stage.runCommand(name);
        const isFull = stderr.includes("No space");
        assertEquals({ fails: code !== 0, isFull }, { fails: fails(name), isFull: false }, stderr);
      });
    }
  });
}
