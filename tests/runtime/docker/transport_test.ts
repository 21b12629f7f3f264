import { assertMatch, assertRejects } from "@std/assert";
import { BrokenEngine } from "../../../runtime/docker/broken_engine.ts";
import { openTransport } from "../../../runtime/docker/transport.ts";
import { rawServer, say } from "../../helpers/raw_server.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What an engine says, and the words for it. */
const BROKEN: Readonly<Record<string, readonly [said: string, words: RegExp]>> = {
  "says nothing": ["", /^The Docker Engine does not answer: /],
  "breaks its answer off": [
    "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{",
    /^The Docker Engine broke its answer off \(GET \/info\): /,
  ],
  "answers as nobody should": [
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
    /^The Docker Engine's answer is not what its API says \(GET \/info\)$/,
  ],
};

suite("an engine that", () => {
  for (const [what, [said, words]] of Object.entries(BROKEN)) {
    it(`${what} is a broken one`, async () => {
      await using server = rawServer((connection) => say(connection, said));
      const engine = await openTransport({
        kind: "tcp",
        host: `127.0.0.1:${server.port}`,
        tls: undefined,
      });
      try {
        const { message } = await assertRejects(
          async () => await (await engine.request("GET", "/info", { expect: [200] })).object(),
          BrokenEngine,
        );
        assertMatch(message, words);
      } finally {
        engine.close();
      }
    });
  }
});
