import { fit, widthOf } from "../../../runtime/cells.ts";
import type { Context } from "../../../runtime/context.ts";
import type { BuildEvent, TransferEvent } from "../../../runtime/image/build_events.ts";
import { type LiveLine, type Room, showLive } from "../../../runtime/live_lines.ts";
import { byteCount, clockText, counted } from "../../../runtime/quantities.ts";
import { printable } from "../../../runtime/text.ts";
import { dim, green, red } from "../format.ts";
import { endText, failedSteps, plainLines, type Step, Steps } from "./build_steps.ts";

/**
 * Shows a build: on a terminal the steps that run, and the output of a step that fails; in a pipe all
 * output, line by line.
 *
 * @param reference `name:tag`
 * @param work builds, and reports what happens.
 */
export async function showBuild<T>(
  { messages, err, clock }: Pick<Context, "messages" | "err" | "clock">,
  reference: string,
  work: (onEvent: (event: BuildEvent) => void) => Promise<T>,
): Promise<T> {
  const now = () => clock.now();
  const start = now();
  const steps = new Steps(now);
  // Not as messages, which would break long lines.
  const print = (lines: readonly string[]) =>
    err.print(lines.map((line) => printable(`${line}\n`)).join(""));
  const isPlain = !messages.isLive && !messages.isQuiet;
  const live = showLive(messages, (room) => {
    const title = `Building ${reference}`;
    return buildFrame({ title, steps: steps.all, start, now: now() }, room);
  });
  const onEvent = (event: BuildEvent): void => {
    if (event.kind === "warning") return messages.warning(event.text);
    const lines = plainLines(event, steps);
    if (isPlain) print(lines);
    live?.changed();
  };
  const built = await work(onEvent).catch((error) => {
    messages.showBelow(undefined);
    if (!isPlain) {
      for (const { name, log } of failedSteps(steps.all)) print([name, ...log.whole()]);
    }
    throw error;
  });
  messages.showBelow(undefined);
  const cached = steps.all.filter(({ state }) => state === "cached").length;
  const of = cached === 0 ? "" : ` (${cached} of ${counted(steps.all.length, "step")} cached)`;
  messages.state(`Built ${reference} in ${clockText(now() - start)}${of}`);
  return built;
}

/** How many lines of output a step shows at most. */
const LAST_LINES = 6;

const INDENT = "    ";

/**
 * Returns the steps with their times, and the last output of running ones. Without room for all lines,
 * old steps go first, then output.
 */
export function buildFrame(
  { title, steps, start, now }: {
    readonly title: string;
    readonly steps: readonly Step[];
    /** When it began, and now: in ms on the clock of `Steps`. */
    readonly start: number;
    readonly now: number;
  },
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
  const end = state === "running" ? clockText(now - since) : endText(step);
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

/** Returns the progress of the downloads of a step as a line. */
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
