import { parseS3Uri } from "../../contract/addresses.ts";
import { roomFor } from "../../contract/instances.ts";
import { inOneLine } from "../../text.ts";
import { requireOwnKey } from "../bucket_owner.ts";
import { checkPlace } from "../preflight/data.ts";
import { imageForJob } from "../preflight/image.ts";
import { inOrder, type Note } from "../in_parallel.ts";
import {
  type Action,
  actionFor,
  changesOf,
  requireKnownModel,
  requireOneModel,
  requirePossible,
  requireReady,
  requireUnmixed,
} from "./decide.ts";
import { requireUnused } from "./delete_parts.ts";
import { modelDataOf } from "../endpoints/parts.ts";
import { containerOf, hasVolume, isServerless, type Variant, variantOf } from "./kept.ts";
import { modelFor } from "./packed_model.ts";
import type { ReadyModel } from "./ready_model.ts";
import { type Deployment, deploymentOf, variablesOf } from "./plan.ts";
import {
  codeInPrefix,
  type DeployContext,
  isPrefix,
  modelOf,
  type ModelSource,
} from "./request.ts";
import { type ExistingPart, slotFor } from "./state.ts";

/** A deployment that is checked. To be disposed of: a packed model lies in a temporary file. */
export interface Checked extends AsyncDisposable {
  readonly action: Action;
  readonly changes: readonly string[];
  readonly model: ReadyModel;
  readonly deployment: Deployment;
  /** Parts whose names are needed: they are deleted first. */
  readonly inTheWay: readonly ExistingPart[];
}

/**
 * Checks everything that the endpoint needs, and changes nothing.
 *
 * @throws UsageError; MlcliError for settings that SageMaker would reject.
 */
export async function check(context: DeployContext): Promise<Checked> {
  const { request, state, host } = context;
  requireReady(state, request);
  requireOneModel(state);
  requireKnownModel(request, state);
  requirePossible(request, state);
  noteLosses(context);
  host.waiting.show("Checking the image and the model");
  const image = await checkImageAndCapture(context);
  await using stack = new AsyncDisposableStack();
  const model = stack.use(await checkModel(context));
  host.interruption.signal.throwIfAborted();
  const slot = slotFor(state);
  const deployment = deploymentOf({ request, state, slot, image, model: model.address });
  const changes = changesOf(deployment, request, state, model.lastModified);
  const action = actionFor(state, changes, request);
  const inTheWay = action === "create" || action === "update"
    ? state.parts.filter(({ kind, name }) => name === slot[kind])
    : [];
  requireUnmixed(state, inTheWay);
  await requireUnused(inTheWay, context);
  const all = stack.move();
  return {
    action,
    changes,
    model,
    deployment,
    inTheWay,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Prints notes on settings that an update cannot keep, and on options without effect. */
function noteLosses({ request, state, host: { messages } }: DeployContext): void {
  const { endpoint, base, description } = state;
  const variant = variantOf(request, state);
  if (base?.configuration && base.models.length > 0 && !base.model) {
    const model = inOneLine(base.models[0]!);
    messages.note(
      `Model ${model} of endpoint ${endpoint} no longer exists, so the endpoint gets only the ` +
        "environment variables that you set now",
    );
  }
  const { SAGEMAKER_PROGRAM: program } = containerOf(base?.model)?.Environment ?? {};
  if (program && modelOf(request) !== undefined && request.code === undefined) {
    messages.note(
      `Endpoint ${endpoint} keeps SAGEMAKER_PROGRAM=${inOneLine(program)}, so the new model ` +
        "must contain that file in code/. To add it, use --entry-point FILE.",
    );
  }
  if (base && !base.configuration) {
    messages.note(
      `Configuration ${inOneLine(base.name)} of endpoint ${endpoint} no longer exists, so ` +
        "the endpoint gets only the settings and environment variables that you set now",
    );
  }
  if (isServerless(state) && variant.ServerlessConfig === undefined) {
    messages.note(`Endpoint ${endpoint} changes to instances and cannot become serverless again`);
  }
  if (request.canary !== undefined && description === undefined) {
    messages.note(`Endpoint ${endpoint} is new, so --canary has no effect`);
  }
  if (request.kmsKey !== undefined && !hasVolume(variant)) {
    const what = variant.ServerlessConfig ? "A serverless endpoint" : variant.InstanceType;
    messages.note(`${what} has no volume that --kms-key can encrypt`);
  }
}

/** Returns the image's address; also checks the place for captured data, and the key. */
async function checkImageAndCapture(
  { request, state, aws, host }: DeployContext,
): Promise<string> {
  const { app, dockerTag, repository, dataCapture } = request;
  // Serverless containers run on amd64 alone.
  const instanceType = machineOf(variantOf(request, state)) ?? "a serverless endpoint";
  const [image] = await inOrder(
    (text) => host.messages.note(text),
    async (note) => {
      const use = { ecr: await aws.ecr(), engine: host.engine };
      return await imageForJob({ app, dockerTag, repository, instanceType }, use, note);
    },
    async (note: Note) => {
      if (dataCapture === undefined) return;
      await checkPlace(aws, { ...dataCapture, flag: "--data-capture" }, note);
    },
    () => requireOwnKey(aws, request.kmsKey),
  );
  return image;
}

async function checkModel(context: DeployContext): Promise<ReadyModel> {
  const { request, state } = context;
  const variant = variantOf(request, state);
  const instanceType = machineOf(variant);
  const model = modelOf(request) ?? (request.code && servedModel(state));
  const use = {
    model,
    endpoint: state.endpoint,
    variables: variablesOf(request, state),
    healthCheckTimeout: request.healthCheckTimeout?.value ??
      variant.ContainerStartupHealthCheckTimeoutInSeconds,
    instanceType,
    room: roomFor({ instanceType, volumeSize: variant.VolumeSizeInGB }),
  };
  return await modelFor(use, context);
}

/** The archive that an endpoint serves, into which other code is put. */
function servedModel({ base }: DeployContext["state"]): ModelSource | undefined {
  const served = modelDataOf(containerOf(base?.model));
  const address = served === undefined ? undefined : parseS3Uri(served);
  if (address === undefined) return undefined;
  const model = { address };
  if (isPrefix(model)) throw codeInPrefix();
  return model;
}

/** What a variant runs on; `undefined` where it is serverless. */
function machineOf(
  { ServerlessConfig, InstanceType, InstancePools }: Omit<Variant, "ModelName">,
): string | undefined {
  if (ServerlessConfig) return undefined;
  return InstanceType ?? InstancePools?.[0]?.InstanceType ?? "the endpoint's instances";
}
