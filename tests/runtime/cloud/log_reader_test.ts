import { assertEquals } from "@std/assert";
import { AwsError } from "../../../runtime/aws/errors.ts";
import type { LogEvent, Logs } from "../../../runtime/aws/logs.ts";
import { LogReader } from "../../../runtime/cloud/log_reader.ts";
import { it, suite } from "../../helpers/suite.ts";

/** A log of one stream, whose tokens are places in it, and may be too old; pages are of 100. */
function log(since?: Date) {
  const written: LogEvent[] = [];
  const asked: (number | undefined)[] = [];
  let isTooOld = false;
  const logs: Logs = {
    streams: () => Promise.resolve([{ name: "s", creationTime: 1, lastTime: undefined }]),
    events(_group, _stream, { token, since = 0 }) {
      if (isTooOld && token !== undefined) {
        return Promise.reject(new AwsError("other", "The specified nextToken is invalid."));
      }
      if (token === undefined) asked.push(since);
      isTooOld = false;
      const first = written.findIndex(({ time }) => time >= since);
      const start = token === undefined ? (first < 0 ? written.length : first) : Number(token);
      const events = written.slice(start, start + 100);
      return Promise.resolve({ events, after: `${start + events.length}`, before: undefined });
    },
  };
  const reader = new LogReader(logs, { group: "g", since, prefixOf: () => "" });
  return {
    asked,
    /** Writes lines at a time (ms), and returns what is read then. */
    async after(time: number, ...messages: readonly string[]): Promise<readonly string[]> {
      written.push(...messages.map((message) => ({ time, message })));
      return (await Array.fromAsync(reader.news())).flat();
    },
    expire: () => void (isTooOld = true),
  };
}

const lines = (name: string) => Array.from({ length: 250 }, (_, number) => `${name}${number}`);

suite("a log whose token is too old", () => {
  it("loses no line of the same millisecond, and has none twice, however often", async () => {
    const { after, expire } = log();
    assertEquals(await after(1_000, ...lines("a")), lines("a"));
    for (const name of ["b", "c"]) {
      expire();
      assertEquals(await after(1_000, ...lines(name)), lines(name));
    }
    expire();
    assertEquals(await after(2_000, "d"), ["d"]);
    expire();
    assertEquals(await after(2_000), []);
  });

  it("is not read from before the time that was asked for", async () => {
    const { after, expire, asked } = log(new Date(5_000));
    assertEquals(await after(1_000, "before"), []);
    expire();
    assertEquals(await after(6_000, "after"), ["after"]);
    assertEquals(asked, [5_000, 5_000]);
  });
});
