import { assertStringIncludes } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { fakeContainers, HARNESS_IMAGE, portOf } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { replaced } from "../../helpers/replaced.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("mlcli local transform on a terminal", () => {
  it("local transform shows that the server starts, then the records and the failed files", async () => {
    await using app = await completeApp();
    await app.write(`${app.directory}/data/a.csv`, "bad\n");
    await app.write(`${app.directory}/data/b.csv`, "1\n");
    await using servers = new AsyncDisposableStack();
    await using engine = await fakeContainers({
      image: HARNESS_IMAGE,
      program: ({ body }) => {
        const options = { hostname: "127.0.0.1", port: portOf(body), onListen: () => {} };
        servers.use(Deno.serve(options, async (request) => {
          if (request.url.endsWith("/execution-parameters")) {
            return new Response(null, { status: 404 });
          }
          return new Response("1\n", { status: await request.text() === "bad\n" ? 400 : 200 });
        }));
      },
    });
    let now = 0;
    // Each change is drawn.
    using _clock = replaced(performance, { now: () => now += 100 });
    using _timers = replaced(globalThis, { setInterval: () => 0 });
    const args = ["local", "transform", "data"];
    const { stderr } = await runInProcess(args, {
      cwd: app.directory,
      engine,
      isTerminal: true,
      columns: 200,
    });
    assertStringIncludes(stderr, "\rStarting the server (0s)\x1b[K\r");
    assertStringIncludes(stderr, ", 1 record, 2 files, 1 file failed\x1b[K\r");
  });
});
