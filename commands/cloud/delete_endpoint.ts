import { MlcliError } from "../../runtime/errors.ts";
import { printable } from "../../runtime/text.ts";
import { command } from "../command.ts";
import { cloudOptions, progressOptions } from "../options/shared.ts";
import { options } from "../options/option.ts";
import { parseTimeLimit } from "../options/parsers.ts";

/** Three times as long as deletions with several instances are known to take. */
const DEFAULT_TIMEOUT = "30m";

const OPTIONS = options({
  "-n, --endpoint-name NAME": {
    description: "Endpoint to delete",
    required: true,
  },
  ...cloudOptions,
  // The option chooses the region. It has no variable: the user must type what chooses the endpoint to
  // delete.
  "--app-name": { ...cloudOptions["--app-name"], variable: undefined },
  "--delete-config": {
    description: "Also delete the configuration NAME-config, and NAME-config-2 if mlcli created it",
  },
  "--delete-model": { description: "Also delete the models that mlcli created for the endpoint" },
  "--wait": { description: "Wait until the endpoint is deleted" },
  "--timeout DURATION": {
    description: `Maximum time for --wait (default: ${DEFAULT_TIMEOUT})`,
    default: DEFAULT_TIMEOUT,
    onlyWith: "--wait",
    parse: parseTimeLimit,
  },
  ...progressOptions,
  "-y, --yes": { description: "Don't ask for confirmation (mlcli asks only on a terminal)" },
  "--dry-run": {
    description: "Print the names of the resources to delete, without deleting the resources",
  },
});

export default command({
  usesApps: true,
  details: "The endpoint stops serving immediately. You cannot undo the deletion. mlcli lists " +
    "the remaining configurations and models. mlcli never deletes images, or artifacts " +
    "in S3.",
  options: OPTIONS,
  examples: [[
    "Delete an endpoint and everything that mlcli created for it",
    "mlcli delete-endpoint -n shop --delete-config --delete-model",
  ]],
  action: async (caller, options) => {
    const { planDeletion } = await import("../../runtime/cloud/endpoints/delete_plan.ts");
    const { deleteEndpoint, deleteParts, waitUntilGone } = await import(
      "../../runtime/cloud/endpoints/delete_endpoint.ts"
    );
    const { isAgreed } = await import("../../runtime/agreement.ts");
    const { partWords } = await import("../../runtime/cloud/endpoints/parts.ts");
    const { regionWords } = await import("../../runtime/aws/settings.ts");
    const { WaitingProgress } = await import("../render/progress/waiting.ts");
    const { out, err, messages, canAsk } = caller;
    const context = { ...caller, waiting: new WaitingProgress(caller) };

    const { plan, sagemaker } = await planDeletion(options, context);
    const { endpoint, description, isGone, parts, kept } = plan;
    const linesOf = (goes: string, stays: string): readonly string[] => [
      isGone
        ? `Not found: endpoint ${endpoint}`
        : `${goes} endpoint ${endpoint} (${description?.status ?? "status unknown"})`,
      ...parts.map((part) =>
        part.isThere === false
          ? `Not found: ${partWords(part)}`
          : `${goes} ${partWords(part)}${part.isThere ? "" : ", if it exists"}`
      ),
      ...kept.map((part) => `${stays} ${partWords(part)}`),
    ];
    const { status, account } = description ?? {};
    const where = [status, account && `account ${account}`, regionWords(sagemaker.region)];
    const heading = `${endpoint}: ${where.filter((part) => part).join(", ")}`;

    if (options.dryRun || options.yes) {
      if (err.isTerminal) messages.state(heading);
    } else {
      const text = [heading, ...linesOf("To delete:", "To keep:")].join("\n");
      if (!canAsk && err.isTerminal) messages.state(text);
      if (await isAgreed(`${text}\nContinue?`, context) === false) {
        throw new MlcliError("Cancelled: nothing was deleted");
      }
    }
    if (options.dryRun) {
      const lines = linesOf("Would delete", "Would keep");
      return out.print(lines.map((line) => printable(`${line}\n`)).join(""));
    }

    await deleteEndpoint(plan, sagemaker, messages);
    try {
      out.print(`${endpoint}\n`);
    } finally {
      // Also if standard output is closed.
      await deleteParts(plan, sagemaker, messages, options);
    }
    if (options.wait) await waitUntilGone(sagemaker, plan, context, options.timeout);
  },
});
