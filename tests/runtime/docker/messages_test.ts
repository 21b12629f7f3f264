import { assertEquals } from "@std/assert";
import { linesOf } from "../../../runtime/docker/answer.ts";
import { failureOf, type ProgressMessage, pushedDigest } from "../../../runtime/docker/messages.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("lines of a body", () => {
  it("are whole where they are split over chunks, in characters too", async () => {
    const bytes = new TextEncoder().encode(
      '"Schritt für Schritt"\r\n\n{"aux":1}\n{"status":"Pulling"}',
    );
    for (const size of [1, 5, 26, 1000]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
      const lines = await Array.fromAsync(linesOf(ReadableStream.from(chunks)));
      assertEquals(lines, ['"Schritt für Schritt"\r', '{"aux":1}', '{"status":"Pulling"}']);
    }
  });
});

suite("a message of progress", () => {
  it("finds the failure of newer and of older engines", () => {
    assertEquals(failureOf({ errorDetail: { message: "no space" } }), "no space");
    assertEquals(failureOf({ error: "no space" }), "no space");
    assertEquals(failureOf({ stream: "error: not one" }), undefined);
    assertEquals(failureOf({ error: "\x1b[31mno\x1b[0m\x07" }), "?[31mno?[0m?");
    assertEquals(failureOf({ error: "x".repeat(5_000_000) })?.length, 1_038);
  });

  it("finds the digest of a push: as data, and in the words of an engine with containerd's store", () => {
    const digest = `sha256:${"0a".repeat(32)}`;
    const words = `v1: digest: ${digest} size: 529`;
    const table: readonly (readonly [ProgressMessage, string | undefined])[] = [
      [{ aux: { Digest: digest } }, digest],
      [{ status: words }, digest],
      [{ status: `Digest: ${digest}` }, undefined], // of a pull
      [{ status: words.slice(0, -20) }, undefined],
      [{ stream: words }, undefined],
      // Of an index that is not all there, one image was sent: its digest comes in words.
      [{ aux: { ManifestPushedInsteadOfIndex: true } as ProgressMessage["aux"] }, undefined],
      [{ aux: digest }, undefined],
      [{ aux: { Digest: 5 } } as unknown as ProgressMessage, undefined],
    ];
    for (const [message, expected] of table) assertEquals(pushedDigest(message), expected);
  });
});
