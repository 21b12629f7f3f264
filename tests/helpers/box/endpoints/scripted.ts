/**
 * Invocations of endpoints that do not run: what a test says.
 *
 * @module
 */

import { type EndpointStore, SCRIPTED_INSTANCE } from "./endpoint_store.ts";
import { ModelStreamBreak } from "./event_stream.ts";
import { type Invocation, InvocationTimeout, type Invoked } from "./running.ts";

/** Asks the test. @throws InvocationTimeout */
export async function invokeScripted(
  store: EndpointStore,
  invocation: Invocation,
): Promise<Invoked> {
  const { endpoint, targetVariant } = invocation;
  const variant = targetVariant ?? endpoint.variants[0]!.name;
  const stream = endpoint.logStream(SCRIPTED_INSTANCE, variant);
  const said = await store.answer(invocation);
  const { status = 200, contentType, body = "", parts = [body], breaks, customAttributes } = said;
  if (status === 0) throw new InvocationTimeout(stream);
  const left = parts.map((part) =>
    typeof part === "string" ? new TextEncoder().encode(part) : part
  );
  const content = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else if (breaks) controller.error(new ModelStreamBreak(breaks));
      else controller.close();
    },
  });
  const headers = {
    ...(contentType === undefined ? {} : { "content-type": contentType }),
    ...(customAttributes === undefined
      ? {}
      : { "x-amzn-sagemaker-custom-attributes": customAttributes }),
  };
  return { answer: new Response(content, { status, headers }), variant, stream };
}
