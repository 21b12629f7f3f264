import type { App } from "../../runtime/app/app.ts";
import {
  contextEntries,
  type ContextInputs,
  contextStream,
  type OnLeftOut,
} from "../../runtime/image/build_context.ts";

/** What the context of a build has besides the app, and whose it is. */
export interface BuildInputs extends ContextInputs {
  readonly owner?: Parameters<typeof contextStream>[1];
}

/** What a build sends. */
export async function buildContext(
  app: App,
  onLeftOut?: OnLeftOut,
  { owner, ...inputs }: BuildInputs = {},
): Promise<ReadableStream<Uint8Array>> {
  return contextStream(await contextEntries(app, onLeftOut, inputs), owner);
}
