import { type Command, command } from "../command.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions, jobKind, progressOptions } from "../options/shared.ts";

const OPTIONS = options({
  "<job>": {},
  "--to": {
    value: "dir",
    description: "Directory for the output, empty or new. Default: JOB.",
    path: "typed",
  },
  "--kind": {
    ...jobKind["--kind"],
    description: "Kind, if several jobs have that name: train, process or transform.",
  },
  ...cloudOptions,
  ...progressOptions,
});

export type DownloadOutputOptions = Values<typeof OPTIONS>;

export const downloadOutputCommand: Command = command({
  details: "Fetches what the job wrote, and prints the directory: the .out files of a transform, " +
    "each output of a processing job in a directory of its name, output.tar.gz of a training. " +
    "download-model fetches the model of a training.",
  options: OPTIONS,
  examples: [
    [
      "Wait for a transform, and fetch the result",
      "mlcli wait flats-2026-03-01 && mlcli download-output flats-2026-03-01",
    ],
  ],
  action: async () => (await import("./download_output_action.ts")).downloadOutputAction,
});
