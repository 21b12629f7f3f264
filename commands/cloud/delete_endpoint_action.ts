import { regionWords, type Setting } from "../../runtime/aws/settings.ts";
import { deleteEndpoint } from "../../runtime/cloud/endpoints/delete_endpoint.ts";
import type { DeletionPlan } from "../../runtime/cloud/endpoints/delete_plan.ts";
import type { Context } from "../../runtime/context.ts";
import { partWords } from "../../runtime/cloud/endpoints/parts.ts";
import { printable } from "../../runtime/text.ts";
import { warnOfKeys } from "../chosen_app.ts";
import { ProgressLine } from "../render/progress/line.ts";
import type { DeleteEndpointOptions } from "./delete_endpoint.ts";

/** Deletes an endpoint and, when asked to, what belongs to it; waits when asked to. */
export async function deleteEndpointAction(
  context: Context,
  options: DeleteEndpointOptions,
): Promise<void> {
  await warnOfKeys(context, options);
  const { out, err } = context;
  using line = new ProgressLine(err);
  const deletion = {
    endpoint: options.endpointName,
    choice: options,
    withConfiguration: options.deleteConfig,
    withModel: options.deleteModel,
    dryRun: options.dryRun,
    wait: options.wait,
    timeout: options.timeout,
  };
  await deleteEndpoint(deletion, context, {
    progress: (text) => line.show(text),
    note(text) {
      line.clear();
      err.print(`${printable(text)}\n`);
    },
    planned(plan, region) {
      line.clear();
      if (err.isTerminal) err.print(`${whereabouts(plan, region)}\n`);
      if (options.dryRun) out.print(dryRunText(plan));
    },
    deleted: (endpoint) => out.print(`${endpoint}\n`),
  });
}

/** The account and the region, so that the user can still interrupt. */
function whereabouts({ endpoint, description }: DeletionPlan, region: Setting): string {
  const { status, account } = description ?? {};
  const known = [status, account && `account ${account}`, regionWords(region)];
  return `${endpoint}: ${known.filter((part) => part).join(", ")}`;
}

/** What would be deleted and what kept, a line each. */
function dryRunText({ endpoint, description, isGone, parts, kept }: DeletionPlan): string {
  const lines = [
    isGone
      ? `There is no endpoint ${endpoint}`
      : `Would delete endpoint ${endpoint} (${description?.status ?? "status not known"})`,
    ...parts.map((part) =>
      part.isThere === false
        ? `There is no ${partWords(part)}`
        : `Would delete ${partWords(part)}${part.isThere ? "" : ", if there is one"}`
    ),
    ...kept.map((part) => `Would keep ${partWords(part)}`),
  ];
  return lines.map((line) => `${printable(line)}\n`).join("");
}
