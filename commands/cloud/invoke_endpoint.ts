import { shellWord } from "../../runtime/text.ts";
import { command } from "../command.ts";
import {
  invocationFields,
  mediaTypes,
  parseInvocationHeader,
  parseVariant,
  requestFile,
} from "../options/invocation.ts";
import { options } from "../options/option.ts";
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
  action: async (context, options) => {
    const { invokeEndpoint } = await import("../../runtime/cloud/invoke_endpoint.ts");
    const { requestBody } = await import("../named_files.ts");
    const command = `mlcli invoke-endpoint -n ${shellWord(options.endpointName)}`;
    const body = requestBody(context, options, command);
    const fields = invocationFields(options);
    await invokeEndpoint({ ...options, body, fields }, context);
  },
});
