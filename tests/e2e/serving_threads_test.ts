import { assertEquals } from "@std/assert";
import { buildTestImage } from "../helpers/engine.ts";
import { deployServer, serverLogWith } from "../helpers/server.ts";
import { withServing } from "../helpers/serving_container.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/**
 * Serving code whose model belongs to the thread that loads it:
 * https://github.com/holoviz/holonote/issues/10 (sqlite3),
 * https://github.com/augerai/a2ml/issues/180 (the event loop),
 * https://github.com/vyperlang/vyper/issues/5105 (decimal).
 */
const CODE = `
import asyncio, contextvars, ctypes, decimal, json, sqlite3

UNTIL_STOPPING = """
for attempt in $(seq 200); do
  python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8080))' 2> /dev/null || exit 0
done
exit 1
"""

setting = contextvars.ContextVar("setting", default="lost")

def model_fn(model_dir):
    decimal.getcontext().prec = 4
    setting.set("kept")
    connection = sqlite3.connect(":memory:")
    connection.execute("create table prices (price)")
    connection.execute("insert into prices values (7)")
    return connection, asyncio.new_event_loop()

def input_fn(body, content_type):
    return json.loads(body)

def predict_fn(question, model):
    connection, loop = model
    if question == "settings": return str(decimal.Decimal(1) / 3) + " " + setting.get()
    if question == "stop":
        # Python calls no signal handler before a function in C returns: this one waits until the
        # server accepts no connections, because it stops.
        return "stopping" if ctypes.CDLL(None).system(UNTIL_STOPPING.encode()) == 0 else "serving"
    loop.run_until_complete(asyncio.sleep(0))
    return connection

def output_fn(prediction, accept):
    if isinstance(prediction, str): return prediction
    return ("%d" % price for price, in prediction.execute("select price from prices"))
`;

const ONE_AT_A_TIME = ["MLCLI_CONCURRENT_PREDICTIONS=1"];

async function ask(
  origin: string,
  question: string,
): Promise<{ readonly status: number; readonly body: string }> {
  const response = await fetch(`${origin}/invocations`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(question),
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, body: await response.text() };
}

suite("a model that belongs to the thread of model_fn", () => {
  beforeAll(buildTestImage);

  it("MLCLI_CONCURRENT_PREDICTIONS=1 runs all functions in one thread, and pings and stops don't wait", async () => {
    await withServing(CODE, { variables: ONE_AT_A_TIME }, async (server) => {
      const origin = `http://${server.hostname}:${server.port}`;
      assertEquals(await ask(origin, "price"), { status: 200, body: "7" });
      assertEquals(await ask(origin, "settings"), { status: 200, body: "0.3333 kept" });

      // One of them in each worker, and one that waits for a worker.
      const predictions = [1, 2, 3].map(() => ask(origin, "stop"));
      for (let round = 0; round < 5; round++) {
        const { ok, body } = await fetch(`${origin}/ping`, { signal: AbortSignal.timeout(60_000) });
        await body?.cancel();
        assertEquals(ok, true);
      }
      const stopped = server.stop();
      const answer = { status: 200, body: "stopping" };
      assertEquals(await Promise.all(predictions), [answer, answer, answer]);
      const { status, log } = await stopped;
      assertEquals({ status, log }, { status: 0, log: "" });
    });
  });

  it("a call in another thread than model_fn fails with a hint, and settings are kept", async () => {
    await using server = await deployServer(CODE);
    const origin = `http://127.0.0.1:${server.port}`;
    assertEquals((await ask(origin, "price")).status, 500);
    await serverLogWith(server, "To run all functions in one thread: ");
    assertEquals(await ask(origin, "settings"), { status: 200, body: "0.3333 kept" });
  });
});
