/**
 * What runs of the scripts share: a directory, and a lock so that only one of them makes a thing.
 */

import { MlcliError } from "../../runtime/errors.ts";
import { joinSignals } from "../../runtime/time.ts";

/** Where things that a later run may use are kept; made when it is not there. */
export async function cacheDirectory(): Promise<string> {
  const caches = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME") || "/root"}/.cache`;
  const directory = `${caches}/mlcli`;
  await Deno.mkdir(directory, { recursive: true });
  return directory;
}

/**
 * Does a piece of work while no other process does the same. The system lets go of the lock when
 * this process ends, in whatever way.
 * @param path a file of the lock's own; stays there, empty.
 * @param timeout longest wait for the other process, in milliseconds.
 * @throws MlcliError when the other process does not end in time.
 */
export async function withLock<T>(
  path: string,
  { timeout, signal }: { readonly timeout: number; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  using file = await Deno.open(path, { write: true, create: true });
  using limit = joinSignals(signal, AbortSignal.timeout(timeout));
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const expire = () => reject(new MlcliError(`Another process still holds ${path}`));
  limit.signal.addEventListener("abort", expire);
  try {
    await Promise.race([file.lock(true), expired]);
  } finally {
    limit.signal.removeEventListener("abort", expire);
  }
  return await work();
}
