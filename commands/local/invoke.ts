import { INVOCATION_SECONDS, STREAM_SECONDS } from "../../runtime/contract/limits.ts";
import { command } from "../command.ts";
import { mediaTypes, parseRequestHeader, requestFile } from "../options/invocation.ts";
import { options, type Values } from "../options/option.ts";
import { parseTimeLimit } from "../options/parsers.ts";
import { onlyServerPort } from "../options/shared.ts";

const OPTIONS = options({
  ...requestFile,
  ...onlyServerPort,
  ...mediaTypes,
  "-H, --header NAME=VALUE...": {
    description: "Request header, such as Inference-Id=7 or 'Inference-Id: 7' (repeatable)",
    parse: parseRequestHeader,
  },
  "--stream": { description: "Request a streamed response, like invoke-endpoint --stream" },
  "--timeout DURATION": {
    description: "Time limit for the response " +
      `(default: ${INVOCATION_SECONDS}s; with --stream: ${STREAM_SECONDS}s)`,
    parse: parseTimeLimit,
  },
});

export type InvokeOptions = Values<typeof OPTIONS>;

export default command({
  details: "Instead of FILE, you can pass JSON: '{\"features\": [72, 3, 15]}'",
  options: OPTIONS,
  examples: [
    ["Get predictions for the rows of a file", "mlcli local invoke my_rows.csv"],
    ["Get one prediction as JSON", "echo 72,3,15 | mlcli local invoke --accept application/json"],
    ["Stream the response of a language model", "mlcli local invoke --stream question.json"],
  ],
  action: async (context, options) =>
    await (await import("./server_actions.ts")).invokeAction(context, options),
});
