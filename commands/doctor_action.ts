/**
 * What `mlcli doctor` does: puts the checks together and renders them.
 *
 * @module
 */

import type { Context } from "../runtime/context.ts";
import type { Output } from "../runtime/streams.ts";
import { appChecks } from "../runtime/doctor/app_checks.ts";
import { type Check, guarded } from "../runtime/doctor/check.ts";
import { engineChecks } from "../runtime/doctor/engine_checks.ts";
import { imageChecks } from "../runtime/doctor/image_checks.ts";
import { portCheck } from "../runtime/doctor/port_checks.ts";
import { MlcliError } from "../runtime/errors.ts";
import { regionWords } from "../runtime/aws/settings.ts";
import { findApp } from "../runtime/app/app.ts";
import { green, red, yellow } from "./colour.ts";
import { wrap } from "./help.ts";
import { openSageMaker } from "./open_platform.ts";
import { DEFAULT_PORT } from "./options.ts";
import type { CloudOptions } from "./platform_options.ts";

/** Options of `doctor`. */
export interface DoctorOptions extends CloudOptions {
  readonly dockerTag: string;
  readonly cloud?: boolean;
  readonly output: "text" | "json";
}

/**
 * Prints a line a check.
 *
 * @throws MlcliError when something stands in the way.
 */
export async function runDoctor(context: Context, options: DoctorOptions): Promise<void> {
  const engine = context.engine();
  const app = findApp(context.cwd, options.appName);
  const groups = await Promise.all([
    guarded("engine", async () => await engineChecks(await engine)),
    guarded("app", async () => await appChecks(await app)),
    // Without an engine or an app, that alone is the finding.
    bothOf(
      engine,
      app,
      (engine, app) => guarded("image", () => imageChecks(engine, app, options.dockerTag)),
    ),
    bothOf(
      engine,
      engine,
      (engine) => guarded("port", async () => [await portCheck(engine, Number(DEFAULT_PORT))]),
    ),
    options.cloud ? guarded("cloud", () => cloudChecks(context, options)) : [],
  ]);
  const checks = groups.flat();
  if (options.output === "json") {
    context.out.print(`${JSON.stringify(checks.map(jsonCheck), null, 2)}\n`);
  } else {
    context.out.print(checks.map((check) => textCheck(check, context.out)).join(""));
  }
  const problems = checks.filter(({ status }) => status === "problem").length;
  if (problems === 0) return;
  const checksFailed = problems === 1 ? "1 check" : `${problems} checks`;
  throw new MlcliError(`${checksFailed} of ${checks.length} failed`);
}

async function bothOf<T, U>(
  first: Promise<T>,
  second: Promise<U>,
  check: (first: T, second: U) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const [one, other] = await Promise.allSettled([first, second]);
  if (one.status === "rejected" || other.status === "rejected") return [];
  return await check(one.value, other.value);
}

/** Asks the service for one page of endpoints: that takes credentials, a region and a permission. */
async function cloudChecks(context: Context, options: DoctorOptions): Promise<readonly Check[]> {
  const sagemaker = await openSageMaker(context, options);
  const pages = sagemaker.listEndpoints({});
  await pages.next();
  await pages.return(undefined);
  return [{
    name: "cloud",
    status: "ok",
    message: `The service takes the credentials, and may be asked in ${
      regionWords(sagemaker.region)
    }`,
  }];
}

/** Of the column of statuses, and a space. */
const WIDTH = 9;

function textCheck({ status, message, hint }: Check, out: Output): string {
  const sign = out.colour ? COLOURS[status](status) : status;
  const text = hint === undefined ? message : `${message}\nhint: ${hint}`;
  // A program reads lines; only a reader at a terminal has to have them broken.
  const lines = wrap(text, out.isTerminal ? out.columns : Infinity, WIDTH);
  return `${sign}${" ".repeat(WIDTH - status.length)}${lines}\n`;
}

const COLOURS = { ok: green, warning: yellow, problem: red, unknown: yellow } as const;

function jsonCheck({ name, status, message, hint }: Check): Record<string, unknown> {
  return { name, status, message, hint: hint ?? null };
}
