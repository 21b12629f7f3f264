import type { Context } from "../runtime/context.ts";
import type { Check } from "../runtime/doctor/check.ts";
import { diagnose } from "../runtime/doctor/doctor.ts";
import { MlcliError } from "../runtime/errors.ts";
import type { Output } from "../runtime/streams.ts";
import { unknownKeys } from "./chosen_app.ts";
import type { DoctorOptions } from "./doctor.ts";
import { counted } from "../runtime/quantities.ts";
import { green, red, yellow } from "./render/format.ts";
import { printable } from "../runtime/text.ts";
import { wrap } from "../runtime/messages.ts";

/**
 * Prints a line a check.
 *
 * @throws MlcliError when something stands in the way.
 */
export async function doctorAction(context: Context, options: DoctorOptions): Promise<void> {
  const { checks, platform } = await diagnose({
    ...options,
    unknownKeysOf: unknownKeys,
    cloud: options.cloud ? options : undefined,
  }, context);
  const all = [...checks, ...platform];
  if (options.output === "json") {
    context.out.print(`${JSON.stringify(all.map(jsonCheck), null, 2)}\n`);
  } else {
    const text = (checks: readonly Check[]): string =>
      checks.map((check) => textCheck(check, context.out)).join("");
    const differs = platform.some(({ status }) => status !== "ok");
    context.out.print(text(checks) + (differs ? `\n${PLATFORM_HEADING}\n` : "") + text(platform));
  }
  const problems = all.filter(({ status }) => status === "problem").length;
  if (problems === 0) return;
  throw new MlcliError(`${problems} of ${counted(all.length, "check")} failed`);
}

const PLATFORM_HEADING = "Differences from SageMaker:";

/** Of the column with a space after it. */
const STATUS_WIDTH = 9;

function textCheck({ status, message, hint }: Check, out: Output): string {
  const sign = out.colour ? COLOURS[status](status) : status;
  const text = printable(hint === undefined ? message : `${message}\nhint: ${hint}`);
  // Only a person at a terminal needs broken lines.
  const lines = wrap(text, out.isTerminal ? out.columns : Infinity, STATUS_WIDTH);
  return `${sign}${" ".repeat(STATUS_WIDTH - status.length)}${lines}\n`;
}

const COLOURS = { ok: green, warning: yellow, problem: red, unknown: yellow } as const;

function jsonCheck({ name, status, message, hint }: Check): Record<string, unknown> {
  return { name, status, message, hint: hint ?? null };
}
