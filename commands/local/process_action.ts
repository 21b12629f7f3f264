import { absolutePath } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { checkData, type PlacedData, plainData } from "../../runtime/contract/processing_data.ts";
import { process } from "../../runtime/local/process.ts";
import { hostsOf } from "../options/hosts.ts";
import { programRequest, requirePublishable } from "./container_request.ts";
import { runHost } from "./image_access.ts";
import type { ProcessValues } from "./process.ts";

/** Runs a processing script on the app's test data. */
export async function processAction(context: Context, options: ProcessValues): Promise<void> {
  const request = await programRequest(context, options, "mlcli local process", options.args);
  requirePublishable(request);
  // By default, the input is the app's test data.
  const inputs = options.input.length > 0 ? options.input : [plainData("input")];
  checkData(inputs, options.outputDir, request.program.code !== undefined);
  const placed = (data: PlacedData<string | undefined>) => ({
    ...data,
    place: data.place === undefined ? undefined : absolutePath(context.cwd, data.place),
  });
  const job = {
    ...request,
    file: options.file?.from === "typed" ? options.file.value : undefined,
    hosts: hostsOf(options),
    // An input has a place.
    inputs: options.input.map(placed) as PlacedData<string>[],
    outputs: options.outputDir.map(placed),
  };
  await process(job, runHost(context, options.app, options));
}
