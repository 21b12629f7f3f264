import { SEPARATOR } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { normalize } from "@std/path/normalize";
import { layoutOf, requireProcessingFile } from "../app/layout.ts";
import { isOutside } from "../app/typed_path.ts";
import { isOfAppsDirectory, noScripts } from "../app/image.ts";
import type { Aws } from "../aws/aws.ts";
import type { AwsOptions } from "../aws/settings.ts";
import { commandDifferences, environmentDifferences } from "../contract/differences.ts";
import { isSharded } from "../contract/hosts.ts";
import { holdsHarness } from "../contract/images.ts";
import { processingLaunchOf } from "../contract/launch.ts";
import { checkData, CODE_INPUT, type PlacedData, plainData } from "../contract/processing_data.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { isDirectory } from "../files.ts";
import { inOrder, type Note } from "./in_parallel.ts";
import type { JobReport } from "./jobs/follow.ts";
import { checkInput, checkPlace, dataAddress } from "./preflight/data.ts";
import { imageFacts } from "./preflight/image_facts.ts";
import { requireScript } from "./preflight/script.ts";
import {
  checkNetworkAndTags,
  checkShards,
  outputOf,
  type Place,
  requireGiven,
  requireNone,
} from "./start/checks.ts";
import { codeToSend, missingObjects, noteNoNetwork } from "./start/code.ts";
import { processingPlan, type ProcessingRequest } from "./start/plan.ts";
import { type JobHost, newJobName, startJob } from "./start/start.ts";

/**
 * Runs the script or the program on SageMaker. Everything is checked before the job is created.
 *
 * @throws UsageError for options that are missing or do not go together; MlcliError for what
 * SageMaker would refuse or the job would not find; what the end of the job means, as an error.
 */
export async function process(
  request: ProcessingRequest,
  choice: AwsOptions,
  host: JobHost,
  report: JobReport,
): Promise<void> {
  const { app, tag, instanceType, inputs, shards, program, kmsKey } = request;
  const role = request.executionRole;
  const isOwnImage = isOfAppsDirectory(app);
  const isOfFile = program.code === undefined && program.command.length === 0;
  requireGiven("process", app, [
    // Of another image, its own program may run.
    ...isOfFile && isOwnImage ? [["--file", request.file] as const] : [],
    ["--ec2-type", instanceType],
    ["--execution-role", role],
  ]);
  const name = newJobName(request, host);
  const outputs = outputsOf(request, name);
  checkData(inputs, outputs, program.code !== undefined);
  checkShards(request, inputs.map(({ name }) => name), (text) => report.note(text));
  checkNetworkAndTags(request);
  const file = isOfFile ? await fileOf(request) : undefined;
  const { code: own, command, arguments: words } = program;
  const launch = processingLaunchOf(command, own?.entryPoint, file, words);
  requireNone([
    ...commandDifferences("processing", launch.entrypoint ?? [], launch.arguments),
    ...environmentDifferences("process", request.variables),
  ]);
  const code = await codeToSend(request, outputs[0]!.place, (text) => report.note(text));
  noteNoNetwork(code, request, (text) => report.note(text));
  await startJob(
    name,
    {
      kind: "process",
      action: "sagemaker:CreateProcessingJob",
      request,
      role: role!,
      instanceType: instanceType!,
      checkImage: async () => {
        if (file !== undefined) await requireScript(app, tag, file, host.engine);
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
                const sharded = isSharded(shards, data.name);
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
            ? [...found, { ...CODE_INPUT, place: code.place.address, isSharded: false }]
            : found,
          outputs: outputs.map((output) => ({ ...output, place: output.place.address })),
          launch,
        }),
    },
    choice,
    host,
    report,
  );
}

/** Where each output goes; without one, all of the output's directory. */
function outputsOf(
  request: ProcessingRequest,
  job: string,
): readonly PlacedData<Place>[] {
  const path = `output/${job}`;
  const of = { kind: "process", flag: "--output-s3-location" } as const;
  if (request.outputs.length === 0) {
    const place = outputOf(request, { ...of, named: undefined, path });
    return [{ ...plainData("output"), place }];
  }
  const unplaced = request.outputs.find(({ place }) => place === undefined);
  if (unplaced && request.app.configuration.s3Prefix === undefined) {
    throw new UsageError(`Output "${unplaced.name}" has no S3 URI`, {
      hint: `Set -o ${unplaced.name}=s3://..., or set "s3_prefix" in ${request.app.name}.json`,
    });
  }
  return request.outputs.map((data) => ({
    ...data,
    place: outputOf(request, { ...of, named: data.place, path: `${path}/${data.name}` }),
  }));
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
  const { app, file, instanceType } = request;
  const asked = { ...request, instanceType: instanceType! };
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
  const layout = layoutOf(app);
  if (await isDirectory(layout.processing)) return await requireProcessingFile(layout, file);
  const path = normalize(file);
  if (!isAbsolute(file) && !isOutside(path) && path !== ".") return path.replaceAll(SEPARATOR, "/");
  throw new MlcliError(`Processing file not found: ${file}`, {
    hint: "Give the path of the script relative to processing/",
  });
}
