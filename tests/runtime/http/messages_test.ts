import { assertEquals } from "@std/assert";
import { answerHead, emptyLines, headLength, requestHead } from "../../../runtime/http/messages.ts";
import { it, suite } from "../../helpers/suite.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const lines = (...all: readonly string[]): Uint8Array => bytes([...all, "", ""].join("\r\n"));

suite("headLength", () => {
  for (
    const [text, expected] of [
      ["", undefined],
      ["GET / HTTP/1.1\r\n", undefined],
      ["GET / HTTP/1.1\r\n\r", undefined],
      ["GET / HTTP/1.1\r\n\r\n", 18],
      ["GET / HTTP/1.1\r\nA: b\r\n\r\nbody\r\n\r\n", 24],
      ["GET / HTTP/1.1\n\nbody", 16],
      ["GET / HTTP/1.1\nA: b\r\n\nbody", 22],
      ["\r\n", undefined],
    ] as const
  ) {
    it(`of ${JSON.stringify(text)} is ${expected}`, () => {
      assertEquals(headLength(bytes(text)), expected);
    });
  }

  it("counts from the first line that is not empty", () => {
    assertEquals(["", "\r\n\r\nGET", "\n", "GET"].map((text) => emptyLines(bytes(text))), [
      0,
      4,
      1,
      0,
    ]);
  });
});

/** How a body ends: `3 bytes`, `chunks`, `with its connection`. */
function ending({ done, endsWithConnection, take }: {
  readonly done: boolean;
  readonly endsWithConnection: boolean;
  take(bytes: Uint8Array): number;
}, body: unknown): string {
  if (done) return "at once";
  if (endsWithConnection) return "with its connection";
  return `after ${take.call(body, bytes("3\r\nabc\r\n0\r\n\r\nxxxxxxxxxxxx"))}`;
}

suite("a request", () => {
  const POST = "POST /invocations HTTP/1.1";
  for (
    const [head, persists, end] of [
      [["GET /ping HTTP/1.1", "Host: x"], true, "at once"],
      [["GET /ping HTTP/1.1", "Connection: close"], false, "at once"],
      [["GET /ping HTTP/1.1", "connection: Keep-Alive, CLOSE"], false, "at once"],
      [["GET /ping HTTP/1.0"], false, "at once"],
      [["GET /ping HTTP/1.0", "Connection: keep-alive"], true, "at once"],
      [[POST, "Content-Length: 7"], true, "after 7"],
      [[POST, "content-length:7", "Content-Length: 7"], true, "after 7"],
      [[POST, "Content-Length: 0"], true, "at once"],
      [[POST, "Transfer-Encoding: chunked"], true, "after 13"],
      [[POST, "Transfer-Encoding: gzip, Chunked"], true, "after 13"],
      // What the server refuses goes to it whole.
      [[POST, "Transfer-Encoding: chunked, gzip"], false, "with its connection"],
      [[POST, "Content-Length: 7, 8"], false, "with its connection"],
      [[POST, "Content-Length: -7"], false, "with its connection"],
      [[POST, "Content-Length: 7", "Content-Length: 8"], false, "with its connection"],
      [["nonsense"], false, "at once"],
    ] as const
  ) {
    it(`${head.join(", ")} ends ${end}, and its connection ${persists ? "stays" : "ends"}`, () => {
      const { body, ...rest } = requestHead(lines(...head));
      assertEquals([rest.persists, ending(body, body)], [persists, end]);
    });
  }
});

suite("an answer", () => {
  const OK = "HTTP/1.1 200 OK";
  for (
    const [method, head, persists, end] of [
      ["GET", [OK, "Content-Length: 7"], true, "after 7"],
      ["HEAD", [OK, "Content-Length: 7"], true, "at once"],
      ["GET", [OK, "Transfer-Encoding: chunked"], true, "after 13"],
      ["HEAD", [OK, "Transfer-Encoding: chunked"], true, "at once"],
      ["GET", [OK], false, "with its connection"],
      ["GET", [OK, "Content-Length: x"], false, "with its connection"],
      ["GET", [OK, "Connection: close", "Content-Length: 0"], false, "at once"],
      ["GET", ["HTTP/1.0 200 OK", "Content-Length: 7"], false, "after 7"],
      ["GET", ["HTTP/1.1 204 No Content"], true, "at once"],
      ["GET", ["HTTP/1.1 304 Not Modified", "Content-Length: 7"], true, "at once"],
      ["GET", ["HTTP/1.1 101 Switching Protocols"], false, "with its connection"],
      ["GET", ["nonsense"], false, "with its connection"],
    ] as const
  ) {
    it(`to ${method}: ${head.join(", ")} ends ${end}`, () => {
      const { body, isInterim, ...rest } = answerHead(lines(...head), method);
      assertEquals([isInterim, rest.persists, ending(body, body)], [false, persists, end]);
    });
  }

  it("of 1xx comes before another one", () => {
    const interim = ["100 Continue", "103 Early Hints", "200 OK"].map((status) =>
      answerHead(lines(`HTTP/1.1 ${status}`), "POST").isInterim
    );
    assertEquals(interim, [true, true, false]);
  });
});

suite("a body in chunks", () => {
  const head = lines("POST / HTTP/1.1", "Transfer-Encoding: chunked");
  for (
    const [title, body] of [
      ["one", "3\r\nabc\r\n0\r\n\r\n"],
      ["none", "0\r\n\r\n"],
      [
        "several, with an extension and trailers",
        "1;x=y\r\na\r\nA \r\n0123456789\r\n0\r\nT: x\r\n\r\n",
      ],
      ["lines without carriage returns", "3\nabc\n0\n\n"],
      ["data that looks like an end", "7\r\n0\r\n\r\n\r\n\r\n0\r\n\r\n"],
    ] as const
  ) {
    it(`${title}: ends where it ends, however it is cut`, () => {
      const all = bytes(`${body}GET /next HTTP/1.1\r\n`);
      for (let cut = 0; cut <= all.length; cut++) {
        const counted = requestHead(head).body;
        const first = counted.take(all.subarray(0, cut));
        const rest = counted.take(all.subarray(cut));
        assertEquals([first + rest, counted.done], [body.length, true], `cut at ${cut}`);
      }
    });
  }

  it("byte by byte, too", () => {
    const counted = requestHead(head).body;
    const all = bytes("2\r\nab\r\n0\r\n\r\n");
    for (const [index, byte] of all.entries()) {
      assertEquals(counted.done, false, `before ${index}`);
      assertEquals(counted.take(Uint8Array.of(byte)), 1);
    }
    assertEquals([counted.done, counted.take(bytes("x"))], [true, 0]);
  });

  for (const wrong of ["x\r\n", "\r\n", "3\r\nabcd\r\n", "-1\r\n", "1234567890abc\r\n"]) {
    it(`${JSON.stringify(wrong)} is none, and goes on to the end of its connection`, () => {
      const counted = requestHead(head).body;
      counted.take(bytes(wrong));
      assertEquals([counted.done, counted.endsWithConnection], [false, true]);
      assertEquals(counted.take(bytes("0\r\n\r\n")), 5);
    });
  }
});
