import { absolutePath } from "../../runtime/app/typed_path.ts";
import { checkData, type PlacedData, plainData } from "../../runtime/contract/processing_data.ts";
import { appCommand } from "../command.ts";
import { jobOptions, parseDirectory } from "../options/container.ts";
import { hostOptions, hostsOf } from "../options/hosts.ts";
import { options } from "../options/option.ts";
import { pipOptions, processProgramOptions, scriptOption } from "../options/program.ts";

const placeOf = ({ place }: PlacedData<string | undefined>): string | undefined => place;

const OPTIONS = options({
  "[-- args...]": {},
  // The object `process` is for SageMaker: locally, a script is typed.
  "--file": { ...scriptOption["--file"], traced: true },
  "-i, --input [NAME[:PATH]=]DIR...": {
    description: "Provide DIR at /opt/ml/processing/input/NAME, or at PATH (repeatable; default: " +
      "input/data/processing). Without NAME, mlcli provides DIR at " +
      "/opt/ml/processing/input.",
    path: placeOf,
    parse: parseDirectory("input"),
  },
  "-o, --output-dir NAME[:PATH][=DIR]...": {
    description:
      "Save the files in /opt/ml/processing/output/NAME, or in PATH, to DIR, which must " +
      "be empty or new (repeatable; default: output/NAME). To save all outputs, omit " +
      "NAME: -o ./DIR.",
    path: placeOf,
    parse: parseDirectory("output"),
  },
  ...jobOptions,
  ...processProgramOptions,
  ...pipOptions,
  ...hostOptions,
});

export default appCommand({
  details: "To run a script in processing/, use --file. To run your own script in any image, " +
    "use --entry-point. To run a program of the image, use --command. Without --file, " +
    "--entry-point or --command, mlcli runs the image's ENTRYPOINT.",
  options: OPTIONS,
  usesEngine: true,
  section: "process",
  examples: [
    ["Run processing/processing.py", "mlcli local process --file processing.py"],
    ["Pass arguments to the script", "mlcli local process --file processing.py -- --rows 1000"],
    [
      "Run your own script in an existing image",
      "mlcli local process --image team/torch:2 --entry-point my_code.py -i my_data",
    ],
    [
      "Run a program of the image",
      "mlcli local process --command python3 -- /opt/program/my_code.py --rows 10",
    ],
  ],
  action: async (context, options) => {
    const { process } = await import("../../runtime/local/process.ts");
    const { programRequest, requirePublishable } = await import("./container_request.ts");
    const { runHost } = await import("./image_access.ts");
    const { app, args, file, input, outputDir } = options;
    const request = await programRequest(context, options, "mlcli local process", args);
    requirePublishable(request);
    // By default, the input is the app's test data.
    const inputs = input.length > 0 ? input : [plainData("input")];
    checkData(inputs, outputDir, request.program.code !== undefined);
    const placed = (data: PlacedData<string | undefined>) => ({
      ...data,
      place: data.place === undefined ? undefined : absolutePath(context.cwd, data.place),
    });
    const job = {
      ...request,
      file: file?.from === "typed" ? file.value : undefined,
      hosts: hostsOf(options),
      // An input has a place.
      inputs: input.map(placed) as PlacedData<string>[],
      outputs: outputDir.map(placed),
    };
    await process(job, runHost(context, app));
  },
});
