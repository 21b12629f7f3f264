/**
 * A program that says how requests end whose answers stall, where memory was collected after the head of
 * the answer had come: `deno run --v8-flags=--expose-gc`.
 */

import { Connections } from "../../runtime/aws/connections.ts";
import { messageOf } from "../../runtime/errors.ts";
import { openTransport } from "../../runtime/docker/transport.ts";
import { eventMessage } from "./box/endpoints/event_stream.ts";
import { pause } from "../../runtime/time.ts";
import { rawServer, say, untilClosed } from "./raw_server.ts";

const { gc } = globalThis as unknown as { gc: () => void };

/** An event, and then nothing: a part of any kind of answer. */
const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.amazon.eventstream\r\n" +
  "Content-Length: 999\r\n\r\n";

/** Collects memory, some times after an answer has begun, and aborts then. */
async function abortLater(over: AbortController): Promise<void> {
  for (let time = 0; time < 5; time++) {
    await pause(20, new AbortController().signal);
    gc();
  }
  over.abort(new Error("Ctrl-C"));
}

async function main(): Promise<void> {
  await using server = rawServer(async (connection) => {
    await say(connection, HEAD);
    await say(connection, eventMessage({}, new Uint8Array(9)));
    await untilClosed(connection);
  });
  const engine = await openTransport({
    kind: "tcp",
    host: `127.0.0.1:${server.port}`,
    tls: undefined,
  });
  using platform = new Connections({ env: () => undefined });
  const sent = async (path: string, abortSignal: AbortSignal) => {
    const asked = { method: "POST", protocol: "http:", hostname: "127.0.0.1", path, headers: {} };
    const { response } = await platform.handle({ ...asked, port: Number(server.port) }, {
      abortSignal,
    });
    return response.body as ReadableStream<Uint8Array>;
  };
  const requests: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
    "the engine's answer": async (signal) =>
      await (await engine.request("GET", "/info", { expect: [200], signal })).text(),
    "the engine's stream": async (signal) => {
      const options = { expect: [200], signal, isStream: true };
      return await Array.fromAsync((await engine.request("GET", "/logs", options)).body);
    },
    "SageMaker's answer": (signal) => sent("/", signal),
    "SageMaker's stream": async (signal) =>
      await Array.fromAsync(await sent("/a-response-stream", signal)),
  };
  for (const [title, request] of Object.entries(requests)) {
    const over = new AbortController();
    const ended = request(over.signal).then(() => "its end", messageOf);
    await abortLater(over);
    const late = pause(2_000, new AbortController().signal).then(() => "nothing");
    const line = `${title}: ${await Promise.race([ended, late])}\n`;
    Deno.stdout.writeSync(new TextEncoder().encode(line));
  }
  engine.close();
}

// What stalls would keep the program from ending.
if (import.meta.main) main().then(() => Deno.exit());
