import { assertEquals, assertRejects } from "@std/assert";
import { demultiplex } from "../../../runtime/docker/frames.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { frame } from "../../helpers/fake_containers.ts";
import { it, suite } from "../../helpers/suite.ts";
import { concatenated } from "../../helpers/tar.ts";

const text = new TextEncoder();

/** What arrives on each stream when a body comes in chunks of `size` bytes. */
async function received(body: Uint8Array, size: number): Promise<{ out: string; err: string }> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += size) chunks.push(body.slice(at, at + size));
  const pieces: { stdout: Uint8Array[]; stderr: Uint8Array[] } = { stdout: [], stderr: [] };
  for await (const { stream, bytes } of demultiplex(ReadableStream.from(chunks))) {
    pieces[stream].push(bytes.slice());
  }
  const decode = (parts: Uint8Array[]): string =>
    new TextDecoder("latin1").decode(concatenated(parts));
  return { out: decode(pieces.stdout), err: decode(pieces.stderr) };
}

suite("demultiplex", () => {
  const body = concatenated([
    frame(1, text.encode("hello ")),
    frame(2, text.encode("warning")),
    frame(1, new Uint8Array(0)),
    frame(1, new Uint8Array([0, 1, 2, 255])),
    frame(1, text.encode("no newline")),
  ]);
  const expected = { out: "hello \x00\x01\x02\xffno newline", err: "warning" };

  for (const size of [1, 2, 7, 8, 9, 15, 1000]) {
    it(`gives each stream its bytes when they come ${size} at a time`, async () => {
      assertEquals(await received(body, size), expected);
    });
  }

  it("passes a part of a frame on before the rest has come", async () => {
    const whole = frame(1, text.encode("first second"));
    const body = new TransformStream<Uint8Array, Uint8Array>();
    const writer = body.writable.getWriter();
    const pieces = demultiplex(body.readable);
    const writing = writer.write(whole.slice(0, 13));
    assertEquals((await pieces.next()).value?.bytes, text.encode("first"));
    await writing;
    await pieces.return();
  });

  const broken = [
    ["ends within a frame", body.slice(0, -1), "incomplete frame"],
    ["ends within a frame's first bytes", body.slice(0, 10), "incomplete frame"],
    ["ends within the head of the next one", body.slice(0, 18), "incomplete frame"],
    ["ends before a frame's bytes", frame(1, new Uint8Array(9)).slice(0, 8), "incomplete"],
    ["is not in frames", text.encode("HTTP/1.1 500 no"), "invalid frame"],
    [
      "says why it ends",
      concatenated([body, frame(3, text.encode("log is gone\n"))]),
      "log is gone",
    ],
  ] as const;
  for (const [title, bytes, reason] of broken) {
    it(`fails where the output ${title}`, async () => {
      for (const size of [1, 7, 1000]) {
        await assertRejects(() => received(bytes, size), MlcliError, reason);
      }
    });
  }
});
