/**
 * `deploy`: creates an endpoint that serves a model, or has one that is there serve another.
 *
 * @module
 */

import type { AwsOptions } from "../../aws/settings.ts";
import { checkDeployedName } from "../../contract/names.ts";
import { roomFor } from "../../contract/instances.ts";
import { Interrupted } from "../../errors.ts";
import { inOneLine, printableJson } from "../../text.ts";
import { requireOwnKey } from "../bucket_owner.ts";
import { connectFor } from "../connection.ts";
import type { JobReport } from "../jobs/report.ts";
import { checkPlace } from "../preflight/data.ts";
import { imageForJob } from "../preflight/image.ts";
import { placeOf } from "../start/checks.ts";
import { inOrder, type Note } from "../start/in_order.ts";
import { callsOf } from "./calls.ts";
import { requireOneModel, type Variant } from "./carried.ts";
import { carryOut } from "./carry_out.ts";
import type { CheckedRequest } from "./checks.ts";
import { changesOf } from "./compare.ts";
import { type Action, actionFor, requirePossible, requireReady, requireUnmixed } from "./decide.ts";
import { rememberEndpoint, requireKnown } from "./known.ts";
import { modelFor, type ReadyModel } from "./packed_model.ts";
import { type Deployment, deploymentOf, endpointTags, variablesOf } from "./plan.ts";
import { requireUnused } from "./removal.ts";
import { type Coming, leaveAsItIs, settle } from "./settle.ts";
import { requireUnchanged } from "./own.ts";
import { type State, stateOf, type Thing } from "./state.ts";
import { inTheWayOf, mayBeComing, slotFor, unusedBeside } from "./unused.ts";
import { hasVolume, isServerless, variantOf } from "./variant.ts";
import type { DeployHost, Work } from "./work.ts";

/**
 * Creates or updates the endpoint. Everything is checked before anything is made; what served keeps
 * serving whatever goes wrong.
 *
 * @throws UsageError for options that are missing or do not go together; MlcliError for what the
 * platform would refuse, and where the endpoint does not come to serve what was asked for.
 */
export async function deploy(
  request: CheckedRequest,
  choice: AwsOptions,
  host: DeployHost,
  report: JobReport,
): Promise<void> {
  checkDeployedName(request.endpoint);
  const aws = await connectFor(request.app, choice, host);
  const sagemaker = await aws.sagemaker();
  await using ready = await nothingMade(report, async () => {
    report.progress(`Looking at endpoint ${request.endpoint}`, 0);
    const state = await stateOf(request.endpoint, sagemaker, (text) => report.note(text));
    const work = { request, state, aws, sagemaker, host, report, choice };
    await requireKnown(work);
    requireReady(state, choice);
    if (state.base) requireOneModel(state.endpoint, state.base);
    requirePossible(request, state);
    return await checked(work);
  });
  const { action, work, changes, inTheWay, deployment } = ready;
  const { state } = work;
  if (request.dryRun) return report.result(dryRun(ready));
  if (state.description) await rememberEndpoint(work, state.description.account);
  switch (action) {
    case "nothing":
      return await leaveAsItIs(work);
    case "follow":
      report.note(`${state.endpoint} is on its way to that already`);
      return await settle(comingOf(state), true, work);
    case "update":
      report.note(
        changes.length === 0
          ? `${state.endpoint} is ${
            inOneLine(state.description?.status || "in a status that is not told")
          }: it is deployed again`
          : `What changes: ${changes.join(", ")}`,
      );
  }
  await nothingMade(report, async () => {
    await ready.model.send();
    await requireUnchanged(work);
  });
  await carryOut(deployment, inTheWay, work);
}

/** What is to be done, checked. */
interface Ready extends AsyncDisposable {
  readonly work: Work;
  readonly action: Action;
  readonly changes: readonly string[];
  readonly model: ReadyModel;
  readonly deployment: Deployment;
  readonly inTheWay: readonly Thing[];
}

/** Checks all that the endpoint needs; changes nothing. */
async function checked(work: Work): Promise<Ready> {
  const { request, state, host, report, choice } = work;
  tellWhatIsLost(work);
  report.progress("Checking what the endpoint needs", 0);
  const image = await imageAndCapture(work);
  await using stack = new AsyncDisposableStack();
  const model = stack.use(await readyModel(work));
  host.interruption.signal.throwIfAborted();
  const slot = slotFor(state);
  const deployment = deploymentOf({ request, state, slot, image, model: model.address });
  const changes = changesOf(deployment, request, state, model.lastModified);
  const action = actionFor(state, changes, choice);
  const isMade = action === "create" || action === "update";
  const inTheWay = isMade ? inTheWayOf(slot, state) : [];
  requireUnmixed(state, inTheWay);
  await requireUnused(inTheWay, state.endpoint, work);
  const all = stack.move();
  return {
    work,
    action,
    changes,
    model,
    deployment,
    inTheWay,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Waits for what comes before anything is made; where that is interrupted, says so. */
async function nothingMade<T>(
  report: Pick<JobReport, "note">,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) report.note("Interrupted: nothing was changed.");
    throw error;
  }
}

