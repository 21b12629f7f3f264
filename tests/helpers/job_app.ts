/**
 * An app whose image is pushed and whose data lies in S3, on a platform in a box: what `train` and
 * `process` need.
 */

import { completeApp, type TestApp, type TestAppOptions } from "./app.ts";
import { Box } from "./box/box.ts";
import { putImage } from "./box/images.ts";
import { EXECUTION_ROLE } from "./box/jobs/job_store.ts";
import { type InProcessOptions, runInProcess } from "./in_process.ts";
import type { ProgramResult } from "./program.ts";

/** Where its data lies, and where its results go. */
export const BUCKET = "job-data";

/** An app and the platform. */
export interface JobApp extends AsyncDisposable {
  readonly app: TestApp;
  readonly box: Box;
  /** `REPOSITORY@sha256:...` of the app's image, tag `latest`. */
  readonly image: string;
  /** Runs a command line in this process, without an engine. */
  run(args: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult>;
}

/** What the configuration file of such an app says where a test does not say otherwise. */
export const CONFIGURATION = {
  s3_prefix: `s3://${BUCKET}/app`,
  execution_role: EXECUTION_ROLE,
} as const;

/** Opens the platform, and makes the app. */
export async function makeJobApp(options: TestAppOptions = {}): Promise<JobApp> {
  await using stack = new AsyncDisposableStack();
  const box = stack.use(await Box.open());
  const app = stack.use(await completeApp({ configuration: CONFIGURATION, ...options }));
  const digest = await putImage(box.ecr, box.ecr.store.add(app.name), { tag: "latest" });
  box.s3.createBucket(BUCKET);
  await box.s3.put(BUCKET, "app/data/a.csv", "1\n");
  await box.s3.put(BUCKET, "app/other/b.csv", "2\n");
  const all = stack.move();
  return {
    app,
    box,
    image: `${box.ecr.front.host}/${app.name}@${digest}`,
    run: (args, { env, ...more } = {}) =>
      runInProcess(args, {
        cwd: app.directory,
        cloud: box.env(),
        env: { XDG_STATE_HOME: app.state, ...env },
        ...more,
      }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
