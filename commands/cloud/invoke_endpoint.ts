import { command } from "../command.ts";
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
  "-n, --endpoint-name NAME": {
    description: "Endpoint to send the request to",
    required: true,
  },
  ...mediaTypes,
  "--variant NAME": {
    description: "Variant to send the request to if the endpoint has several variants",
    parse: parseVariant,
  },
  "-H, --header NAME=VALUE...": {
    description: "Request header for SageMaker or the model, such as Inference-Id=7 (repeatable)",
    parse: parseInvocationHeader,
  },
  "--stream": { description: "Print each part of the response when the model sends it" },
  ...cloudOptions,
});

export type InvokeEndpointOptions = Values<typeof OPTIONS>;

export default command({
  usesApps: true,
  details: "mlcli sends FILE or standard input once, without retries. A response can take up " +
    "to 60 seconds, and a streamed response up to 8 minutes.",
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
  action: async (context, options) =>
    await (await import("./invoke_endpoint_action.ts")).invokeEndpointAction(context, options),
});
