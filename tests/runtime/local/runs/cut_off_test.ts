import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { completeRecord, recordsOf, summaryOf } from "../../../../runtime/model/records.ts";
import { isRunOver, runDirectoryOf } from "../../../../runtime/model/runs.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const RUN = "mlcli-demo-train-0badcafe";
const RECORD = `${
  JSON.stringify(
    {
      name: "demo-2026-03-01-09-30-00-123",
      kind: "train",
      container: RUN,
      started: "2026-03-01T09:30:00.123Z",
      ended: "2026-03-01T09:31:00.000Z",
      image: { reference: "demo:latest", id: "sha256:0" },
      hyperparameters: { epochs: "20" },
      outcome: { status: "Completed", exit_status: 0, reason: null },
      metrics: { loss: { last: 0.5, min: 0.5, max: 1, count: 2 } },
    },
    null,
    2,
  )
}\n`;

suite("what is cut off anywhere", () => {
  it("is no record, rather than half of one", () => {
    const whole = summaryOf("a", RECORD);
    assertEquals(whole?.status, "Completed");
    for (let length = 0; length < RECORD.length; length++) {
      // Without the line's end, nothing is missing.
      const expected = length === RECORD.length - 1 ? whole : undefined;
      assertEquals(summaryOf("a", RECORD.slice(0, length)), expected, `${length} characters`);
    }
  });

  it("does not keep other records from being read", async () => {
    await using directory = await makeDirectory();
    const layout = appObject(directory.path, "demo").paths;
    for (const [name, text] of [["cut", RECORD.slice(0, 200)], ["empty", ""], ["whole", RECORD]]) {
      await Deno.mkdir(join(layout.jobs, name!), { recursive: true });
      await Deno.writeTextFile(join(layout.jobs, name!, "job.json"), text!);
    }
    assertEquals((await recordsOf(layout)).map(({ name }) => name), ["whole"]);
  });

  it("does not make a run that goes on one that is over", async () => {
    await using directory = await makeDirectory();
    const layout = appObject(directory.path, "demo").paths;
    const folder = runDirectoryOf(layout, RUN);
    await Deno.mkdir(folder, { recursive: true });
    // Just made, by the clock that tells how old it is.
    const now = new Date();
    const owner = `4194305 ${Deno.hostname()}`;
    for (let length = 0; length < owner.length; length++) {
      await Deno.writeTextFile(join(folder, "owner"), owner.slice(0, length));
      await Deno.utime(folder, now, now);
      assertEquals(await isRunOver(layout, RUN), false, owner.slice(0, length));
    }
    // No process has this number.
    await Deno.writeTextFile(join(folder, "owner"), owner);
    assertEquals(await isRunOver(layout, RUN), true);
  });
});

suite("a record whose end becomes known later", () => {
  it("is written through no link that somebody left", async () => {
    await using directory = await makeDirectory({ "notes": "a year's" });
    const layout = appObject(directory.path, "demo").paths;
    const record = join(layout.jobs, "one");
    await Deno.mkdir(record, { recursive: true });
    const lost = JSON.stringify({ ...JSON.parse(RECORD), outcome: null });
    await Deno.writeTextFile(join(record, "job.json"), lost);
    await Deno.symlink(join(directory.path, "notes"), join(record, "job.json.part"));
    const outcome = { status: "Completed", exit_status: 0, reason: null } as const;
    const statuses = async () => (await recordsOf(layout)).map(({ status }) => status);
    await completeRecord(layout, "one", outcome);
    assertEquals(await Deno.readTextFile(join(directory.path, "notes")), "a year's");
    assertEquals(await statuses(), ["Lost"]);
    await completeRecord(layout, "one", outcome);
    assertEquals(await statuses(), ["Completed"]);
  });
});
