/**
 * A build line by line, as its events come. Steps run at the same time: each line has the number of
 * its step.
 *
 * @module
 */

import type { BuildEvent } from "../../../../runtime/image/build_events.ts";
import { clockText } from "../../duration.ts";
import type { Step, Steps } from "./steps.ts";

/**
 * The lines that an event makes: `#3 [4/7] RUN make`, `#3 | cc -c a.c`, `#3 done 1.2s`.
 *
 * @param steps takes the event in.
 */
export function plainLines(event: BuildEvent, steps: Steps): readonly string[] {
  const of = steps.add(event);
  if (of === undefined) return [];
  const { step, before } = of;
  if (event.kind === "log") return logged(step, step.log.add(event.text));
  // BuildKit says of some steps that they are done, and then that they were cached.
  const isTold = before !== undefined && (before.state !== "running" || step.state === "running");
  if (event.kind === "transfer" || isTold) return [];
  const announced = before === undefined ? [`#${step.number} ${step.name}`] : [];
  if (step.state === "running") return announced;
  if (step.state === "cached") {
    return [before === undefined ? `${announced[0]} (cached)` : `#${step.number} cached`];
  }
  const took = step.took === undefined ? "" : ` ${clockText(step.took)}`;
  return [
    ...announced,
    ...logged(step, step.log.end()),
    `#${step.number} ${step.state}${took}`,
  ];
}

function logged({ number }: Step, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `#${number} | ${line}`.trimEnd());
}
