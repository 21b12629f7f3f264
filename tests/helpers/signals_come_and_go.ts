/**
 * A program that says whether an abort arrives after joined signals came and went on one that stays,
 * and memory was collected: `deno run --v8-flags=--expose-gc`.
 */

import { joinSignals, pause } from "../../runtime/time.ts";

const { gc } = globalThis as unknown as { gc: () => void };

/** Listens, and forgets the signal, as who waits for something else does. */
function listen(stay: AbortSignal, over: AbortSignal): void {
  const arrived = (): void => void Deno.stdout.writeSync(new TextEncoder().encode("arrived\n"));
  joinSignals(over, stay).signal.addEventListener("abort", arrived);
}

function comeAndGo(stay: AbortSignal): void {
  using joined = joinSignals(stay, new AbortController().signal);
  const listener = (): void => {};
  joined.signal.addEventListener("abort", listener);
  joined.signal.removeEventListener("abort", listener);
}

async function main(): Promise<void> {
  const [stay, over] = [new AbortController(), new AbortController()];
  listen(stay.signal, over.signal);
  for (let i = 0; i < 5; i++) comeAndGo(stay.signal);
  await pause(1, stay.signal);
  gc();
  over.abort();
}

if (import.meta.main) main();
