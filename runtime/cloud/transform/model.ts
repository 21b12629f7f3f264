import type { Aws } from "../../aws/aws.ts";
import { isRefusal } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { S3Address } from "../../contract/addresses.ts";
import { roomFor } from "../../contract/instances.ts";
import { MlcliError } from "../../errors.ts";
import { inOneLine } from "../../text.ts";
import { modelsOf } from "../endpoints/parts.ts";
import type { Note } from "../in_parallel.ts";
import { modelOfTraining } from "../jobs/artifact.ts";
import { checkArchive } from "../preflight/archive.ts";
import { imageForJob } from "../preflight/image.ts";
import type { TransformModel, TransformRequest } from "./plan.ts";
import type { JobHost } from "../start/start.ts";

/** Returns the model to use: `--model`, `--job` or `--endpoint`. */
export function modelOf(
  { model, job, endpoint }: Pick<TransformRequest, "model" | "job" | "endpoint">,
): TransformModel | undefined {
  return model ?? job ?? endpoint;
}

/** Whether a model is made for the job. */
export function isMade(model: TransformModel | undefined): boolean {
  return model !== undefined && ("address" in model || "job" in model);
}

/** A checked model: one that is there, or the parts of one that is to be made. */
export interface CheckedModel {
  readonly name?: string;
  readonly archive?: S3Address;
  /** `REPOSITORY@sha256:...`, of one that is to be made. */
  readonly image?: string;
}

/**
 * Checks what answers the requests.
 *
 * @param note gets what could not be checked.
 * @throws MlcliError where it is not there.
 */
export async function modelFor(
  { app, dockerTag, repository, instanceType }: TransformRequest & {
    readonly instanceType: string;
  },
  model: TransformModel,
  aws: Aws,
  { engine, interruption }: JobHost,
  note: Note,
): Promise<CheckedModel> {
  const sagemaker = await aws.sagemaker();
  if ("name" in model || "endpoint" in model) {
    const name = "name" in model ? model.name : await servedModel(model.endpoint, sagemaker);
    await sagemaker.describeModel(name).catch((error) => {
      if (!isRefusal(error, "denied")) throw error;
      note(`Cannot check whether model ${name} exists: ${error.message}`);
    });
    return { name };
  }
  const archive = "address" in model ? model.address : await modelOfTraining(model.job, sagemaker);
  const use = { ecr: await aws.ecr(), engine };
  const image = await imageForJob({ app, dockerTag, repository, instanceType }, use, note);
  const [s3, room, { signal }] = [await aws.s3(), roomFor({ instanceType }), interruption];
  await checkArchive(s3, archive, room, note, signal, undefined, "the job");
  return { archive, image };
}

/** The name of the one model that an endpoint serves. @throws AwsError, MlcliError */
async function servedModel(endpoint: string, sagemaker: SageMaker): Promise<string> {
  const { configuration } = await sagemaker.describeEndpoint(endpoint);
  const models = modelsOf(await sagemaker.describeEndpointConfiguration(configuration));
  const [model, ...others] = models;
  if (model !== undefined && others.length === 0) return model;
  throw new MlcliError(
    model === undefined
      ? `Endpoint ${endpoint} has inference components instead of a single model`
      : `Endpoint ${endpoint} serves several models: ${models.map(inOneLine).join(", ")}`,
    { hint: "Choose a model with --model NAME, or use an archive: --model s3://.../model.tar.gz" },
  );
}
