import { assertEquals } from "@std/assert";
import { buildTestImage } from "../helpers/engine.ts";
import { runHostile, withServing } from "../helpers/serving_container.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SERVING = `
def model_fn(model_dir): return 1
def predict_fn(data, model): return [] if data is None else data
`;

/** How many cases, and which: another seed makes others. */
const CASES = 6000;
const SEED = Number(Deno.env.get("MLCLI_TEST_SEED") ?? 12);

suite("a server and what is not HTTP", () => {
  beforeAll(buildTestImage);

  it("stands 6,000 requests that are broken in one way or another", async () => {
    await withServing(SERVING, {}, async (server) => {
      await runHostile(server, "fuzz.py", CASES, SEED);
      // Nothing that a client sends is the server's own failure, or ends a worker.
      assertEquals((await server.stop()).log, "");
    });
  });
});
