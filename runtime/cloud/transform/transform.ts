import { environmentDifferences } from "../../contract/differences.ts";
import { architectureOf } from "../../contract/instances.ts";
import { UsageError } from "../../errors.ts";
import { requireOwnKey } from "../bucket_owner.ts";
import { connectFor } from "../connection.ts";
import { confirmFirstUse, instancesText } from "../first_use.ts";
import { inOrder, type Note } from "../in_parallel.ts";
import type { CloudResult } from "../jobs/follow.ts";
import { checkNetworkAndTags, outputOf, requireGiven, requireNone } from "../start/checks.ts";
import { sharedPlan, shownCall } from "../start/plan.ts";
import {
  baseNameOf,
  createAndFollow,
  eachOnce,
  type JobHost,
  newJobName,
  nothingCreated,
} from "../start/start.ts";
import { checkTransformData } from "./data.ts";
import { isMade, modelFor, modelOf } from "./model.ts";
import { deleteLeftModels, OwnModel } from "./own_model.ts";
import {
  type TransformModel,
  transformModel,
  transformPlan,
  type TransformRequest,
} from "./plan.ts";

const KIND = "transform" as const;

/**
 * Runs a batch transform job on SageMaker. Checks everything before anything is created. A model that is
 * created for the job is deleted after it.
 *
 * @throws UsageError for options that are missing or exclude each other; MlcliError for settings that
 * SageMaker would reject, and for data that the job would not find; the error that the end of the job means.
 */
export async function transform(
  request: TransformRequest,
  host: JobHost,
): Promise<CloudResult | { readonly calls: readonly unknown[] }> {
  const { messages } = host;
  const { app, inputS3Location, executionRole, dryRun } = request;
  const source = modelOf(request);
  requireGiven(KIND, app, [
    ["--input-s3-location", inputS3Location],
    ["--model", source],
    ["--ec2-type", request.ec2Type],
    ...isMade(source) ? [["--execution-role", executionRole] as const] : [],
  ]);
  const instanceType = request.ec2Type!;
  requireFitting(request, source!, instanceType);
  const name = newJobName(request, host);
  const output = outputOf(app, "--output-s3-dir", request.outputS3Dir, `output/${name}`);
  checkNetworkAndTags(request);
  requireNone(environmentDifferences(KIND, request.variables));
  const aws = await connectFor(app, request, host);
  host.waiting.show("Checking the transform job");
  const [model, data] = await nothingCreated(KIND, () =>
    inOrder(
      eachOnce((text) => messages.note(text)),
      (note: Note) => modelFor({ ...request, instanceType }, source!, aws, host, note),
      (note: Note) =>
        checkTransformData(
          { ...request, inputS3Location: inputS3Location! },
          output,
          aws,
          note,
        ),
      () => requireOwnKey(aws, request.kmsKey),
    ), messages);
  messages.tell(data.warnings);
  const planned = { ...sharedPlan(request), name, instanceType };
  const own = model.archive && transformModel(
    { ...planned, image: model.image!, role: executionRole! },
    model.archive,
  );
  const of = { image: model.image, model: model.name ?? name, output: output.value };
  const input = transformPlan({ ...planned, ...data, ...of });
  if (dryRun) {
    const before = own ? [shownCall("sagemaker:CreateModel", own)] : [];
    return { calls: [...before, shownCall("sagemaker:CreateTransformJob", input)] };
  }
  const sagemaker = await aws.sagemaker();
  await nothingCreated(KIND, async () => {
    const instances = [{ type: instanceType, count: request.instanceCount }];
    const does = `starts a transform job (${instancesText(instances)})`;
    await confirmFirstUse({ ...request, does }, aws, host);
    await deleteLeftModels(baseNameOf(request), sagemaker, host);
  }, messages);
  const job = { kind: KIND, name, input, request };
  if (own === undefined) return await createAndFollow(job, aws, host);
  const owned = new OwnModel(name, sagemaker, messages, request);
  const result = await owned.with(
    own,
    request.tags,
    () => createAndFollow(job, aws, host, () => owned.delete()),
  );
  if (!request.wait) owned.tell("note");
  return result;
}

/** @throws UsageError for a type that transforms do not have, and options of a new model alone. */
function requireFitting(
  { image, networkIsolation, subnet: [subnet] }: TransformRequest,
  model: TransformModel,
  instanceType: string,
): void {
  if (architectureOf(instanceType) === "arm64") {
    throw new UsageError(`Batch transform does not support Graviton instances: ${instanceType}`, {
      hint: "Use another type, such as --ec2-type ml.m5.large, and build an image for it: " +
        "mlcli build --platform linux/amd64",
    });
  }
  if (isMade(model)) return;
  const unused = [image, networkIsolation, subnet].find((setting) => setting?.from === "typed");
  if (unused === undefined) return;
  throw new UsageError(`Option "${unused.where}" has no effect on an existing model`, {
    hint:
      `Omit ${unused.where}, or create a model with --model s3://.../model.tar.gz or --job NAME`,
  });
}
