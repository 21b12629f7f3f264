import { assertEquals } from "@std/assert";
import {
  COMMANDS,
  except,
  type Exceptions,
  fails,
  openStage,
  type Stage,
} from "../helpers/command_lines.ts";
import { MAY_MOUNT, type SmallDisk, smallDisk } from "../helpers/small_disk.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

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
      it(`does not disturb a command that writes nothing to it: mlcli ${name}`, async () => {
        const { code, stderr } = await stage.runCommand(name);
        const isFull = stderr.includes("No space");
        assertEquals({ fails: code !== 0, isFull }, { fails: fails(name), isFull: false }, stderr);
      });
    }
  });
}
