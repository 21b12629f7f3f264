import type { PlacedData } from "../../runtime/contract/processing_data.ts";
import { type Command, command } from "../command.ts";
import { jobOptions, parseDirectory } from "../options/container.ts";
import { hostOptions } from "../options/hosts.ts";
import { options, type Values } from "../options/option.ts";
import { pipOptions, processProgramOptions } from "../options/program.ts";

const placeOf = ({ place }: PlacedData<string | undefined>): string | undefined => place;

const OPTIONS = options({
  "[-- args...]": {},
  "--file": {
    short: "-f",
    value: "file",
    description: "Script in processing/ to run (requires an image from mlcli build)",
    completion: "script",
    path: "inner",
  },
  "--input": {
    short: "-i",
    value: "[name[:path]=]dir",
    description: "Provide DIR at /opt/ml/processing/input/NAME, or at PATH (repeatable; default: " +
      "input/data/processing). Without NAME, mlcli provides DIR at " +
      "/opt/ml/processing/input.",
    repeatable: true,
    path: placeOf,
    parse: parseDirectory("input"),
  },
  "--output-dir": {
    short: "-o",
    value: "name[:path][=dir]",
    description:
      "Save the files in /opt/ml/processing/output/NAME, or in PATH, to DIR, which must " +
      "be empty or new (repeatable; default: output/NAME). To save all outputs, omit " +
      "NAME: -o ./DIR.",
    repeatable: true,
    path: placeOf,
    parse: parseDirectory("output"),
  },
  "--copy-inputs": {
    group: "Container",
    rare: true,
    description: "Give the code a writable copy of the data",
  },
  ...jobOptions,
  ...processProgramOptions,
  ...pipOptions,
  ...hostOptions,
});

export type ProcessDeclaration = typeof OPTIONS;

export type ProcessOptions = Values<ProcessDeclaration>;

export const processCommand: Command = command({
  details: "To run a script in processing/, use --file. To run your own script in any image, " +
    "use --entry-point. To run a program of the image, use --command. Without --file, " +
    "--entry-point or --command, mlcli runs the image's ENTRYPOINT.",
  options: OPTIONS,
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
  action: async () => (await import("./process_action.ts")).processAction,
});
