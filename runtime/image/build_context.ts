import type { App } from "../project/app.ts";
export function buildContext(_app: App): Promise<ReadableStream<Uint8Array>> {
  throw new Error("later");
}
