/**
 * All checks of `mlcli doctor`.
 *
 * @module
 */

import { findApp } from "../app/app.ts";
import type { CloudChoice } from "../cloud/connection.ts";
import type { Context } from "../context.ts";
import { appChecks } from "./app_checks.ts";
import { type Check, guarded } from "./check.ts";
import { cloudCheck } from "./cloud_check.ts";
import { engineChecks } from "./engine_checks.ts";
import { imageChecks } from "./image_checks.ts";
import { portCheck } from "./port_checks.ts";

/** What to look at. */
export interface DoctorRequest {
  readonly appName: string | undefined;
  /** Of the app's image. */
  readonly tag: string;
  /** That `local deploy` takes by itself. */
  readonly port: number;
  /** The way to the cloud service; not asked when undefined. */
  readonly cloud: CloudChoice | undefined;
}

/** Looks at everything at once; the findings are in the order of the list. */
export async function diagnose(
  { appName, tag, port, cloud }: DoctorRequest,
  host: Pick<Context, "cwd" | "env" | "engine" | "sagemaker">,
): Promise<readonly Check[]> {
  const engine = host.engine();
  const app = findApp(host.cwd, appName);
  const groups = await Promise.all([
    guarded("engine", async () => await engineChecks(await engine)),
    guarded("app", async () => await appChecks(await app)),
    // Where there is no engine or no app, that alone is the finding.
    withBoth(
      engine,
      app,
      (engine, app) => guarded("image", () => imageChecks(engine, app, tag)),
    ),
    withBoth(
      engine,
      engine,
      (engine) => guarded("port", async () => [await portCheck(engine, port)]),
    ),
    cloud ? guarded("cloud", async () => [await cloudCheck(cloud, host)]) : [],
  ]);
  return groups.flat();
}

async function withBoth<T, U>(
  first: Promise<T>,
  second: Promise<U>,
  check: (first: T, second: U) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const [one, other] = await Promise.allSettled([first, second]);
  if (one.status === "rejected" || other.status === "rejected") return [];
  return await check(one.value, other.value);
}