/** Says what an update cannot keep, and what the platform has no use for. */
function tellWhatIsLost({ request, state, report }: Work): void {
  const { endpoint, base, description } = state;
  const variant = variantOf(request, state);
  if (base?.configuration && base.models.length > 0 && !base.model) {
    report.note(
      `The model of ${endpoint} is deleted (${
        inOneLine(base.models[0]!)
      }): its variables are not ` +
        "known, and only those given here are set.",
    );
  }
  if (base && !base.configuration) {
    report.note(
      `The configuration of ${endpoint} is deleted (${inOneLine(base.name)}): what it has is not ` +
        "known, its variables neither, and only what is given here is set.",
    );
  }
  if (isServerless(state) && variant.ServerlessConfig === undefined) {
    report.note(`${endpoint} gets instances: SageMaker cannot make it serverless again.`);
  }
  if (request.canary !== undefined && description === undefined) {
    report.note(`${endpoint} is new: all of it serves at once, without --canary.`);
  }
  if (request.kmsKey !== undefined && !hasVolume(variant)) {
    const what = variant.ServerlessConfig ? "A serverless endpoint" : variant.InstanceType;
    report.note(`${what} has no volume that --kms-key could encrypt.`);
  }
}

/** The image's address; whether captured data has a place, and whose the key is. */
async function imageAndCapture({ request, state, aws, host, report }: Work): Promise<string> {
  const { app, tag, repository, dataCapture } = request;
  // Serverless containers run on amd64 alone.
  const instanceType = machineOf(variantOf(request, state)) ?? "a serverless endpoint";
  const [image] = await inOrder(
    (text) => report.note(text),
    async (note) => {
      const use = { ecr: await aws.ecr(), engine: host.engine };
      return await imageForJob({ app, tag, repository, instanceType }, use, note);
    },
    async (note: Note) => {
      if (dataCapture === undefined) return;
      await checkPlace(aws, placeOf(request, "deploy", "--data-capture", dataCapture), note);
    },
    () => requireOwnKey(aws, request, "deploy"),
  );
  return image;
}

/** What a variant runs on; `undefined` where it is serverless. */
function machineOf(
  { ServerlessConfig, InstanceType, InstancePools }: Omit<Variant, "ModelName">,
): string | undefined {
  if (ServerlessConfig) return undefined;
  return InstanceType ?? InstancePools?.[0]?.InstanceType ?? "its instances";
}

/** The model, checked where it is going to be unpacked. */
async function readyModel({ request, state, aws, host, report }: Work): Promise<ReadyModel> {
  const { app, tag, healthCheckTimeout, typed } = request;
  const variant = variantOf(request, state);
  const instanceType = machineOf(variant);
  return await modelFor(
    request.model,
    {
      app,
      tag,
      endpoint: state.endpoint,
      variables: variablesOf(request, state),
      healthCheckTimeout: healthCheckTimeout ??
        variant.ContainerStartupHealthCheckTimeoutInSeconds,
      instanceType,
      room: roomFor({ instanceType, volumeSize: variant.VolumeSizeInGB }),
      typed,
    },
    aws,
    host,
    report,
  );
}

/** What is coming already: another run, or somebody else, has made it. */
function comingOf({ base, things }: State): Coming {
  const names = { configuration: base!.name, model: base!.models[0] ?? "" };
  const made = things.filter(({ kind, name, isOurs }) => isOurs && name === names[kind]);
  return {
    ...names,
    created: base!.configuration?.CreationTime,
    // As it was made: the model first.
    made: made.map((thing) => ({ ...thing, isCertain: true })).toReversed(),
  };
}

/** The calls, as JSON. */
function dryRun(
  { action, model, deployment, inTheWay, work: { request, state, host } }: Ready,
): string {
  const isMade = action === "create" || action === "update";
  const arn = state.description?.arn;
  const serves = isMade
    ? {
      configuration: deployment.configuration.EndpointConfigName!,
      model: deployment.model.ModelName!,
    }
    : { configuration: state.base!.name, model: state.base!.models[0] ?? "" };
  const beside = unusedBeside(serves, state).ours;
  const coming = action === "nothing" ? mayBeComing(beside, state, host.clock.date()) : [];
  const unused = beside.filter((thing) => !coming.includes(thing));
  return printableJson(
    callsOf({
      sent: isMade ? { address: model.address, calls: model.calls } : undefined,
      inTheWay,
      deployment: isMade ? deployment : undefined,
      tagged: arn !== undefined && setsTags(action, request)
        ? { arn, tags: endpointTags(request, state) }
        : undefined,
      unused: request.wait ? unused : [],
    }),
    2,
  );
}

/** Whether an endpoint that is there is given tags. */
function setsTags(action: Action, { tags, wait }: CheckedRequest): boolean {
  return wait && (action !== "nothing" || Object.keys(tags).length > 0);
}
