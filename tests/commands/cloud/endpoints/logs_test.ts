import { assert, assertEquals, assertMatch } from "@std/assert";
import { Box } from "../../../helpers/box/box.ts";
import { type InProcessOptions, Keys, runCloudInProcess } from "../../../helpers/in_process.ts";
import { lines } from "../../../helpers/jobs.ts";
import { it, suite } from "../../../helpers/suite.ts";

const GROUP = "/aws/sagemaker/Endpoints/shop";
const DAY = 24 * 3_600_000;

function run(box: Box, args: readonly string[] = [], more: Partial<InProcessOptions> = {}) {
  return runCloudInProcess(box, ["logs", "shop", ...args], more);
}

/** A box with the endpoint `shop`. */
async function withShop(): Promise<Box> {
  const box = await Box.open();
  box.endpoints.add("shop");
  return box;
}

const asked = (box: Box): number =>
  box.operations.filter((name) => name === "logs:GetLogEvents").length;

suite("mlcli logs of an endpoint", () => {
  it("prints what its one instance wrote as it is", async () => {
    await using box = await withShop();
    box.logs.put(GROUP, "AllTraffic/i-1", ["\x1b[31mloading\x1b[0m", "ready"]);
    box.logs.put(`${GROUP}-2`, "AllTraffic/i-1", ["of another endpoint"]);
    assertEquals(await run(box), { code: 0, stdout: "loading\nready\n", stderr: "" });
  });

  it("prints all instances of all variants in the order of time, with whose line it is", async () => {
    await using box = await withShop();
    box.logs.put(GROUP, "AllTraffic/i-1", lines("one", 2, 1_000));
    box.logs.put(GROUP, "Other/i-2", lines("two", 2, 1_500));
    box.logs.streamsInPage = 1;
    box.logs.eventsInPage = 1;
    assertEquals(
      (await run(box)).stdout,
      "AllTraffic/i-1: one 1\nOther/i-2: two 1\nAllTraffic/i-1: one 2\nOther/i-2: two 2\n",
    );
    assertEquals((await run(box, ["--tail", "1"])).stdout, "Other/i-2: two 2\n");
    assertEquals((await run(box, ["--tail", "0"])).stdout, "");
    assertEquals((await run(box, ["--tail", "9"])).stdout.split("\n").length, 5);
  });

  it("asks no instance that ended long ago for the last lines, nor for those since then", async () => {
    await using box = await withShop();
    const now = Date.now();
    for (let index = 0; index < 20; index++) {
      box.logs.put(GROUP, `AllTraffic/i-old${index}`, lines("old", 2, now - 9 * DAY));
    }
    box.logs.put(GROUP, "AllTraffic/i-new", lines("new", 3, now - 10_000));
    const last = "AllTraffic/i-new: new 2\nAllTraffic/i-new: new 3\n";
    assertEquals((await run(box, ["--tail", "2"])).stdout, last);
    assertEquals(asked(box), 1);
    assertEquals((await run(box, ["--since", "1h"])).stdout, `AllTraffic/i-new: new 1\n${last}`);
    assert(asked(box) <= 4, `${asked(box)}`);
    // More than the newest has.
    assertEquals((await run(box, ["--tail", "4"])).stdout.split("\n").length, 5);
  });

  it("says that there is no line yet", async () => {
    await using box = await withShop();
    assertEquals(await run(box), {
      code: 0,
      stdout: "",
      stderr: "No log lines yet: the endpoint is InService\n",
    });
    assertEquals(
      (await run(box, ["--since", "1h"])).stderr,
      "No log lines since the given time: the endpoint is InService\n",
    );
  });

  it("follows it until it is gone: instances that come later, lines that come after the end", async () => {
    await using box = await withShop();
    const endpoint = box.endpoints.endpoint("shop");
    box.logs.put(GROUP, "AllTraffic/i-1", ["one"]);
    let rounds = 0;
    box.faults.before = ({ operation }) => {
      if (operation !== "DescribeLogStreams") return undefined;
      rounds++;
      if (rounds === 3) box.logs.put(GROUP, "AllTraffic/i-2", ["two"]);
      if (rounds === 6) {
        endpoint.beginDelete();
        endpoint.settle();
      }
      if (endpoint.isGone && box.logs.messages(GROUP, "AllTraffic/i-1").length === 1) {
        box.logs.put(GROUP, "AllTraffic/i-1", ["late"]);
      }
      return undefined;
    };
    assertEquals(await run(box, ["--follow"]), {
      code: 0,
      stdout: "one\nAllTraffic/i-2: two\nAllTraffic/i-1: late\n",
      stderr: "The endpoint has ended: it was deleted\n",
    });
  });

  it("follows from the last lines on, and ends where it has failed", async () => {
    await using box = await Box.open();
    box.endpoints.add("shop", { status: "Creating" });
    box.endpoints.script("shop", [
      { log: { "AllTraffic/i-1": ["new 1"] } },
      { log: { "AllTraffic/i-1": ["new 2"] } },
      { end: "Failed", reason: "no\x1b[2J\nping" },
    ]);
    box.logs.put(GROUP, "AllTraffic/i-1", lines("old", 10));
    const { code, stdout, stderr } = await run(box, ["--follow", "--tail", "2"]);
    assertEquals([code, stdout], [0, "old 10\nnew 1\nnew 2\n"]);
    assertEquals(stderr, "The endpoint has ended: Failed: no?[2J\nping\n");
  });

  it("ends at Ctrl-C", async () => {
    await using box = await withShop();
    box.logs.put(GROUP, "AllTraffic/i-1", ["one"]);
    const keys = new Keys();
    let rounds = 0;
    box.faults.after = ({ operation }) => {
      if (operation === "GetLogEvents" && ++rounds === 5) keys.press();
      return undefined;
    };
    assertEquals(await run(box, ["-f"], { keys }), { code: 130, stdout: "one\n", stderr: "" });
  });

  it("fails where the log may not be read", async () => {
    await using box = await withShop();
    box.logs.put(GROUP, "AllTraffic/i-1", ["one"]);
    box.faults.deny("logs:GetLogEvents");
    for (const options of [[], ["--follow"]]) {
      const { code, stderr } = await run(box, options);
      assertEquals(code, 1);
      assertMatch(stderr, /error: AccessDeniedException: logs:GetLogEvents\n/);
    }
  });
});
