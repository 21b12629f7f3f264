/** Shows an upload or a download: bytes of the total, speed and remaining time. */

import { fitParts } from "../../../runtime/cells.ts";
import { byteCount, elapsedText } from "../../../runtime/quantities.ts";
import type { Context } from "../../../runtime/context.ts";
import type { Messages } from "../../../runtime/messages.ts";
import { type LiveLine, type LiveLines, type Room, showLive } from "../../../runtime/live_lines.ts";

/** Interval of lines in a pipe, in ms. */
const LINE_INTERVAL = 10_000;

export interface TransferState {
  /** Bytes that were sent or received. */
  readonly bytes: number;
  /** Bytes that did not have to be sent. */
  readonly skipped?: number;
  /** Total bytes; `undefined`: unknown. */
  readonly total: number | undefined;
  /** Further parts of the line: `2 of 5 layers`. */
  readonly more?: readonly string[];
  /** Lines below it, on a terminal. */
  readonly below?: readonly string[];
}

export class TransferProgress {
  readonly #messages: Messages;
  /** In ms, on a clock that only goes forward. */
  readonly #now: () => number;
  #transfer: Transfer | undefined;

  constructor({ messages, clock }: Pick<Context, "messages" | "clock">) {
    this.#messages = messages;
    this.#now = () => clock.now();
  }

  /** Shows a state. The first one starts the clock. */
  reached(state: TransferState): void {
    const now = this.#now;
    const messages = this.#messages;
    const transfer = this.#transfer ??= {
      state,
      lastLine: now(),
      sent: new Pace(now),
      done: new Pace(now),
      states: messages.states,
      lines: showLive(messages, (room) => {
        const transfer = this.#transfer!;
        // A printed state ends the transfer, unless the transfer continues.
        return messages.states === transfer.states ? linesOf(transfer, room) : [];
      }),
    };
    transfer.state = state;
    transfer.states = messages.states;
    transfer.sent.reached(state.bytes);
    transfer.done.reached(state.bytes + (state.skipped ?? 0));
    transfer.lines?.changed();
    if (messages.isLive || now() - transfer.lastLine < LINE_INTERVAL) return;
    transfer.lastLine = now();
    messages.state(partsOf(transfer).join(", "));
  }
}

interface Transfer {
  state: TransferState;
  /** Number of the messages' states when this state was reached. */
  states: number;
  lastLine: number;
  readonly sent: Pace;
  /** Includes the bytes that were skipped. */
  readonly done: Pace;
  readonly lines: LiveLines | undefined;
}

function linesOf(transfer: Transfer, { columns, rows }: Room): readonly LiveLine[] {
  const below = (transfer.state.below ?? []).slice(0, rows - 1).map((line) => [line]);
  return [partsOf(transfer), ...below].map((parts) => ({ text: fitParts(parts, columns) }));
}

/** Returns the parts of the line, the most important ones first. */
function partsOf(
  { state: { bytes, skipped = 0, total, more = [] }, sent, done }: Transfer,
): readonly string[] {
  const all = bytes + skipped;
  const { rate } = sent;
  const left = total === undefined || all >= total ? undefined : done.left(total - all);
  const of = total === undefined ? byteCount(all) : `${byteCount(all)} of ${byteCount(total)}`;
  return [
    ...total === 0 ? [] : [of],
    ...left === undefined ? [] : [`${elapsedText(left)} left`],
    ...rate === undefined || rate < 1 ? [] : [`${byteCount(Math.round(rate))}/s`],
    ...more,
  ];
}

/** In ms: the speed is the average of the last ten seconds. */
const WINDOW = 10_000;

/** In ms: the speed is not known earlier. */
const LEAST = 1_000;

export class Pace {
  readonly #samples: (readonly [time: number, amount: number])[];

  /** @param now milliseconds on a clock that only goes forward. */
  constructor(private readonly now: () => number) {
    this.#samples = [[now(), 0]];
  }

  /** @param amount what is done by now, in all. */
  reached(amount: number): void {
    const now = this.now();
    const samples = this.#samples;
    // A hundred of them are enough for ten seconds.
    const [last, before] = [samples.at(-1)!, samples.at(-2)];
    if (before && last[0] - before[0] < WINDOW / 100) samples.pop();
    samples.push([now, amount]);
    // The last sample before the window is its beginning.
    while (samples.length > 1 && now - samples[1]![0] >= WINDOW) samples.shift();
  }

  /** How much is done in a second; `undefined` while that is not known. */
  get rate(): number | undefined {
    const [start, before] = this.#samples[0]!;
    const elapsed = this.now() - start;
    return elapsed < LEAST ? undefined : (this.#samples.at(-1)![1] - before) / elapsed * 1000;
  }

  /** How long the remaining amount takes, in ms; `undefined` while that is not known. */
  left(remaining: number): number | undefined {
    const { rate } = this;
    return rate === undefined || rate <= 0 ? undefined : remaining / rate * 1000;
  }
}
