/**
 * AWS's event stream encoding (`application/vnd.amazon.eventstream`): what
 * InvokeEndpointWithResponseStream answers with.
 */

import { crc32 } from "node:zlib";

/** Length of the whole, length of the headers, checksum of these two: 4 bytes each. */
const PRELUDE = 12;
/** The type of a header's value that is a text. */
const TEXT = 7;

/** A message: text headers, and a payload. */
export function eventMessage(
  headers: Readonly<Record<string, string>>,
  payload: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const head = Object.entries(headers).flatMap(([name, value]) => {
    const [key, text] = [encoder.encode(name), encoder.encode(value)];
    return [key.length, ...key, TEXT, text.length >> 8, text.length & 255, ...text];
  });
  const message = new Uint8Array(PRELUDE + head.length + payload.length + 4);
  const view = new DataView(message.buffer);
  view.setUint32(0, message.length);
  view.setUint32(4, head.length);
  view.setUint32(8, crc32(message.subarray(0, 8)));
  message.set(head, PRELUDE);
  message.set(payload, PRELUDE + head.length);
  view.setUint32(message.length - 4, crc32(message.subarray(0, -4)));
  return message;
}

/** A part of the model's answer. */
export function payloadPart(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return eventMessage({
    ":event-type": "PayloadPart",
    ":content-type": "application/octet-stream",
    ":message-type": "event",
  }, bytes);
}

/** The end of an answer that broke off: `StreamBroken`, `ModelInvocationTimeExceeded`. */
export function streamError(code: string, message: string): Uint8Array<ArrayBuffer> {
  return eventMessage({
    ":exception-type": "ModelStreamError",
    ":content-type": "application/json",
    ":message-type": "exception",
  }, new TextEncoder().encode(JSON.stringify({ Message: message, ErrorCode: code })));
}

/** The parts of an answer, each as soon as it comes. */
export function eventStream(
  parts: ReadableStream<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = parts.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else if (value.length > 0) controller.enqueue(payloadPart(value));
        else await this.pull!(controller);
      } catch (error) {
        const code = error instanceof ModelStreamBreak ? error.code : "StreamBroken";
        controller.enqueue(streamError(code, "The model's response stream broke off."));
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** Why a stream ends before its end. */
export class ModelStreamBreak extends Error {
  override name = "ModelStreamBreak";
  constructor(readonly code: "StreamBroken" | "ModelInvocationTimeExceeded") {
    super(code);
  }
}
