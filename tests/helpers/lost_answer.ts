/**
 * A program whose command waits for something that never comes, while nothing keeps the process
 * alive: as when Deno itself loses an answer. With a signal's name as argument, it has been
 * interrupted by that one.
 */

import { endWith } from "../../main.ts";
import { liveContext } from "../../runtime/context.ts";
import { Interrupted, type InterruptSignal } from "../../runtime/errors.ts";

function main(): Promise<void> {
  const [name] = Deno.args;
  const context = liveContext();
  if (name === undefined) return endWith(new Promise(() => {}), context);
  const signal = AbortSignal.abort(new Interrupted(name as InterruptSignal));
  return endWith(new Promise(() => {}), { ...context, interruption: { signal, force: signal } });
}

if (import.meta.main) main();
