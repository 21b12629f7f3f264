import { assert, assertEquals } from "@std/assert";
import { findApp } from "../../../../runtime/app/app.ts";
import type { Paths } from "../../../../runtime/app/paths.ts";
import { relay } from "../../../../runtime/local/server/relay.ts";
import { KeptTraffic, keptTraffic, Traffic } from "../../../../runtime/local/server/traffic.ts";
import { completeApp, type TestApp } from "../../../helpers/app.ts";
import { namesIn } from "../../../helpers/directory.ts";
import { eventually } from "../../../helpers/eventually.ts";
import { it, suite } from "../../../helpers/suite.ts";

async function layoutIn(app: TestApp): Promise<Paths> {
  return (await findApp(app.directory, app.name)).paths;
}

suite("what local deploy --watch passes on", () => {
  it("is counted, but for pings", async () => {
    await using model = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => new Response(null, { status: Number(await request.text()) || 200 }),
    );
    const { port } = model.addr;
    const traffic = new Traffic();
    let isThere = true;
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const passing = relay(
      listener,
      () => isThere ? { port, [Symbol.dispose]: () => {} } : undefined,
      (status, ms) => traffic.add(status, ms),
    );
    const ask = async (path: string, init?: RequestInit): Promise<void> => {
      const answer = await fetch(`http://127.0.0.1:${listener.addr.port}${path}`, init);
      await answer.body?.cancel();
    };
    await ask("/ping");
    for (const body of ["200", "500", "201"]) await ask("/invocations", { method: "POST", body });
    await ask("/invocations?a=1", { method: "POST", body: "404" });
    isThere = false;
    await ask("/invocations", { method: "POST", body: "200" });
    await eventually(() => Promise.resolve(traffic.facts.requests === 5));
    passing.end();
    assertEquals([traffic.facts.requests, traffic.facts.failed], [5, 3]);
    assert(traffic.facts.p50 > 0);
  });

  it("is in a private file while that goes on", async () => {
    await using app = await completeApp();
    const layout = await layoutIn(app);
    const jobs = (): Promise<readonly string[]> => namesIn(layout.jobs).catch(() => []);
    const traffic = new KeptTraffic(layout, 8080);
    traffic.add(200, 12);
    traffic.add(503, 12);
    await eventually(async () => (await jobs()).includes(".requests-8080.json"));
    assertEquals((await Deno.stat(`${layout.jobs}/.requests-8080.json`)).mode! & 0o777, 0o600);
    assertEquals(await keptTraffic(layout, 8080), traffic.facts);
    assertEquals(await keptTraffic(layout, 8081), null);
    traffic.add(200, 12);
    await traffic[Symbol.asyncDispose]();
    assertEquals(await namesIn(app.path("local_test")), ["test_dir"]);
  });

  for (const text of ["", "[]", "{}", '{"requests":"<b>","failed":0,"p50":1,"p95":1,"p99":1}']) {
    it(`is not known where the file holds ${JSON.stringify(text)}`, async () => {
      await using app = await completeApp();
      await app.write(app.path("local_test/jobs/.requests-8080.json"), text);
      assertEquals(await keptTraffic(await layoutIn(app), 8080), null);
    });
  }

  it("is not known where the file is a link", async () => {
    await using app = await completeApp();
    const facts = '{"requests":1,"failed":0,"p50":1,"p95":1,"p99":1}';
    await app.write(app.path("elsewhere"), facts);
    await Deno.mkdir(app.path("local_test/jobs"));
    await Deno.symlink(app.path("elsewhere"), app.path("local_test/jobs/.requests-8080.json"));
    assertEquals(await keptTraffic(await layoutIn(app), 8080), null);
  });
});
