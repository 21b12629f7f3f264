import { isAgreed } from "../../runtime/agreement.ts";
import { regionWords } from "../../runtime/aws/settings.ts";
import type { Setting } from "../../runtime/setting.ts";
import { deleteEndpoint } from "../../runtime/cloud/endpoints/delete_endpoint.ts";
import type { DeletionPlan } from "../../runtime/cloud/endpoints/delete_plan.ts";
import type { Context } from "../../runtime/context.ts";
import { partWords } from "../../runtime/cloud/endpoints/parts.ts";
import { printable } from "../../runtime/text.ts";
import type { DeleteEndpointOptions } from "./delete_endpoint.ts";
import { JobProgress } from "./job_progress.ts";

/** Deletes an endpoint and, when asked to, what belongs to it; waits when asked to. */
export async function deleteEndpointAction(
  context: Context,
  options: DeleteEndpointOptions,
): Promise<void> {
  const { out, err } = context;
  const { dryRun, yes } = options;
  using shown = new JobProgress(context, options);
  await deleteEndpoint(options, context, {
    progress: (text, running) => shown.progress(text, running),
    note: (text) => shown.note(text),
    always: (text) => shown.always(text),
    async planned(plan, region) {
      const isAsked = !dryRun && !yes;
      if (err.isTerminal && (isAsked || !options.quiet)) {
        const text = isAsked ? `\n${planText(plan, ["To delete:", "To keep:"])}` : "";
        shown.always(whereabouts(plan, region) + text);
      }
      if (dryRun) out.print(`${printable(planText(plan, ["Would delete", "Would keep"]))}\n`);
      return !isAsked || await isAgreed("Continue?", context) !== false;
    },
    deleted: (endpoint) => out.print(`${endpoint}\n`),
  });
}

/** Status, account and region. */
function whereabouts({ endpoint, description }: DeletionPlan, region: Setting<string>): string {
  const { status, account } = description ?? {};
  const known = [status, account && `account ${account}`, regionWords(region)];
  return `${endpoint}: ${known.filter((part) => part).join(", ")}`;
}

/** What is to be deleted and what kept, a line each. */
function planText(
  { endpoint, description, isGone, parts, kept }: DeletionPlan,
  [goes, stays]: readonly [goes: string, stays: string],
): string {
  return [
    isGone
      ? `Not found: endpoint ${endpoint}`
      : `${goes} endpoint ${endpoint} (${description?.status ?? "status unknown"})`,
    ...parts.map((part) =>
      part.isThere === false
        ? `Not found: ${partWords(part)}`
        : `${goes} ${partWords(part)}${part.isThere ? "" : ", if it exists"}`
    ),
    ...kept.map((part) => `${stays} ${partWords(part)}`),
  ].join("\n");
}
