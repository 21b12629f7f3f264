import { type Command, command } from "../command.ts";
import {
  mediaTypes,
  parseInvocationHeader,
  parseVariant,
  requestFile,
} from "../options/invocation.ts";
import { options, type Values } from "../options/option.ts";
import { cloudOptions } from "../options/shared.ts";

const OPTIONS = options({
  ...requestFile,
  "--endpoint-name": {
    short: "-n",
    value: "name",
    description: "Endpoint to send the request to.",
    required: true,
  },
  ...mediaTypes,
  "--variant": {
    value: "name",
    description: "Variant to send it to, if the endpoint has several.",
    parse: parseVariant,
  },
  "--header": {
    short: "-H",
    value: "header",
    description: "NAME=VALUE for SageMaker or the model, such as Inference-Id=7. May be repeated.",
    repeatable: true,
    parse: parseInvocationHeader,
  },
  "--stream": { description: "Print the answer piece by piece, as the model sends it." },
  ...cloudOptions,
});

export type InvokeEndpointOptions = Values<typeof OPTIONS>;

export const invokeEndpointCommand: Command = command({
  details:
    "Sends a file or standard input, as mlcli local invoke does. The request is sent once; " +
    "an answer may take 60 seconds, a stream 8 minutes.",
  options: OPTIONS,
  examples: [
    ["Ask for predictions for the rows of a file", "mlcli invoke-endpoint -n flats my_rows.csv"],
    [
      "Ask for one prediction",
      "echo 72,3,15 | mlcli invoke-endpoint -n flats --accept application/json",
    ],
    [
      "Ask a model that answers word by word",
      "mlcli invoke-endpoint -n chat --stream question.json",
    ],
  ],
  action: async () => (await import("./invoke_endpoint_action.ts")).invokeEndpointAction,
});
