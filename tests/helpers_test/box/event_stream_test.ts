import { assertEquals } from "@std/assert";
import {
  eventMessage,
  eventStream,
  ModelStreamBreak,
} from "../../helpers/box/endpoints/event_stream.ts";
import { it, suite } from "../../helpers/suite.ts";

/** From botocore's tests of its decoder (`tests/unit/test_eventstream.py`). */
const KNOWN: readonly (readonly [
  what: string,
  headers: Readonly<Record<string, string>>,
  payload: string,
  bytes: string,
])[] = [
  ["nothing", {}, "", "000000100000000005c248eb7d98c8ff"],
  [
    "a payload",
    {},
    "{'foo':'bar'}",
    "0000001d00000000fd528c5a7b27666f6f273a27626172277dc3653936",
  ],
  [
    "a header",
    { "content-type": "application/json" },
    "{'foo':'bar'}",
    "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e" +
    "7b27666f6f273a27626172277d8d9c08b1",
  ],
];

/** The messages of a stream as text, without lengths and checksums. */
async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const bytes = await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).bytes();
  return new TextDecoder("latin1").decode(bytes);
}

suite("the box's event streams", () => {
  for (const [what, headers, payload, bytes] of KNOWN) {
    it(`have messages with ${what} as AWS does`, () => {
      const message = eventMessage(headers, new TextEncoder().encode(payload));
      const digits = [...message].map((byte) => byte.toString(16).padStart(2, "0"));
      assertEquals(digits.join(""), bytes);
    });
  }

  it("have a message for each part that is not empty", async () => {
    const parts = ["one", "", "two"].map((text) => new TextEncoder().encode(text));
    const text = await textOf(eventStream(ReadableStream.from(parts)));
    assertEquals(text.match(/PayloadPart/g)?.length, 2);
    assertEquals(text.match(/event(one|two)/g), ["eventone", "eventtwo"]);
  });

  it("end with an exception where the model's answer breaks off", async () => {
    for (
      const [error, code] of [
        [new Error("gone"), "StreamBroken"],
        [new ModelStreamBreak("ModelInvocationTimeExceeded"), "ModelInvocationTimeExceeded"],
      ] as const
    ) {
      const broken = new ReadableStream<Uint8Array>({ pull: (one) => one.error(error) });
      const text = await textOf(eventStream(broken));
      assertEquals(text.includes("ModelStreamError"), true);
      assertEquals(/"ErrorCode":"(\w+)"/.exec(text)?.[1], code);
    }
  });
});
