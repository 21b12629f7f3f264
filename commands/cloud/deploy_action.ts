import { deploy } from "../../runtime/cloud/deploy/deploy.ts";
import { checkedRequest, withoutInstances } from "../../runtime/cloud/deploy/request.ts";
import type { Context } from "../../runtime/context.ts";
import { programOf } from "../program.ts";
import type { DeployValues } from "./deploy.ts";
import { JobProgress } from "./job_progress.ts";
import { cloudRequest } from "./job_request.ts";

/** Creates or updates an endpoint, and waits until it serves unless told not to. */
export async function deployAction(context: Context, options: DeployValues): Promise<void> {
  const { app } = options;
  const { code } = await programOf(app, options);
  using shown = new JobProgress(context, options);
  const request = { ...await cloudRequest(context, options, "mlcli deploy"), code };
  const ignored = (key: string): void =>
    shown.note(`Ignored "${key}" in ${app.name}.json: serverless endpoints do not support it`);
  await deploy(checkedRequest(withoutInstances(request, ignored)), context, shown);
}
