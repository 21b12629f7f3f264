/** A build on a terminal at a moment: its steps with their times, and the last output of running ones. */

import { fit, widthOf } from "../../../runtime/cells.ts";
import type { TransferEvent } from "../../../runtime/image/build_events.ts";
import { byteCount, clockText } from "../../../runtime/quantities.ts";
import { dim, green, red } from "../format.ts";
import { endText, type Step } from "./build_steps.ts";
import type { LiveLine, Room } from "../../../runtime/live_lines.ts";

/** How many lines of output a step shows at most. */
const LAST_LINES = 6;

const INDENT = "    ";

interface FrameOf {
  readonly title: string;
  readonly steps: readonly Step[];
  /** When it began, and now: in ms on the clock of `Steps`. */
  readonly start: number;
  readonly now: number;
}

/** Returns the lines of a build. If they don't fit, leaves out the oldest steps first, then output. */
export function buildFrame(
  { title, steps, start, now }: FrameOf,
  { columns, rows }: Room,
): readonly LiveLine[] {
  const heading = { text: fit(`${title} (${clockText(now - start)})`, columns) };
  const running = steps.filter(({ state }) => state === "running");
  const room = rows - 1;
  const shown = new Set(running.slice(-Math.max(1, room)).map(({ id }) => id));
  // At most half of the room that is left, so that earlier steps are seen.
  const each = Math.min(LAST_LINES, Math.ceil((room - shown.size) / 2 / Math.max(1, shown.size)));
  const details = new Map(running.map((step) => [step.id, detailsOf(step, each, columns)]));
  const taken = [...shown].reduce((sum, id) => sum + 1 + details.get(id)!.length, 0);
  const ended = steps.filter(({ state }) => state !== "running");
  for (const { id } of ended.slice(Math.max(0, ended.length - Math.max(0, room - taken)))) {
    shown.add(id);
  }
  const lines = steps.filter(({ id }) => shown.has(id)).flatMap((step) => [
    stepLine(step, now, columns),
    ...details.get(step.id) ?? [],
  ]);
  return [heading, ...lines].slice(0, rows);
}

/** `✓ [2/7] COPY a b             0.1s` */
function stepLine(step: Step, now: number, columns: number): LiveLine {
  const { state, name, since } = step;
  const end = state === "running" ? clockText(now - since) : endText(step, clockText);
  const [mark, colour] = MARKS[state];
  const text = fit(`${mark} ${name}`, columns - widthOf(end) - 1);
  const space = " ".repeat(Math.max(1, columns - widthOf(text) - widthOf(end)));
  return {
    text: fit(`${text}${space}${end}`, columns),
    paint: (text) => colour(text.slice(0, 1)) + text.slice(1),
  };
}

const MARKS = {
  running: ["•", (text: string) => text],
  done: ["✓", green],
  cached: ["✓", green],
  failed: ["✗", red],
} as const;

function detailsOf(step: Step, count: number, columns: number): readonly LiveLine[] {
  const transfer = step.transfers.size === 0 ? [] : [transferText([...step.transfers.values()])];
  const log = step.log.tail(Math.max(0, count - transfer.length));
  return [...transfer, ...log].slice(0, Math.max(0, count)).map((line) => ({
    text: fit(INDENT + line.replaceAll("\t", INDENT), columns),
    paint: dim,
  }));
}

/** Returns a line about the data that a step fetches. */
function transferText(transfers: readonly TransferEvent[]): string {
  const sum = (of: (one: TransferEvent) => number): number =>
    transfers.reduce((before, one) => before + of(one), 0);
  const current = sum((one) => one.current);
  const total = sum(({ total = 0, current }) => Math.max(total, current));
  const done = transfers.filter(({ isDone }) => isDone).length;
  const bytes = total > current
    ? `${byteCount(current)} of ${byteCount(total)}`
    : byteCount(current);
  const [only] = transfers;
  return transfers.length === 1
    ? `${only!.name} ${bytes}`
    : `${bytes}, ${done} of ${transfers.length} parts`;
}
