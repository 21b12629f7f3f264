/** Jobs, endpoints and models on SageMaker that an app is made of. */

import { join } from "@std/path/join";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { AwsOptions } from "../../aws/settings.ts";
import { accountOf } from "../../contract/addresses.ts";
import { isAwsAccount } from "../../contract/aws_images.ts";
import type { Resource } from "../../contract/console.ts";
import { ecrHost, parseImageName } from "../../contract/registry.ts";
import { MlcliError } from "../../errors.ts";
import { isFile } from "../../files.ts";
import { migrationFile, nameOf, type Origin } from "../../origin/origin.ts";
import type { NewConfiguration } from "../../image/scaffold.ts";
import { inOneLine, shellWord } from "../../text.ts";
import { type CloudHost, connectToAws } from "../connection.ts";
import { fetchCode } from "./code.ts";
import type { Draft } from "./draft.ts";
import { processingDraft } from "./processing.ts";
import { sampleOf } from "./sample.ts";
import { servingDraft } from "./serving.ts";
import { trainingDraft } from "./training.ts";

export interface CloudOriginRequest extends AwsOptions {
  readonly resource: Resource;
  /** Of the app, as typed. */
  readonly name: string | undefined;
  /** Bytes of each channel to fetch; `undefined`: none. */
  readonly data: number | undefined;
}

/** What SDKs and mlcli put behind a job's name: `-2026-03-01-09-30-00-123`. */
const TIME = /-\d{4}(-\d\d){5}-\d{3}$/;

/**
 * What an app is made of from a thing on SageMaker. Its code is fetched; data is when its files are made.
 *
 * @throws AwsError where there is no such thing, or it may not be described; MlcliError where it has no
 * image, or an object of its data can be no file.
 */
export async function cloudOrigin(
  { resource, name: typed, data: size, ...options }: CloudOriginRequest,
  host: CloudHost,
): Promise<Origin> {
  const ofAddress = resource.region === undefined ? undefined : {
    value: resource.region,
    from: "typed",
    where: "--region",
  } as const;
  const region = options.region ?? ofAddress;
  const aws = await connectToAws({ ...options, region, appName: undefined, isNew: true }, host);
  const sagemaker = await aws.sagemaker();
  const name = nameOf(typed, resource.name.replace(TIME, ""));
  const { section, configuration, code, data, ...draft } = await draftOf(resource, sagemaker, name);
  if (configuration.image === undefined) {
    throw new MlcliError(`${resource.kind}/${resource.name} has no image`, {
      hint: "Choose one with an image, not an algorithm, model package or inference component",
    });
  }
  const fetched = code && await fetchCode(await aws.s3(), code, `${name}/code`, {
    // Its last file: then the code is there, too.
    isThere: await isFile(join(host.cwd, migrationFile(name))),
    signal: host.interruption.signal,
  });
  const names = data.map((one) => one.name).join(", ");
  const untold = data.length > 0
    ? [`No data was downloaded. To download a sample of ${names}, use --data 100MB.`]
    : [];
  const sample = size === undefined
    ? { files: [], left: untold }
    : await sampleOf(await aws.s3(), data, size, host.messages);
  const { files = [], left = [], entryPoint } = fetched ?? {};
  return {
    ...draft,
    name,
    what: `${resource.kind}/${resource.name} in ${sagemaker.region.value}`,
    configuration: {
      ...configuration,
      cloud_region: sagemaker.region.value,
      ...options.profile && { cloud_profile: options.profile.value },
      [section]: { ...configuration[section], ...entryPoint && { entry_point: entryPoint } },
    },
    files: [...draft.files, ...files, ...sample.files],
    left: [...left, ...draft.left, ...sample.left],
    // Lines to paste, with words of the job's.
    next: draft.next.map((line) => inOneLine(typingImage(line, configuration))),
  };
}

/** A command that names the image, where it takes none that only a file names. */
function typingImage(line: string, { image = "", execution_role: role = "" }: NewConfiguration) {
  const account = ecrHost(parseImageName(image).host ?? "")?.account;
  const isTrusted = account !== undefined && (account === accountOf(role) || isAwsAccount(account));
  if (isTrusted) return line;
  const typed = ` --image ${shellWord(image)}`;
  return line.replace(/^mlcli (local )?(train|process|deploy)/, (command) => command + typed);
}

async function draftOf({ kind, name }: Resource, api: SageMaker, app: string): Promise<Draft> {
  if (kind === "training-job") return trainingDraft((await api.describeJob("train", name))[1], app);
  if (kind === "processing-job") {
    return processingDraft((await api.describeJob("process", name))[1], app);
  }
  if (kind === "model") return servingDraft(await api.describeModel(name), {}, app);
  const { configuration } = await api.describeEndpoint(name);
  const details = await api.describeEndpointConfiguration(configuration);
  const model = details.ProductionVariants?.[0]?.ModelName;
  return servingDraft(model === undefined ? {} : await api.describeModel(model), details, app);
}
