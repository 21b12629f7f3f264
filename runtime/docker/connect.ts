import type { Engine } from "./engine.ts";
export function connectToEngine(
  _options: { env: (name: string) => string | undefined; platform: string },
): Promise<Engine> {
  throw new Error("not yet");
}
