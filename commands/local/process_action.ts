import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { checkData, type PlacedData, plainData } from "../../runtime/contract/processing_data.ts";
import type { ProcessingJob } from "../../runtime/local/jobs.ts";
import { process } from "../../runtime/local/process.ts";
import type { ConfigurableCall } from "../command.ts";
import { hostsOf } from "../options/hosts.ts";
import { requireCompatible } from "../usage.ts";
import { programRequest, publishedPorts } from "./container_request.ts";
import { runHost } from "./image_access.ts";
import type { ProcessDeclaration, ProcessOptions } from "./process.ts";

/** Runs a processing script on the app's test data. */
export async function processAction(
  context: Context,
  options: ProcessOptions,
  call: ConfigurableCall<ProcessDeclaration>,
): Promise<void> {
  requireCompatible("mlcli local process", [["--interactive", "--instance-count"]], {
    "--interactive": options.interactive,
    "--instance-count": options.instanceCount > 1,
  });
  const request = await programRequest(context, "process", options, options.args, call);
  // Without one that is named, the app's test data is all of the input.
  const inputs = options.input.length > 0 ? options.input : [plainData("input")];
  checkData(inputs, options.outputDir, request.program.code !== undefined);
  const placed = (data: PlacedData<string | undefined>) => ({
    ...data,
    place: data.place === undefined ? undefined : absolutePath(context.cwd, data.place),
  });
  const job: ProcessingJob = {
    ...request,
    interactive: options.interactive,
    grace: options.grace,
    copyInputs: options.copyInputs,
    hosts: hostsOf(options),
    ports: publishedPorts("mlcli local process", options, request),
    file: options.file,
    // An input has a place.
    inputs: options.input.map(placed) as PlacedData<string>[],
    outputs: options.outputDir.map(placed),
    usesNetworkSettings: options.networkSettings,
  };
  await process(job, runHost(context, request.app, options));
}
