/**
 * Carrying a deployment out. What serves is touched by nothing but UpdateEndpoint, whose failure leaves
 * it as it was; what served before goes last, once the new one is known to serve.
 *
 * @module
 */

import { AwsError, withMore } from "../../aws/errors.ts";
import { regionWords } from "../../aws/settings.ts";
import { Interrupted } from "../../errors.ts";
import { endpointGoesOn } from "../endpoints/parts.ts";
import { rememberEndpoint } from "./known.ts";
import { Making, NobodyKnows } from "./making.ts";
import { type Deployment, variablesOf } from "./plan.ts";
import { deleteInTheWay, namesOf, tellLeft, undo } from "./removal.ts";
import { settle } from "./settle.ts";
import type { Thing } from "./state.ts";
import type { Work } from "./work.ts";

/**
 * Makes what is planned, and has the endpoint serve it.
 *
 * @throws AwsError: what was made is deleted, or named; Interrupted.
 */
export async function carryOut(
  deployment: Deployment,
  inTheWay: readonly Thing[],
  work: Work,
): Promise<void> {
  const { request, state, sagemaker, host, report } = work;
  const { endpoint } = state;
  const making = new Making({
    sagemaker,
    host,
    report,
    variables: variablesOf(request, state),
    tags: request.tags,
  });
  try {
    await deleteInTheWay(inTheWay, work);
    await making.model(deployment.model);
    await making.configuration(deployment.configuration);
    report.progress(`Asking for endpoint ${endpoint}`, 0);
    await making.endpoint(deployment);
  } catch (error) {
    if (error instanceof Interrupted) throw interrupted(error, making, work);
    if (!(error instanceof AwsError)) throw error;
    throw await undone(error, making, work);
  }
  if (!state.description) await rememberEndpoint(work, making.account);
  const where = regionWords(sagemaker.region);
  report.note(`${state.description ? "Updating" : "Creating"} endpoint ${endpoint} in ${where}`);
  const { EndpointConfigName = "" } = deployment.configuration;
  await settle(
    {
      configuration: EndpointConfigName,
      model: deployment.model.ModelName ?? "",
      created: making.made.find(({ name }) => name === EndpointConfigName)?.created,
      made: making.made,
    },
    making.withOwnTags,
    work,
  );
}

/** Notes what an interruption leaves. */
function interrupted(error: Interrupted, making: Making, work: Work): Interrupted {
  const { report, choice, state: { endpoint } } = work;
  if (!making.isAsked) tellLeft(making.made, { report, choice });
  else {
    report.note(
      `Interrupted: ${endpoint} may have begun to change to ${namesOf(making.made)}, or not. The ` +
        `same command finds out, and goes on. ${endpointGoesOn(endpoint, choice)}`,
    );
  }
  return error;
}

/** The failure, with what has become of what was made. */
async function undone(error: AwsError, making: Making, work: Work): Promise<AwsError> {
  const { state: { endpoint, description }, choice } = work;
  if (error instanceof NobodyKnows && making.isAsked) {
    return withMore(
      error,
      `Nobody knows whether ${endpoint} has begun: nothing was deleted. ` +
        endpointGoesOn(endpoint, choice),
    );
  }
  const isAllGone = await undo(
    making.made,
    // Somebody else may have had it serve a configuration of that name meanwhile.
    { endpoint, isAsked: making.made.some(({ kind }) => kind === "configuration") },
    work,
  );
  if (!isAllGone) return error;
  const serves = description ? ` ${endpoint} serves what it served before.` : "";
  return withMore(error, `Nothing is left of it.${serves}`);
}
