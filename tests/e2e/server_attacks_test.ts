import { assertEquals } from "@std/assert";
import { buildTestImage } from "../helpers/engine.ts";
import { runHostile, withServing } from "../helpers/serving_container.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SERVING = `
import time

def model_fn(model_dir): return 1

def predict_fn(data, model):
    if not isinstance(data, dict): return data
    time.sleep(data.get("seconds", 0))
    return "x" * data.get("bytes", 0)
`;

/** The time for a whole request, which is a minute, made shorter: this code runs in the worker. */
const IMPATIENT = `
import mlcli_harness.serving.connection as connection
connection.REQUEST_SECONDS = 2
${SERVING}`;

/** What all attacks together may make the server take: 512 MB. */
const MEMORY = 512 * 1024 ** 2;

suite("a server and clients that mean harm", () => {
  beforeAll(buildTestImage);

  it("answers /ping within 2 s and goes on predicting, whatever they do", async () => {
    await withServing(SERVING, { memory: MEMORY }, async (server) => {
      await runHostile(server, "attacks.py");
      // No worker was ended, for want of memory or by an exception.
      assertEquals((await server.stop()).log, "");
    });
  });

  it("gives up requests that do not come to an end", async () => {
    await withServing(IMPATIENT, {}, async (server) => {
      await runHostile(server, "attacks.py", "endless_requests");
    });
  });
});
