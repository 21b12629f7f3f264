import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { Metrics } from "../../../../runtime/local/metrics/metrics.ts";
import type { RunRecord } from "../../../../runtime/local/runs/record.ts";
import { withRun } from "../../../../runtime/local/runs/run.ts";
import { recordsOf, type RunFacts } from "../../../../runtime/model/records.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { namesIn } from "../../../helpers/directory.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { MAY_MOUNT, type Room, smallDisk } from "../../../helpers/small_disk.ts";
import { it, suite } from "../../../helpers/suite.ts";

const FACTS: RunFacts = {
  kind: "train",
  app: "demo",
  mlcli: "1",
  container: "mlcli-demo-train-0badcafe",
  hyperparameters: {},
  channels: {},
  options: {},
  variables: [],
};

type Moment = "begin" | "value" | "end";

/** The record of a run whose disk has this room from a moment on, to another one. */
async function recordOf(room: Room, from: Moment, to?: Moment) {
  await using disk = await smallDisk();
  const layout = appObject(disk.path, "demo").paths;
  const context = fakeContext();
  const at = async (moment: Moment): Promise<void> => {
    if (moment === from) await disk.leave(room);
    if (moment === to) await disk.leave({});
  };
  await Deno.mkdir(layout.testDirectory, { recursive: true });
  await withRun(layout, context, async ({ record }) => {
    const metrics = new Metrics([{ name: "loss", regex: "loss=(.*)" }], () => 0);
    record.measure(metrics);
    await at("begin");
    begin(record);
    await at("value");
    const { out, end } = metrics.listen(context, context.interruption.signal, () => {});
    await out.write(new TextEncoder().encode("loss=1\n"));
    await end();
    await at("end");
  });
  const found = await Promise.all(
    (await recordsOf(layout)).map(async ({ name, status }) => [
      status,
      ...await namesIn(join(layout.jobs, name)),
    ]),
  );
  const names = (await namesIn(layout.jobs).catch(() => [])).filter((name) =>
    name !== ".gitignore"
  );
  assertEquals(names.length, found.length, "a directory without a record");
  const warnings = context.err.text.match(
    /^warning: The run continues, but its record .*: No space/gm,
  );
  return { found, warnings: warnings?.length ?? 0 };
}

function begin(record: RunRecord): void {
  record.begin(FACTS, { reference: "demo:latest", id: "sha256:0" });
}

const WHOLE = ["Completed", "job.json", "metrics.csv"];
// Whether it went on when nothing more could be written, nobody could tell from it.
const BEGUN = ["Lost", "job.json", "metrics.csv"];

// Root alone can mount a disk.
if (MAY_MOUNT) {
  suite("the record of a run on a full disk", () => {
    it("is whole where there is room", async () => {
      assertEquals(await recordOf({}, "begin"), { found: [WHOLE], warnings: 0 });
    });

    it("leaves no half .gitignore, which would be taken for the user's own", async () => {
      await using disk = await smallDisk();
      const layout = appObject(disk.path, "demo").paths;
      await Deno.mkdir(layout.testDirectory, { recursive: true });
      await Deno.mkdir(layout.jobs);
      await disk.leave({ blocks: 0 });
      const run = () => withRun(layout, fakeContext(), () => Promise.resolve());
      await assertRejects(run, MlcliError, "No space left on device");
      assertEquals(await namesIn(layout.jobs), []);
    });

    for (const room of [{ blocks: 0 }, { files: 0 }] as const) {
      const [what] = Object.keys(room);
      it(`is not there where it could not begin (${what})`, async () => {
        assertEquals(await recordOf(room, "begin"), { found: [], warnings: 1 });
      });

      it(`has no half file where it could not end (${what})`, async () => {
        assertEquals(await recordOf(room, "end"), { found: [BEGUN], warnings: 1 });
      });

      it(`has its end where there is room again (${what})`, async () => {
        const { found, warnings } = await recordOf(room, "begin", "end");
        assertEquals([found, warnings], [[["Completed", "job.json"]], 1]);
        const later = await recordOf(room, "value", "end");
        assertEquals(later, { found: [["Completed", "job.json"]], warnings: 1 });
      });
    }
  });
}
