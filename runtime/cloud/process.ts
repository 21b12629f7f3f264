import { SEPARATOR } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { normalize } from "@std/path/normalize";
import { requireProcessingFile } from "../app/layout.ts";
import { isOutside } from "../app/typed_path.ts";
import { isOfAppsDirectory, noScripts } from "../app/image.ts";
import type { Aws } from "../aws/aws.ts";
import type { S3Address } from "../contract/addresses.ts";
import { commandDifferences, environmentDifferences } from "../contract/differences.ts";
import { isSharded } from "../contract/hosts.ts";
import { holdsHarness } from "../contract/images.ts";
import { processingLaunchOf } from "../contract/launch.ts";
import { checkData, CODE_INPUT, type PlacedData, plainData } from "../contract/processing_data.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { isDirectory } from "../files.ts";
import type { Place } from "./bucket_owner.ts";
import { inOrder, type Note } from "./in_parallel.ts";
import type { CloudResult } from "./jobs/follow.ts";
import { checkInput, checkPlace, dataAddress } from "./preflight/data.ts";
import { imageFacts } from "./preflight/image_facts.ts";
import { requireScript } from "./preflight/script.ts";
import {
  checkNetworkAndTags,
  checkShards,
  outputOf,
  requireGiven,
  requireNone,
} from "./start/checks.ts";
import { codeToSend, missingObjects, noteNoNetwork } from "./start/code.ts";
import { processingPlan, type ProcessingRequest } from "./start/plan.ts";
import { type JobHost, newJobName, startJob } from "./start/start.ts";

/**
 * Runs the script or the program on SageMaker. Checks everything before the job is created.
 *
 * @throws UsageError for options that are missing or exclude each other; MlcliError for settings that
 * SageMaker would reject, and for data that the job would not find; the error that the end of the job means.
 */
export async function process(
  request: ProcessingRequest,
  host: JobHost,
): Promise<CloudResult | { readonly calls: readonly unknown[] }> {
  const { messages } = host;
  const { app, program, kmsKey, ec2Type: instanceType, executionRole: role } = request;
  // An input has an address.
  const inputs = request.inputS3Location as PlacedData<S3Address>[];
  const isOwnImage = isOfAppsDirectory(app);
  const isOfFile = program.code === undefined && program.command.length === 0;
  requireGiven("process", app, [
    // An image that mlcli did not build can run its own program.
    ...isOfFile && isOwnImage ? [["--file", request.file] as const] : [],
    ["--ec2-type", instanceType],
    ["--execution-role", role],
  ]);
  const name = newJobName(request, host);
  const outputs = outputsOf(request, name);
  checkData(inputs, outputs, program.code !== undefined);
  checkShards(request, inputs.map(({ name }) => name), messages);
  checkNetworkAndTags(request);
  const file = isOfFile ? await fileOf(request) : undefined;
  const { code: own, command, arguments: words } = program;
  const launch = processingLaunchOf(command, own?.entryPoint, file, words);
  requireNone([
    ...commandDifferences("processing", launch.entrypoint ?? [], launch.arguments),
    ...environmentDifferences("process", request.variables),
  ]);
  const code = await codeToSend(request, outputs[0]!.place, messages);
  noteNoNetwork(code, request, messages);
  return await startJob(
    name,
    {
      kind: "process",
      action: "sagemaker:CreateProcessingJob",
      request,
      role: role!,
      instanceType: instanceType!,
      checkImage: async () => {
        if (file !== undefined) await requireScript(app, file, host.engine);
      },
      checkData: async (aws, note) => {
        const s3 = await aws.s3();
        const [found, , missing] = await inOrder(
          note,
          (note) =>
            inOrder(
              note,
              ...inputs.map((data) => async (note: Note) => {
                const place = await dataAddress(s3, data.place);
                const sharded = isSharded(request.shard, data.name);
                await checkInput(s3, place, note, sharded ? request.instanceCount : 1);
                return { ...data, place, isSharded: sharded };
              }),
            ),
          (note: Note) =>
            inOrder(
              note,
              ...outputs.map(({ place }) => (note: Note) => checkPlace(aws, place, note)),
            ),
          async () => code && await missingObjects(aws, code, launch.launcher, kmsKey),
          async () => {
            if (isOfFile && !isOwnImage) await requireFitting(request, aws, host.engine);
          },
        );
        return { found, missing };
      },
      code,
      plan: (common, { found }) =>
        processingPlan({
          ...common,
          inputs: code
            ? [...found, { ...CODE_INPUT, place: code.place.value, isSharded: false }]
            : found,
          outputs: outputs.map((output) => ({ ...output, place: output.place.value })),
          launch,
        }),
    },
    host,
  );
}

/** Destination of each output; by default, the whole output directory. */
function outputsOf(
  request: ProcessingRequest,
  job: string,
): readonly PlacedData<Place>[] {
  const { app, outputS3Location } = request;
  const flag = "--output-s3-location";
  const path = `output/${job}`;
  if (outputS3Location.length === 0) {
    return [{ ...plainData("output"), place: outputOf(app, flag, undefined, path) }];
  }
  return outputS3Location.map(({ value: { place: value, ...data }, ...setting }) => {
    if (value === undefined && app.configuration.s3Prefix === undefined) {
      throw new UsageError(`Output "${data.name}" has no S3 URI`, {
        hint: `Set -o ${data.name}=s3://..., or set "s3_prefix" in ${app.name}.json`,
      });
    }
    const named = value && { ...setting, value };
    return { ...data, place: outputOf(app, flag, named, `${path}/${data.name}`) };
  });
}

/**
 * Requires that an image that exists runs what is asked for, as far as it is known: one of mlcli's wants
 * a script, and others do not know what that is.
 *
 * @throws UsageError
 */
async function requireFitting(
  request: ProcessingRequest,
  aws: Pick<Aws, "ecr">,
  engine: JobHost["engine"],
): Promise<void> {
  const { app, file, ec2Type } = request;
  const asked = { ...request, instanceType: ec2Type! };
  const image = await imageFacts(asked, await aws.ecr(), engine);
  if (image === undefined) return;
  if (holdsHarness(image)) requireGiven("process", app, [["--file", file]]);
  else if (file !== undefined) throw noScripts(app, file);
}

/**
 * The script, relative to `processing/`, with slashes. The image's copy runs; the local one is checked
 * first only because that finds mistakes sooner.
 */
async function fileOf({ app, file }: ProcessingRequest): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const layout = app.paths;
  if (await isDirectory(layout.processing)) return await requireProcessingFile(layout, file);
  const path = normalize(file);
  if (!isAbsolute(file) && !isOutside(path) && path !== ".") return path.replaceAll(SEPARATOR, "/");
  throw new MlcliError(`Processing file not found: ${file}`, {
    hint: "Give the path of the script relative to processing/",
  });
}
