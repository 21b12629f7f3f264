import type { Context } from "../../../runtime/context.ts";
import type { BuildEvent } from "../../../runtime/image/build_events.ts";
import { clockText, counted } from "../../../runtime/quantities.ts";
import { printable } from "../../../runtime/text.ts";
import { buildFrame } from "./build_frame.ts";
import { failedSteps, plainLines, Steps } from "./build_steps.ts";
import { showLive } from "../../../runtime/live_lines.ts";

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
