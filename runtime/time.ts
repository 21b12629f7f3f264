/** Time: waiting that ends when a signal is aborted, or a time is over. */

/** What waiting needs of the world; a test's own takes no time. */
export interface Clock {
  /** Milliseconds on a clock that only goes forward. */
  now(): number;
  date(): Date;
  /** Waits for so many milliseconds; fails with the signal's reason when that is aborted before. */
  pause(milliseconds: number, signal: AbortSignal): Promise<void>;
}

/** The clock of this machine. */
export const CLOCK: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  pause,
};

/** Fails when the signal is aborted, with its reason. */
export function abortOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason));
  });
}

/** Calls a listener when the signal is aborted (at once if it is), until this is disposed of. */
export function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  signal.addEventListener("abort", listener, { once: true });
  if (signal.aborted) listener();
  return { [Symbol.dispose]: () => signal.removeEventListener("abort", listener) };
}

/** A signal that listens to others, or waits for a time, until it is disposed of. */
export interface TemporarySignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * A signal that is aborted with the first of several, and with its reason. (Deno 2.6 loses signals
 * of `AbortSignal.any`: when memory is collected, those that come and go on a signal that stays take
 * the listeners of others along, and a Ctrl-C or the end of a time limit does not arrive.)
 */
export function joinSignals(...signals: readonly AbortSignal[]): TemporarySignal {
  const first = new AbortController();
  const listeners = new DisposableStack();
  for (const signal of signals) {
    listeners.use(onAbort(signal, () => first.abort(signal.reason)));
  }
  return { signal: first.signal, [Symbol.dispose]: () => listeners.dispose() };
}

/**
 * A signal that is aborted some time after another one, with its reason.
 *
 * @param milliseconds after the other one, also where that was aborted before.
 */
export function delayed(signal: AbortSignal, milliseconds: number): TemporarySignal {
  const late = new AbortController();
  const held = new DisposableStack();
  held.use(onAbort(signal, () => {
    const timer = setTimeout(() => late.abort(signal.reason), milliseconds);
    held.defer(() => clearTimeout(timer));
  }));
  return { signal: late.signal, [Symbol.dispose]: () => held.dispose() };
}

/**
 * A signal that is aborted when the time is over. (`AbortSignal.timeout` cannot be lifted: while somebody listens to it, it keeps the
 * program from ending.)
 *
 * @param seconds from now.
 */
export function deadlineIn(seconds: number): TemporarySignal {
  const over = new AbortController();
  const timer = setTimeout(
    () => over.abort(new Error(`timed out after ${seconds} s`)),
    seconds * 1000,
  );
  return { signal: over.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Waits for so many milliseconds; fails with the signal's reason when that is aborted before. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** In ms: enough to clean up. */
const FORCED_END_AFTER = 5_000;

/**
 * A signal that is aborted by the second Ctrl-C, or some time after the first: a server that does not
 * answer, or a reader that does not read, must not keep the program from ending.
 *
 * @param milliseconds after the first.
 */
export function forcedEnd(
  { signal, force }: { readonly signal: AbortSignal; readonly force: AbortSignal },
  milliseconds = FORCED_END_AFTER,
): TemporarySignal {
  const held = new DisposableStack();
  const late = held.use(delayed(signal, milliseconds));
  const first = held.use(joinSignals(force, late.signal));
  return { signal: first.signal, [Symbol.dispose]: () => held.dispose() };
}

/**
 * Returns a time in the machine's time zone, with its offset: `2026-03-01 09:30:00.123000+01:00`. It has six
 * fractional digits, although the SDK returns milliseconds.
 *
 * @param separator between date and time; `T` makes it ISO 8601.
 */
export function localTimestamp(time: Date, separator: " " | "T"): string {
  const date = [
    String(time.getFullYear()).padStart(4, "0"),
    twoDigits(time.getMonth() + 1),
    twoDigits(time.getDate()),
  ].join("-");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(twoDigits).join(":");
  const fraction = String(time.getMilliseconds()).padStart(3, "0");
  return `${date}${separator}${clock}.${fraction}000${offset(time)}`;
}

/** Returns the local time of day: `14:03:05`. */
export function clockTime(time: Date): string {
  return localTimestamp(time, " ").slice(11, 19);
}

function offset(time: Date): string {
  // In JavaScript, adding the offset to local time gives UTC.
  const minutes = -time.getTimezoneOffset();
  const sign = minutes < 0 ? "-" : "+";
  return `${sign}${twoDigits(Math.floor(Math.abs(minutes) / 60))}:${
    twoDigits(Math.abs(minutes) % 60)
  }`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
