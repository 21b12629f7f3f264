import { assertEquals } from "@std/assert";
import { Box } from "../../helpers/box/box.ts";
import { payloadPart } from "../../helpers/box/endpoints/event_stream.ts";
import { startCloud } from "../../helpers/cloud.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { environmentOf, USER_KEY } from "../../helpers/box/account.ts";
import { type RawServer, rawServer, say, untilClosed } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

const decoder = new TextDecoder();

/** What the program does that its actions alone do not show: streams, signals, the bundled SDK. */
suite("the program invoke-endpoint", () => {
  for (const args of [[], ["--stream"]]) {
    it(`passes bytes on, there and back: ${args}`, async () => {
      await using box = await Box.open();
      box.endpoints.add("churn");
      await using directory = await makeDirectory();
      const bytes = crypto.getRandomValues(new Uint8Array(60_000));
      await Deno.writeFile(`${directory.path}/body.bin`, bytes);
      const child = startCloud(box, ["invoke-endpoint", "-n", "churn", ...args, "body.bin"], {
        cwd: directory.path,
      });
      const [{ code }, stdout, stderr] = await Promise.all([
        child.status,
        new Response(child.stdout).bytes(),
        new Response(child.stderr).text(),
      ]);
      assertEquals([code, stderr], [0, ""]);
      assertEquals(stdout, bytes);
    });
  }

  it("ends with 130 at Ctrl-C in the middle of a stream, after what was said", async () => {
    await using server = talking(untilClosed);
    await using directory = await makeDirectory({ "a.csv": "1" });
    const child = start(server, directory.path);
    const reader = child.stdout.getReader();
    assertEquals(decoder.decode((await reader.read()).value), "one ");
    child.kill("SIGINT");
    assertEquals((await reader.read()).done, true);
    const [{ code }, stderr] = await Promise.all([child.status, new Response(child.stderr).text()]);
    assertEquals([code, stderr, server.calls.length], [130, "", 1]);
  });

  it("ends with 141 where nobody reads on", async () => {
    await using server = talking(async (connection) => {
      while (true) await chunk(connection, new Uint8Array(65_536));
    });
    await using directory = await makeDirectory({ "a.csv": "1" });
    const child = start(server, directory.path);
    const reader = child.stdout.getReader();
    await reader.read();
    await reader.cancel();
    const [{ code }, stderr] = await Promise.all([child.status, new Response(child.stderr).text()]);
    assertEquals([code, stderr, server.calls.length], [141, "", 1]);
  });
});

/** A model that says a piece, and goes on like this. */
function talking(goOn: (connection: Deno.Conn) => Promise<void>): RawServer {
  return rawServer(async (connection) => {
    await say(
      connection,
      "HTTP/1.1 200 OK\r\nContent-Type: application/vnd.amazon.eventstream\r\n" +
        "Transfer-Encoding: chunked\r\n\r\n",
    );
    await chunk(connection, new TextEncoder().encode("one "));
    await goOn(connection);
  });
}

/** A piece of an answer, as a chunk of HTTP. */
async function chunk(connection: Deno.Conn, bytes: Uint8Array): Promise<void> {
  const part = payloadPart(bytes);
  await say(connection, `${part.length.toString(16)}\r\n`);
  await say(connection, part);
  await say(connection, "\r\n");
}

function start({ port }: RawServer, cwd: string): Deno.ChildProcess {
  const env = () => environmentOf(`http://127.0.0.1:${port}`, USER_KEY);
  return startCloud({ env }, ["invoke-endpoint", "-n", "churn", "--stream", "a.csv"], { cwd });
}
