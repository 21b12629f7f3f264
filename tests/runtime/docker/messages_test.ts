import { assertEquals, assertRejects } from "@std/assert";
import {
  failureOf,
  type ProgressMessage,
  progressMessages,
  pushedDigest,
} from "../../../runtime/docker/messages.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("progressMessages", () => {
  it("reads messages that are split over chunks, in characters too", async () => {
    const bytes = new TextEncoder().encode(
      '{"stream":"Schritt für Schritt"}\r\n{"aux":{"ID":"sha256:1"}}\n{"status":"Pulling"}',
    );
    for (const size of [1, 5, 26, 1000]) {
      const chunks: Uint8Array[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size));
      const messages = await Array.fromAsync(progressMessages(ReadableStream.from(chunks)));
      assertEquals(messages, [
        { stream: "Schritt für Schritt" },
        { aux: { ID: "sha256:1" } },
        { status: "Pulling" },
      ]);
    }
  });

  it("fails where one is cut, or none at all", async () => {
    for (const text of ['{"stream":"a"}\n{"stre', "<html>\n", "null\n", "1"]) {
      const body = ReadableStream.from([new TextEncoder().encode(text)]);
      await assertRejects(() => Array.fromAsync(progressMessages(body)), MlcliError, "answer");
    }
  });

  it("finds the failure of newer and of older engines", () => {
    assertEquals(failureOf({ errorDetail: { message: "no space" } }), "no space");
    assertEquals(failureOf({ error: "no space" }), "no space");
    assertEquals(failureOf({ stream: "error: not one" }), undefined);
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
    ];
    for (const [message, expected] of table) assertEquals(pushedDigest(message), expected);
  });
});
