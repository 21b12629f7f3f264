import { assertEquals, assertRejects } from "@std/assert";
import { Box } from "../../helpers/box/box.ts";
import { modelData } from "../../helpers/box/endpoints/serving/model_data.ts";
import { Limit, pause } from "../../helpers/box/endpoints/serving/pause.ts";
import { handoverOf } from "../../helpers/box/endpoints/serving/traffic.ts";
import { it, suite } from "../../helpers/suite.ts";
import { gzip, tarGz } from "../../helpers/tar.ts";

suite("the box's endpoints: how an update hands the traffic over", () => {
  const routed = (routing: Record<string, unknown>, more = {}): Record<string, unknown> => ({
    BlueGreenUpdatePolicy: { TrafficRoutingConfiguration: routing, ...more },
  });
  const percent = (Value: number): unknown => ({ Type: "CAPACITY_PERCENT", Value });
  const instances = (Value: number): unknown => ({ Type: "INSTANCE_COUNT", Value });

  for (
    const { policy, count = 4, shares, wait = 0, terminationWait = 0 } of [
      { policy: undefined, shares: [1] },
      { policy: routed({ Type: "ALL_AT_ONCE", WaitIntervalInSeconds: 9 }), shares: [1], wait: 9 },
      {
        policy: routed(
          { Type: "CANARY", CanarySize: percent(10), WaitIntervalInSeconds: 60 },
          { TerminationWaitInSeconds: 120 },
        ),
        shares: [0.1, 1],
        wait: 60,
        terminationWait: 120,
      },
      { policy: routed({ Type: "CANARY", CanarySize: instances(1) }), shares: [0.25, 1] },
      { policy: routed({ Type: "CANARY", CanarySize: instances(1) }), count: 1, shares: [1, 1] },
      {
        policy: routed({ Type: "LINEAR", LinearStepSize: percent(40) }),
        shares: [0.4, 0.8, 1],
      },
      {
        policy: routed({ Type: "LINEAR", LinearStepSize: percent(10) }),
        shares: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1],
      },
      {
        policy: {
          RollingUpdatePolicy: { MaximumBatchSize: instances(2), WaitIntervalInSeconds: 5 },
        },
        shares: [0.5, 1],
        wait: 5,
      },
    ]
  ) {
    it(`of ${count} to ${shares.join(", ")}, waiting ${wait} and ${terminationWait} s`, () => {
      const handover = handoverOf(policy, count);
      assertEquals(handover.shares.map((share) => Math.round(share * 100) / 100), shares);
      assertEquals([handover.wait, handover.terminationWait], [wait, terminationWait]);
      assertEquals(handover.alarms, []);
    });
  }

  it("its alarms", () => {
    const policy = { AutoRollbackConfiguration: { Alarms: [{ AlarmName: "a" }] } };
    assertEquals(handoverOf(policy, 1).alarms, ["a"]);
  });
});

suite("the box's endpoints: what an instance gets as its model", () => {
  it("the entries of the archive, or the objects below a prefix", async () => {
    await using box = await Box.open();
    box.s3.createBucket("data");
    const archive = await tarGz([
      { name: "./", type: "5" },
      { name: "./model.txt", content: "one" },
      { name: "code/a.py", content: "two" },
    ]);
    await box.s3.put("data", "model.tar.gz", archive);
    await box.s3.put("data", "models/a/model.txt", "three");
    const names = async (container: Record<string, unknown>): Promise<unknown> =>
      (await modelData(container, box.s3))?.map(({ name, content }) => [
        name,
        new TextDecoder().decode(content),
      ]);
    assertEquals(await names({}), undefined);
    const packed = [["model.txt", "one"], ["code/a.py", "two"]];
    const url = "s3://data/model.tar.gz";
    assertEquals(await names({ ModelDataUrl: url }), packed);
    const source = (S3Uri: string, CompressionType: string): Record<string, unknown> => ({
      ModelDataSource: { S3DataSource: { S3Uri, CompressionType } },
    });
    assertEquals(await names(source(url, "Gzip")), packed);
    assertEquals(await names(source("s3://data/models/", "None")), [["a/model.txt", "three"]]);
  });

  it("what is no such archive is refused, and so is one with links or ways out", async () => {
    await using box = await Box.open();
    box.s3.createBucket("data");
    const good = await tarGz([{ name: "model.txt", content: "one".repeat(2_000) }]);
    const unzipped = new Blob([good.slice()]).stream().pipeThrough(new DecompressionStream("gzip"));
    const plain = new Uint8Array(await new Response(unzipped).arrayBuffer());
    const bad: Record<string, Uint8Array> = {
      text: new TextEncoder().encode("no archive"),
      plain,
      cut: good.slice(0, -20),
      half: await gzip(plain.slice(0, 2_000)),
      zipped: await gzip(new TextEncoder().encode("no archive".repeat(200))),
      link: await tarGz([{ name: "model.txt", type: "2", link: "other.txt" }]),
      out: await tarGz([{ name: "../model.txt", content: "one" }]),
    };
    for (const [name, bytes] of Object.entries(bad)) {
      await box.s3.put("data", name, bytes);
      const ModelDataUrl = `s3://data/${name}`;
      await assertRejects(
        () => modelData({ ModelDataUrl }, box.s3),
        Error,
        `s3://data/${name}". Please ensure that the object located at the URL is a valid tar.gz`,
      );
    }
    for (const ModelDataUrl of ["s3://data/none", "s3://nowhere/model.tar.gz"]) {
      await assertRejects(() => modelData({ ModelDataUrl }, box.s3), Error, "Failed to download");
    }
  });
});

suite("the box's endpoints: a limit", () => {
  it("comes with its signal, or in time, and keeps nothing", async () => {
    const early = new AbortController();
    using limit = new Limit(60_000, early.signal);
    assertEquals([limit.signal.aborted, limit.isLate], [false, false]);
    const paused = pause(60_000, early.signal);
    early.abort();
    await paused;
    assertEquals([limit.signal.aborted, limit.isLate], [true, false]);
    using over = new Limit(60_000, early.signal);
    assertEquals([over.signal.aborted, over.isLate], [true, false]);
    using late = new Limit(0);
    await pause(60_000, late.signal);
    assertEquals([late.signal.aborted, late.isLate], [true, true]);
  });
});
