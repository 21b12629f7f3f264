import { assertEquals } from "@std/assert";
import { ask } from "../../helpers/box/ask.ts";
import { Box } from "../../helpers/box/box.ts";
import { it, suite } from "../../helpers/suite.ts";

const GROUP = "/aws/sagemaker/TrainingJobs";
const STREAM = { logGroupName: GROUP, logStreamName: "job/algo-1-1" };

/** A box with a stream of these lines, a millisecond after the other. */
async function withLines(...lines: readonly string[]): Promise<Box> {
  const box = await Box.open();
  box.logs.put(
    GROUP,
    STREAM.logStreamName,
    lines.map((message, index) => ({ timestamp: 1000 + index, message })),
  );
  return box;
}

/** The texts of a page, and the tokens. */
async function page(
  box: Box,
  input: Readonly<Record<string, unknown>>,
): Promise<{ readonly lines: string[]; readonly forward: string; readonly backward: string }> {
  const { body, error } = await ask(box, "logs", "GetLogEvents", { ...STREAM, ...input });
  assertEquals(error, undefined);
  return {
    lines: body.events.map(({ message }: { message: string }) => message),
    forward: body.nextForwardToken,
    backward: body.nextBackwardToken,
  };
}

suite("the box's logs: streams", () => {
  it("are not there before the first line of a group", async () => {
    await using box = await Box.open();
    const input = { logGroupName: GROUP, logStreamNamePrefix: "job/" };
    const { error, body } = await ask(box, "logs", "DescribeLogStreams", input);
    assertEquals([error, body.message], [
      ...["ResourceNotFoundException", "The specified log group does not exist."],
    ]);
    box.logs.createGroup(GROUP);
    assertEquals((await ask(box, "logs", "DescribeLogStreams", input)).body.logStreams, []);
    const events = await ask(box, "logs", "GetLogEvents", STREAM);
    assertEquals(events.body.message, "The specified log stream does not exist.");
  });

  it("come by name, in pages, those of a prefix", async () => {
    await using box = await Box.open();
    for (const name of ["job/algo-2", "other/algo-1", "job/algo-1", "job/algo-3"]) {
      box.logs.put(GROUP, name, ["line"]);
    }
    box.logs.streamsInPage = 2;
    const input = { logGroupName: GROUP, logStreamNamePrefix: "job/" };
    const first = (await ask(box, "logs", "DescribeLogStreams", input)).body;
    const { nextToken } = first;
    const second = (await ask(box, "logs", "DescribeLogStreams", { ...input, nextToken })).body;
    const names = [first, second].map(({ logStreams }) =>
      logStreams.map(({ logStreamName }: { logStreamName: string }) => logStreamName)
    );
    assertEquals(names, [["job/algo-1", "job/algo-2"], ["job/algo-3"]]);
    assertEquals(second.nextToken, undefined);
  });

  it("cannot be sorted by time and chosen by a prefix", async () => {
    await using box = await withLines("x");
    const input = { logGroupName: GROUP, orderBy: "LastEventTime" };
    assertEquals((await ask(box, "logs", "DescribeLogStreams", input)).error, undefined);
    const both = { ...input, logStreamNamePrefix: "job/" };
    const { error } = await ask(box, "logs", "DescribeLogStreams", both);
    assertEquals(error, "InvalidParameterException");
  });
});

suite("the box's logs: events", () => {
  it("are read forward until the token stays the same", async () => {
    await using box = await withLines("one", "two", "three");
    box.logs.eventsInPage = 2;
    const first = await page(box, { startFromHead: true });
    assertEquals(first.lines, ["one", "two"]);
    const second = await page(box, { startFromHead: true, nextToken: first.forward });
    assertEquals(second.lines, ["three"]);
    const third = await page(box, { startFromHead: true, nextToken: second.forward });
    assertEquals([third.lines, third.forward], [[], second.forward]);
    box.logs.put(GROUP, STREAM.logStreamName, ["four"]);
    const fourth = await page(box, { startFromHead: true, nextToken: third.forward });
    assertEquals(fourth.lines, ["four"]);
  });

  it("may come in a page that is empty, with another token, and no end", async () => {
    await using box = await withLines("one", "two");
    box.logs.emptyPages = 2;
    let nextToken: string | undefined;
    const seen = [];
    const tokens = new Set<string>();
    for (let round = 0; round < 3; round++) {
      const { lines, forward } = await page(box, { startFromHead: true, nextToken });
      seen.push(lines);
      tokens.add(nextToken = forward);
    }
    assertEquals([seen, tokens.size], [[[], [], ["one", "two"]], 3]);
  });

  it("are read from the end, and back", async () => {
    await using box = await withLines("one", "two", "three");
    const last = await page(box, { limit: 2 });
    assertEquals(last.lines, ["two", "three"]);
    const before = await page(box, { limit: 2, nextToken: last.backward });
    assertEquals(before.lines, ["one"]);
    const none = await page(box, { limit: 2, nextToken: before.backward });
    assertEquals([none.lines, none.backward], [[], before.backward]);
  });

  it("are those of a time, its end not included", async () => {
    await using box = await withLines("one", "two", "three");
    const { lines } = await page(box, { startFromHead: true, startTime: 1001, endTime: 1002 });
    assertEquals(lines, ["two"]);
  });

  it("fill a megabyte at most", async () => {
    await using box = await withLines(...Array<string>(5).fill("x".repeat(250_000)));
    const { lines, forward } = await page(box, { startFromHead: true });
    assertEquals(lines.length, 4);
    assertEquals((await page(box, { startFromHead: true, nextToken: forward })).lines.length, 1);
  });

  const wrong = [
    [{ logStreamName: undefined }, "null at 'logStreamName'"],
    [{ limit: 10_001 }, "less than or equal to 10000"],
    [{ logGroupName: "a b" }, "regular expression pattern"],
    [{ nextToken: "f/0/s" }, "startFromHead must be true"],
    [{ nextToken: "x", startFromHead: true }, "nextToken is invalid"],
  ] as const;
  for (const [input, words] of wrong) {
    it(`are refused for ${JSON.stringify(input)}`, async () => {
      await using box = await withLines("one");
      const { error, body } = await ask(box, "logs", "GetLogEvents", { ...STREAM, ...input });
      assertEquals(error, "InvalidParameterException");
      assertEquals(body.message.includes(words), true, body.message);
    });
  }
});
