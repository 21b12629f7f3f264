/** Jobs, endpoints and models on SageMaker that an app is made of. */

import { join } from "@std/path/join";
import { appNames } from "../../app/app.ts";
import { holdsFile } from "../../app/layout.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import type { Resource } from "../../contract/console.ts";
import { MlcliError } from "../../errors.ts";
import { nameOf, type Origin } from "../../origin/origin.ts";
import { type CloudHost, connectToAws } from "../connection.ts";
import type { Draft, NewApp } from "./draft.ts";

export interface CloudOriginRequest extends AwsOptions {
  readonly resource: Resource;
  /** Of the app, as typed. */
  readonly name: string | undefined;
  /** Bytes of each channel to fetch; `undefined`: none. */
  readonly data: number | undefined;
}

/** What SDKs and mlcli put behind the name that was given: `-2026-03-01-09-30-00-123`. */
const TIME = /-\d{4}(-\d\d){5}-\d{3}$/;

/**
 * What an app is made of from a thing on SageMaker. Its code is fetched; data is when its files are made.
 *
 * @param note is told which data is fetched.
 * @throws AwsError where there is no such thing, or it may not be described; MlcliError where it has no
 * image, or an object of its data can be no file.
 */
export async function cloudOrigin(
  { resource, name: typed, data, ...options }: CloudOriginRequest,
  { cwd, ...host }: CloudHost,
  note: (text: string) => void,
): Promise<Origin> {
  const choice = { ...options, region: options.region ?? resource.region, appName: undefined };
  const aws = await connectToAws(choice, { cwd, ...host });
  const sagemaker = await aws.sagemaker();
  const what = `${resource.kind}/${resource.name}`;
  const name = nameOf(typed, resource.name.replace(TIME, ""));
  const hasOthers = (await appNames(cwd)).some((one) => one !== name);
  const app = { name, option: hasOthers ? ` --app-name ${name}` : "" };
  const draft = await DRAFTS[resource.kind](sagemaker, resource.name, app);
  const { section, configuration } = draft;
  if (configuration.image === undefined) {
    throw new MlcliError(`${what} names no image: it is made of an algorithm or a model package`, {
      hint: "mlcli runs images. The one of a package: aws sagemaker describe-model-package",
    });
  }
  const files = [...draft.files];
  const left = [...draft.left];
  let entryPoint: string | undefined;
  if (draft.code !== undefined) {
    const folder = join(cwd, name, "code");
    const isThere = await holdsFile({ directory: cwd }, folder, folder);
    const { fetchCode } = await import("./code.ts");
    const { signal } = host.interruption;
    const code = await fetchCode(await aws.s3(), draft.code, `${name}/code`, isThere, signal);
    files.push(...code.files);
    left.unshift(...code.left);
    ({ entryPoint } = code);
  }
  if (data !== undefined) {
    const { sampleOf } = await import("./sample.ts");
    const sample = await sampleOf(await aws.s3(), draft.data, data, note);
    files.push(...sample.files);
    left.push(...sample.left);
  } else if (draft.data.length > 0) {
    const names = draft.data.map((one) => one.name).join(", ");
    left.push(`No data is fetched: --data 100MB brings a sample of ${names}.`);
  }
  return {
    ...draft,
    what: `${what} in ${sagemaker.region.value}`,
    name,
    configuration: {
      ...configuration,
      cloud_region: sagemaker.region.value,
      ...options.profile === undefined ? {} : { cloud_profile: options.profile },
      [section]: { ...configuration[section], ...entryPoint && { entry_point: entryPoint } },
    },
    files,
    left,
  };
}

type Describe = (sagemaker: SageMaker, named: string, app: NewApp) => Promise<Draft>;

const DRAFTS: Readonly<Record<Resource["kind"], Describe>> = {
  "training-job": async (sagemaker, job, app) => {
    const [, details] = await sagemaker.describeJob("train", job);
    return (await import("./training.ts")).trainingDraft(details, app);
  },
  "processing-job": async (sagemaker, job, app) => {
    const [, details] = await sagemaker.describeJob("process", job);
    return (await import("./processing.ts")).processingDraft(details, app);
  },
  "model": async (sagemaker, model, app) => {
    const { servingDraft } = await import("./serving.ts");
    return servingDraft(await sagemaker.describeModel(model), {}, app);
  },
  "endpoint": async (sagemaker, endpoint, app) => {
    const { configuration } = await sagemaker.describeEndpoint(endpoint);
    const details = await sagemaker.describeEndpointConfiguration(configuration);
    const model = details.ProductionVariants?.[0]?.ModelName;
    if (model === undefined) {
      throw new MlcliError(`endpoint/${endpoint} serves no model of its own`, {
        hint: "Its models are inference components, which mlcli does not take over.",
      });
    }
    const { servingDraft } = await import("./serving.ts");
    return servingDraft(await sagemaker.describeModel(model), details, app);
  },
};
