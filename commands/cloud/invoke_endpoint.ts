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
    description: "Endpoint to send the request to",
    required: true,
  },
  ...mediaTypes,
  "--variant": {
    value: "name",
    description: "Variant to send the request to if the endpoint has several",
    parse: parseVariant,
  },
  "--header": {
    short: "-H",
    value: "name=value",
    description: "Request header for SageMaker or the model, such as Inference-Id=7 (repeatable)",
    repeatable: true,
    parse: parseInvocationHeader,
  },
  "--stream": { description: "Print the response in parts, as the model sends them" },
  ...cloudOptions,
});

export type InvokeEndpointOptions = Values<typeof OPTIONS>;

export const invokeEndpointCommand: Command = command({
  details: "Sends a file or standard input like mlcli local invoke, without retries. A response " +
    "can take up to 60 seconds, a streamed response up to 8 minutes.",
  options: OPTIONS,
  examples: [
    ["Get predictions for the rows of a file", "mlcli invoke-endpoint -n shop my_rows.csv"],
    [
      "Get one prediction",
      "echo 72,3,15 | mlcli invoke-endpoint -n shop --accept application/json",
    ],
    [
      "Stream the response of a chat model",
      "mlcli invoke-endpoint -n chat --stream question.json",
    ],
  ],
  action: async () => (await import("./invoke_endpoint_action.ts")).invokeEndpointAction,
});
