import { SEPARATOR } from "@std/path/constants";
import { isAbsolute } from "@std/path/is-absolute";
import { normalize } from "@std/path/normalize";
import { layoutOf, requireProcessingFile } from "../app/layout.ts";
import { isOutside } from "../app/typed_path.ts";
import type { AwsOptions } from "../aws/settings.ts";
import { commandDifferences, environmentDifferences } from "../contract/differences.ts";
import { processingArguments } from "../contract/jobs.ts";
import { MlcliError, UsageError } from "../errors.ts";
import { isDirectory } from "../files.ts";
import { inOrder, type Note } from "./in_parallel.ts";
import type { JobReport } from "./jobs/follow.ts";
import { checkInput, checkPlace, dataAddress } from "./preflight/data.ts";
import { requireScript } from "./preflight/script.ts";
import { checkNetworkAndTags, outputOf, requireGiven, requireNone } from "./start/checks.ts";
import { processingPlan, type ProcessingRequest } from "./start/plan.ts";
import { type JobHost, newJobName, startJob } from "./start/start.ts";

/**
 * Runs the script on SageMaker. Everything is checked before the job is created.
 *
 * @throws UsageError for options that are missing or do not go together; MlcliError for what the
 * platform would refuse or the job would not find; what the end of the job means, as an error.
 */
export async function process(
  request: ProcessingRequest,
  choice: AwsOptions,
  host: JobHost,
  report: JobReport,
): Promise<void> {
  const { app, tag, instanceType, input, inputSharded } = request;
  const role = request.executionRole;
  requireGiven("process", app, [
    ["--file", request.file],
    ["--ec2-type", instanceType],
    ["--execution-role", role],
  ]);
  const name = newJobName(request, host);
  const output = outputOf(request, {
    kind: "process",
    flag: "--output-s3-location",
    named: request.output,
    path: `output/${name}`,
  });
  if (inputSharded && input === undefined) {
    throw new UsageError('Option "--input-sharded" has no effect without "--input-s3-location".', {
      hint: "It says how the objects there are given to several instances.",
    });
  }
  checkNetworkAndTags(request);
  const file = await fileOf(request);
  requireNone([
    ...commandDifferences("a processing job", [], [
      ...processingArguments(file),
      ...request.arguments,
    ]),
    ...environmentDifferences("process", request.variables),
  ]);
  await startJob(
    name,
    {
      kind: "process",
      action: "sagemaker:CreateProcessingJob",
      request,
      role: role!,
      instanceType: instanceType!,
      checkImage: () => requireScript(app, tag, file, host.engine),
      checkData: async (aws, note) => {
        const s3 = await aws.s3();
        const [found] = await inOrder(
          note,
          async (note: Note) => {
            if (input === undefined) return undefined;
            const address = await dataAddress(s3, input);
            await checkInput(s3, address, note);
            return address;
          },
          (note: Note) => checkPlace(aws, output, note),
        );
        return found;
      },
      plan: (common, found) =>
        processingPlan({
          ...common,
          output: output.address,
          file,
          arguments: request.arguments,
          input: found,
          inputSharded,
        }),
      send: (sagemaker, body) => sagemaker.createProcessingJob(body),
    },
    choice,
    host,
    report,
  );
}

/**
 * The script, relative to `processing/`, with slashes. The image's copy runs; the local one is checked
 * first only because that finds mistakes sooner.
 */
async function fileOf({ app, file = "" }: ProcessingRequest): Promise<string> {
  const layout = layoutOf(app);
  if (await isDirectory(layout.processing)) return await requireProcessingFile(layout, file);
  const path = normalize(file);
  if (!isAbsolute(file) && !isOutside(path) && path !== ".") return path.replaceAll(SEPARATOR, "/");
  throw new MlcliError(`Processing file not found: ${file}`, {
    hint: "Name the script relative to processing/.",
  });
}
