import { INVOCATION_SECONDS, STREAM_SECONDS } from "../../runtime/contract/limits.ts";
import { type Command, command } from "../command.ts";
import { mediaTypes, parseRequestHeader, requestFile } from "../options/invocation.ts";
import { options, type Values } from "../options/option.ts";
import { parseSeconds } from "../options/parsers.ts";
import { onlyServerPort } from "../options/shared.ts";

const OPTIONS = options({
  ...requestFile,
  ...onlyServerPort,
  ...mediaTypes,
  "--header": {
    short: "-H",
    value: "header",
    description: "NAME=VALUE or NAME: VALUE, such as Inference-Id=7. May be repeated.",
    repeatable: true,
    parse: parseRequestHeader,
  },
  "--stream": { description: "Ask for a stream, as invoke-endpoint --stream does." },
  "--timeout": {
    value: "seconds",
    description: "How long the answer may take. Default, as on SageMaker: " +
      `${INVOCATION_SECONDS}, with --stream ${STREAM_SECONDS}.`,
    parse: parseSeconds,
  },
});

export type InvokeOptions = Values<typeof OPTIONS>;

export const invokeCommand: Command = command({
  details: "FILE may also be JSON itself: '{\"features\": [72, 3, 15]}'.",
  options: OPTIONS,
  examples: [
    ["Ask for predictions for the rows of a file", "mlcli local invoke my_rows.csv"],
    ["Ask for one prediction", "echo 72,3,15 | mlcli local invoke --accept application/json"],
    ["Ask a model that answers word by word", "mlcli local invoke --stream question.json"],
  ],
  action: async () => (await import("./server_actions.ts")).invokeAction,
});
