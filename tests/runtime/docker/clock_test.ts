import { assertEquals, assertStringIncludes } from "@std/assert";
import { clockAhead, onThisClock } from "../../../runtime/docker/answer.ts";
import { jobName } from "../../../runtime/contract/names.ts";
import { builtAt } from "../../../runtime/docker/images.ts";
import { completeApp } from "../../helpers/app.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { type Answer, clientOf } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** How far the engine's clock is from this machine's, in seconds. */
const SKEWS = [-25, 25, -86_400];

/** The time on the engine's clock. */
function engineTime(skew: number): Date {
  return new Date(Date.now() + skew * 1000);
}

/**
 * The events of a container that ran out of memory a second ago, as Docker answers (moby,
 * daemon/events.go): those between `since` and `until`, and no end before `until`.
 */
function events(skew: number): Answer {
  return ({ url }, released) => {
    const now = engineTime(skew).getTime() / 1000;
    const until = Number(new URL(url).searchParams.get("until") ?? Infinity);
    const sent = ["start", "oom", "die", "destroy"].filter(() => now - 1 <= until)
      .map((Action) => `${JSON.stringify({ Action })}\n`).join("");
    const isOver = until < now;
    return new Response(
      new ReadableStream({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(sent));
          if (isOver) controller.close();
          else released.then(() => controller.close()).catch(() => {}); // nobody reads any more
        },
      }),
    );
  };
}

suite("an engine with another clock", () => {
  for (const skew of SKEWS) {
    it(`says at once that memory ran out, where its clock is ${skew} s ahead`, async () => {
      await using app = await completeApp();
      await using engine = await fakeContainers({
        program: ({ end }) => end(137),
        answers: {
          "GET /events": events(skew),
        },
      });
      const { code, stderr } = await runInProcess(["local", "train"], {
        cwd: app.directory,
        engine,
      });
      assertEquals(code, 137);
      assertStringIncludes(stderr, "exit code 137 (killed by SIGKILL; out of memory)");
    });

    it(`tells the age of containers by one clock, where its own is ${skew} s ahead`, async () => {
      await using engine = await fakeContainers({
        answers: {
          "GET /containers/json": () =>
            Response.json([{
              Id: "c1",
              Names: [`/${jobName("a", "train")}`],
              Image: "a:latest",
              State: "running",
              Status: "Up 2 hours",
              Created: engineTime(skew).getTime() / 1000 - 7_300,
              Labels: { "mlcli.app": "a", "mlcli.role": "train" },
            }], { headers: { Date: engineTime(skew).toUTCString() } }),
        },
      });
      const { stdout } = await runInProcess(["local", "status"], {
        cwd: "/",
        engine,
        isTerminal: true,
      });
      assertStringIncludes(stdout, "  2h  ");
    });
  }

  it("may give a time that is none: it is kept as it is", async () => {
    await using engine = await fakeContainers({
      answers: {
        "GET /images/NAME/json": () =>
          Response.json({ Os: "linux", Created: "no time", Metadata: {} }, {
            headers: { Date: engineTime(100).toUTCString() },
          }),
      },
    });
    using client = await clientOf(engine);
    assertEquals((await client.image("a"))?.Created, "no time");
  });
});

suite("the difference between two clocks", () => {
  const now = Date.parse("2026-01-01T00:00:10.000Z");
  const rows: readonly (readonly [date: string | undefined, ahead: number])[] = [
    [undefined, 0],
    ["nonsense", 0],
    ["Thu, 01 Jan 2026 00:00:10 GMT", 0],
    ["Thu, 01 Jan 2026 00:00:08 GMT", 0],
    ["Thu, 01 Jan 2026 00:00:11 GMT", 0],
    ["Thu, 01 Jan 2026 00:00:35 GMT", 25_500],
    ["Wed, 31 Dec 2025 23:59:45 GMT", -24_500],
  ];
  for (const [date, ahead] of rows) {
    it(`is ${ahead} ms where an answer says ${date}`, () => {
      assertEquals(clockAhead(new Headers(date ? { Date: date } : {}), now), ahead);
    });
  }

  it("is taken off a time, and off nothing else", () => {
    assertEquals(onThisClock("2026-01-01T00:00:25Z", 25_000), "2026-01-01T00:00:00.000Z");
    assertEquals(onThisClock("2026-01-01T00:00:25Z", 0), "2026-01-01T00:00:25Z");
    assertEquals(onThisClock("", 25_000), "");
    assertEquals(
      builtAt({ Id: "", Created: "", Os: "", Architecture: "" }).getTime(),
      NaN,
    );
  });
});
