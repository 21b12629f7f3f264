import { type App, findApp, withTag } from "../app/app.ts";
import type { CloudChoice } from "../cloud/connection.ts";
import type { Context } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import type { ImageDetails } from "../docker/images.ts";
import { NoAppHere } from "../errors.ts";
import type { Message } from "../messages.ts";
import { appChecks, networkChecks } from "./app_checks.ts";
import { type Check, guarded, ok, withoutRepeats } from "./check.ts";
import { cloudChecks } from "./cloud_check.ts";
import { engineChecks, portCheck, studioChecks } from "./engine_checks.ts";
import { imageChecks } from "./image_checks.ts";
import { platformChecks, ruleChecks } from "./platform_checks.ts";

export interface DoctorRequest {
  readonly appName: string | undefined;
  readonly dockerTag: string;
  /** That `local deploy` is to take. */
  readonly port: number;
  /** The unknown keys of an app's configuration file. */
  readonly unknownKeysOf: (app: App) => Promise<readonly Message[]>;
  /** The way to the cloud service; not asked when undefined. */
  readonly cloud: CloudChoice | undefined;
}

export interface Diagnosis {
  /** Of this machine and the app's files, in the order of the list. */
  readonly checks: readonly Check[];
  /** Differences from SageMaker: warnings, or one line that says that there are none. */
  readonly platform: readonly Check[];
}

export async function diagnose(
  { appName, dockerTag, port, unknownKeysOf, cloud }: DoctorRequest,
  host: Pick<Context, "cwd" | "env" | "system" | "engine" | "aws" | "messages" | "interruption">,
): Promise<Diagnosis> {
  const { signal } = host.interruption;
  const engine = host.engine();
  const app = findApp(host.cwd, appName).then((app) => withTag(app, dockerTag));
  const image = Promise.all([engine, app]).then(([engine, app]) => engine.image(app.image, signal));
  image.catch(() => {}); // the check that needs the value reports it
  const ofImage = ifThere(
    Promise.all([engine, app]),
    ([engine, app]) =>
      guarded("image", async () => await imageAndPlatform(engine, app, await image, host)),
  );
  // Awaited before checks begin, so that no check fails unobserved.
  const hasNone = await hasNoApp(app);
  const groups = [
    guarded(
      "engine",
      async () => await engineChecks(await engine, signal),
      // Most commands on SageMaker need no app.
      cloud !== undefined && hasNone ? "warning" : "error",
    ),
    guarded("studio", async () => await studioChecks(engine, host), "unknown"),
    guarded("app", async () => {
      const unknown = await unknownKeysOf(await app);
      return await appChecks(await app, await image.catch(() => undefined), unknown);
    }, appName === undefined && hasNone ? "warning" : "error"),
    ifThere(
      app,
      (app) =>
        guarded(
          "network",
          async () => await networkChecks(app, await image.catch(() => undefined), host),
        ),
    ),
    ofImage.then((found) => found.filter((check) => !isDifference(check))),
    ifThere(
      engine,
      (engine) => guarded("port", async () => [await portCheck(engine, port, signal)]),
    ),
    cloud ? cloudChecks(cloud, app.catch(() => undefined), host) : [],
  ];
  // Waits for every check, even after Ctrl-C, because a check might have to remove its container.
  await Promise.allSettled(groups);
  const checks = (await Promise.all(groups)).flat();
  return { checks, platform: (await ofImage).filter(isDifference) };
}

/** Whether no app exists in this directory: before `mlcli init`, this is not a problem. */
async function hasNoApp(app: Promise<App>): Promise<boolean> {
  return await app.then(() => false, (error) => error instanceof NoAppHere);
}

/**
 * Whether a check is about a difference from SageMaker: also warnings about the image's age, or a missing
 * init process.
 */
function isDifference({ name, level }: Check): boolean {
  return level === "warning" || name === "platform";
}

async function imageAndPlatform(
  engine: Engine,
  app: App,
  image: ImageDetails | undefined,
  host: Pick<Context, "messages" | "interruption">,
): Promise<readonly Check[]> {
  const found = withoutRepeats([
    ...await imageChecks(engine, app, image, host),
    ...await platformChecks(app, image),
    ...await ruleChecks(engine, app, image, host.interruption.signal),
  ]);
  // Without an image that is not known.
  if (image === undefined || found.some(isDifference)) return found;
  return [...found, { name: "platform", ...ok("Found no differences from SageMaker") }];
}

/** Without an engine or an app, the error is the only result. */
async function ifThere<T>(
  needed: Promise<T>,
  check: (found: T) => Promise<readonly Check[]>,
): Promise<readonly Check[]> {
  const [result] = await Promise.allSettled([needed]);
  return result.status === "rejected" ? [] : await check(result.value);
}
