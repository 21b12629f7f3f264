import { INVOCATION_SECONDS, STREAM_SECONDS } from "../../runtime/contract/limits.ts";
import { command } from "../command.ts";
import {
  mediaTypes,
  parseRequestHeader,
  requestFile,
  requestHeaders,
} from "../options/invocation.ts";
import { options } from "../options/option.ts";
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

export default command({
  details: "Instead of FILE, you can pass JSON: '{\"features\": [72, 3, 15]}'",
  options: OPTIONS,
  examples: [
    ["Get predictions for the rows of a file", "mlcli local invoke my_rows.csv"],
    ["Get one prediction as JSON", "echo 72,3,15 | mlcli local invoke --accept application/json"],
    ["Stream the response of a language model", "mlcli local invoke --stream question.json"],
  ],
  action: async (context, options) => {
    const { invoke } = await import("../../runtime/local/server/invoke.ts");
    const { onlyServer } = await import("../../runtime/local/server/servers.ts");
    const { stalenessOn } = await import("../../runtime/local/server/staleness.ts");
    const { requestBody } = await import("../named_files.ts");
    const { staleText } = await import("./stale_text.ts");
    const { accept, stream, timeout } = options;
    const typed = options.port === undefined ? "" : ` --port ${options.port}`;
    const body = requestBody(context, options, `mlcli local invoke${typed}`);
    const headers = requestHeaders(options.header);
    const port = options.port ?? (await onlyServer("invoke", undefined, context)).port;
    const response = invoke({ port, accept, headers, stream, timeout, body }, context);
    const stale = await stalenessOn(port, context, response);
    if (stale !== undefined && !context.interruption.signal.aborted) {
      // Below the response. Also if the request fails: staleness might be the reason.
      await response.catch(() => {});
      const text = staleText(stale, port, context.clock.date());
      context.messages.note(`The server is stale: ${text}`);
    }
    await response;
  },
});
