/** All command lines that are cut off, but those that change an endpoint (`deploy_sweep.ts`). */

import { assert, assertEquals } from "@std/assert";
import { makeApp } from "../app.ts";
import { Box } from "../box/box.ts";
import { putImage } from "../box/images.ts";
import type { JobStep } from "../box/jobs/job_store.ts";
import { TRANSFORM } from "../cloud_lines.ts";
import {
  allWordsOf,
  CLOUD_COMMANDS,
  except,
  type Exceptions,
  openStage,
} from "../command_lines.ts";
import { makeDeployApp, MODEL } from "../deploy_app.ts";
import { fakePushes } from "../fake_pushes.ts";
import { BUCKET, makeJobApp } from "../job_app.ts";
import { addJob } from "../jobs.ts";
import type { Stopped } from "../stopped_call.ts";
import { downloading, DOWNLOADS, uploading } from "./data_scenes.ts";
import type { Cut, Scene } from "./scene.ts";

/**
 * Pushes an image with an OCI manifest, which mlcli converts to Docker's, into a repository that does not
 * exist.
 */
export async function pushing(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const box = stack.use(await Box.open());
  const app = stack.use(await makeApp());
  let id = "sha256:not-pushed";
  const engine = stack.use(
    await fakePushes(box, {
      reference: `${app.name}:latest`,
      id: () => id,
      put: async (repository, tag) =>
        id = await putImage(box.ecr, repository, { format: "oci", tag }),
    }),
  );
  const { store } = box.ecr;
  const tagged = () => {
    const repository = store.repositories.get(app.name);
    const digest = repository?.tags.get("latest");
    return { repository, image: repository?.images.get(digest ?? "") };
  };
  const owned = stack.move();
  return {
    box,
    cwd: app.directory,
    args: ["push"],
    env: { DOCKER_HOST: `unix://${engine.socket}` },
    options: { engine },
    stdout: () => `${box.ecr.front.host}/${app.name}@${tagged().image!.digest}\n`,
    begin() {
      store.repositories.clear();
      id = "sha256:not-pushed";
      return Promise.resolve();
    },
    check(cut: Cut, { code, stdout, stderr }: Stopped) {
      const { repository, image } = tagged();
      if (code !== 0) assertEquals(stdout, "");
      // A tag names a whole image, or nothing.
      if (repository?.tags.has("latest")) assert(image, "The tag names nothing");
      if (repository && cut !== "SIGKILL") assert(stderr.includes(app.name), "It is not named");
      assertEquals([...engine.names], [], "names are left on the engine");
    },
    complete() {
      assert(tagged().image?.mediaType.includes("docker"), "SageMaker takes no other manifest");
      assertEquals([...engine.names], [], "names are left on the engine");
    },
    [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose](),
  };
}

const TRAIN = ["train", "-i", `s3://${BUCKET}/app/data`, "-e", "ml.m5.large"];
const PROCESS = [
  ...["process", "-f", "p.py", "-e", "ml.m5.large"],
  ...["--input-s3-location", `s3://${BUCKET}/app/data`],
];

/** Command lines that start a job. Whichever kind it is, it is followed in the same way. */
export const STARTS: Readonly<Record<string, readonly string[]>> = {
  "train": TRAIN,
  "train --no-wait": [...TRAIN, "--no-wait"],
  "process --no-wait": [...PROCESS, "--no-wait"],
};

