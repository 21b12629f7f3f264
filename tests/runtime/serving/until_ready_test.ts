import { assertEquals } from "@std/assert";
import { connectToEngine } from "../../../runtime/docker/connect.ts";
import { logTail, untilReady } from "../../../runtime/serving/ready.ts";
import { frame } from "../../helpers/fake_containers.ts";
import { fakeEngine, never, pong } from "../../helpers/fake_engine.ts";
import { it, suite } from "../../helpers/suite.ts";

async function tailOf(...pieces: readonly string[]): Promise<string | undefined> {
  await using fake = await fakeEngine({
    "GET /_ping": () => pong("1.44"),
    "GET /containers/c/logs": () =>
      new Response(new Blob(pieces.map((text) => frame(1, text).slice()))),
  });
  const engine = await connectToEngine({ env: () => `unix://${fake.socket}` });
  try {
    return await logTail(engine, "c");
  } finally {
    engine.close();
  }
}

suite("the end of a container's log", () => {
  it("is what it wrote last", async () => {
    assertEquals(await tailOf("one\n", "two\n"), "one\ntwo\n");
    assertEquals(await tailOf(), undefined);
  });

  it("fills no screen, however long a line is", async () => {
    const tail = await tailOf(...Array(30).fill("a".repeat(16_000)), "the end\n");
    assertEquals([tail?.length, tail?.endsWith("aathe end\n")], [16_384, true]);
  });
});

suite("the wait for a server", () => {
  it("is over in time, though the engine hangs", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "POST /containers/c/wait": never,
    });
    const engine = await connectToEngine({ env: () => `unix://${fake.socket}` });
    try {
      const { signal } = new AbortController();
      // Nobody listens there.
      assertEquals(await untilReady(engine, { id: "c", port: 1 }, 0.1, signal), {
        kind: "late",
        lastAnswer: "the Docker Engine does not answer",
        wasReady: false,
      });
    } finally {
      engine.close();
    }
  });

  it("ends without the server's log, where the engine does not give it", async () => {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "GET /containers/c/logs": never,
    });
    const engine = await connectToEngine({ env: () => `unix://${fake.socket}` }, {
      patience: { after: () => AbortSignal.timeout(1) },
    });
    try {
      assertEquals(await logTail(engine, "c"), undefined);
    } finally {
      engine.close();
    }
  });
});
