import { byteCount, counted } from "../../runtime/quantities.ts";
import { inOneLine, jsonText } from "../../runtime/text.ts";
import { appCommand } from "../command.ts";
import { options } from "../options/option.ts";
import { parseRepositoryName } from "../options/job_parsers.ts";
import {
  appName,
  cloudOptions,
  dockerTag,
  outputFormat,
  progressOptions,
} from "../options/shared.ts";

const OPTIONS = options({
  ...cloudOptions,
  ...appName,
  ...dockerTag,
  "--repository NAME": {
    description: "ECR repository to push to (default: image_name in NAME.json)",
    parse: parseRepositoryName,
  },
  "--dry-run": {
    description:
      "Check the image and the settings, and print the AWS calls as JSON, without pushing",
  },
  ...outputFormat,
  ...progressOptions,
});

export default appCommand({
  details: "mlcli creates the ECR repository if it does not exist. mlcli converts OCI " +
    "manifests of newer Docker Engines, because SageMaker rejects these manifests. The " +
    "result is the image's address with its digest.",
  options: OPTIONS,
  examples: [
    ["Push app:latest", "mlcli push"],
    ["Push tag v2 to another repository", "mlcli push -t v2 --repository team/flats"],
  ],
  action: async (context, options) => {
    const { preparePush } = await import("../../runtime/cloud/push/push.ts");
    const { TransferProgress } = await import("../render/progress/transfer.ts");
    const { messages, out } = context;
    const transfer = new TransferProgress(context);
    const push = await preparePush(options, context, {
      progress({ sent, total, done, layers, sending }) {
        if (layers === 0) return;
        transfer.reached({
          bytes: sent,
          total,
          more: [`${done} of ${counted(layers, "layer")}`],
          below: sending.map(({ id, sent, total }) =>
            `  ${id.slice(0, 12)} ${byteCount(sent)} of ${byteCount(total)}`
          ),
        });
      },
      layer({ id, status }) {
        if (!messages.isLive) messages.state(`${inOneLine(id)}: ${inOneLine(status)}`);
      },
    });
    if (options.dryRun) return out.print(jsonText(push.calls));
    const image = await push.run();
    out.print(options.output === "json" ? jsonText({ image }) : `${image}\n`);
  },
});