/** A command line that starts a job: one that is there has been named. */
export async function starting(args: readonly string[]): Promise<Scene> {
  const job = await makeJobApp();
  const { box, app } = job;
  return {
    box,
    cwd: app.directory,
    args,
    begin() {
      box.jobs.all.length = 0;
      return Promise.resolve();
    },
    check(_cut: Cut, { code, stdout, stderr }: Stopped) {
      for (const { name } of box.jobs.all) {
        assert(stderr.includes(name), `The job ${name} costs money, and nobody knows of it`);
      }
      if (code !== 0) assertEquals(stdout, "");
      assert(box.jobs.all.length <= 1, "It started several");
      box.jobs.all.length = 0;
    },
    complete({ stdout, stderr }) {
      const [{ name } = { name: "none" }, ...others] = box.jobs.all;
      assertEquals(others, []);
      assert(stdout.includes(name), stdout);
      assert(stderr.includes(name), stderr);
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

/** The same of a transform: also its model is named, or deleted by the next. */
export async function transforming(more: readonly string[]): Promise<Scene> {
  const job = await makeDeployApp();
  const { box, app } = job;
  const { models } = box.endpoints;
  return {
    box,
    cwd: app.directory,
    args: [...TRANSFORM, "-m", MODEL, ...more],
    asksAtOnce: true,
    begin() {
      box.jobs.all.length = 0;
      models.clear();
      return Promise.resolve();
    },
    check(_cut: Cut, { code, stdout, stderr }: Stopped) {
      for (const { name } of [...box.jobs.all, ...models.values()]) {
        assert(stderr.includes(name), `${name} is there, and nobody knows of it`);
      }
      if (code !== 0) assertEquals(stdout, "");
      assert(box.jobs.all.length <= 1 && models.size <= 1, "It made several");
      // Later, when the job has ended.
      for (const one of box.jobs.all) if (!one.hasEnded) one.end({ status: "Completed" });
      for (const model of models.values()) Object.assign(model, { creationTime: 1 });
    },
    complete({ stdout }) {
      const { name, request } = box.jobs.all.at(-1)!;
      const isOver = more.length === 0;
      assertEquals(stdout, isOver ? `${request.TransformOutput.S3OutputPath}\n` : `${name}\n`);
      assertEquals([...models.keys()], isOver ? [] : [name]);
    },
    [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
  };
}

const STEPS: readonly JobStep[] = [
  { status: "Training", log: ["one", "two"] },
  { log: ["three"], end: { status: "Completed" } },
];

/** All that it prints. */
const LOG = "one\ntwo\nthree\n";

/** A command line that changes nothing, or that can be repeated: it prints all of its result, or nothing. */
async function repeatable(args: readonly string[]): Promise<Scene> {
  const stage = await openStage();
  const { box, app } = stage;
  return {
    box,
    cwd: app.directory,
    args,
    asksAtOnce: true,
    begin() {
      box.jobs.all.length = 0;
      box.logs.clear();
      box.endpoints.endpoints.clear();
      box.endpoints.configurations.clear();
      box.endpoints.models.clear();
      addJob(box, "churn", STEPS);
      addJob(box, "late", STEPS);
      box.endpoints.add("shop");
      box.logs.put("/aws/sagemaker/Endpoints/shop", "AllTraffic/i-0123", ["one"]);
      return Promise.resolve();
    },
    check(_cut: Cut, { code, stdout }: Stopped) {
      if (args[0] === "logs") assert(LOG.startsWith(stdout), stdout);
      else if (code !== 0) assertEquals(stdout, "");
    },
    complete({ stdout }) {
      assert(stdout !== "", "It prints nothing");
      if (args[0] === "logs") assert(LOG.startsWith(stdout), stdout);
      if (args.includes("--follow")) assertEquals(stdout, LOG);
    },
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}

/** Commands whose calls change something, or need more than a line. */
const EXCEPTIONS: Exceptions = {
  "invoke-endpoint": "a request is never retried, because the model might have processed it",
  "train": "STARTS",
  "process": "STARTS",
  "transform": "transforming",
  "download-model": "DOWNLOADS",
  "download-output": "DOWNLOADS",
  "upload-data": "uploading",
  "push": "pushing",
  "deploy": "deploy_sweep.ts",
  "delete-endpoint": "deploy_sweep.ts",
};

const REPEATABLE = except(CLOUD_COMMANDS, EXCEPTIONS).flatMap(allWordsOf);

/**
 * Scenes by name. Scenes with concurrent requests come first: after their responses, the SDK might still wait
 * to retry another request.
 */
export const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  ...each(Object.fromEntries(REPEATABLE.map((args) => [args.join(" "), args])), repeatable),
  ...each(STARTS, starting),
  ...each({ "transform": [], "transform --no-wait": ["--no-wait"] }, transforming),
  ...each(DOWNLOADS, downloading),
  "upload-data": uploading,
  "push": pushing,
};

function each<Given>(
  all: Readonly<Record<string, Given>>,
  open: (one: Given) => Promise<Scene>,
): Readonly<Record<string, () => Promise<Scene>>> {
  return Object.fromEntries(
    Object.entries(all).map(([name, one]) => [name, () => open(one)]),
  );
}
