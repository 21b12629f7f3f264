/**
 * Noticing that somebody else deploys to the same endpoint at the same time: both use the same names,
 * and nothing on the platform is locked.
 *
 * @module
 */

import { AwsError, orNothing } from "../../aws/errors.ts";
import type { SageMaker } from "../../aws/sagemaker.ts";
import type { Part } from "../endpoints/parts.ts";
import type { Work } from "./work.ts";

/**
 * Requires that the endpoint still has, and is about to have, what it had when all was looked at.
 *
 * @throws AwsError where somebody has changed it meanwhile.
 */
export async function requireUnchanged({ state, sagemaker }: Work): Promise<void> {
  const { endpoint, description: before } = state;
  const now = await orNothing(sagemaker.describeEndpoint(endpoint));
  const isSame = now?.configuration === before?.configuration &&
    now?.pendingConfiguration === before?.pendingConfiguration &&
    now?.creationTime.getTime() === before?.creationTime.getTime();
  if (isSame) return;
  throw new AwsError("changed", `Somebody else deployed to ${endpoint} at the same time`, {
    hint: "Nothing was changed. Deploy again to have it serve yours.",
  });
}

/** Whether what has the name is what this run has made; yes, where nobody tells. */
export async function isStillOwn(
  { kind, name, created }: Part & { readonly created: Date | undefined },
  sagemaker: Pick<SageMaker, "describeModel" | "describeEndpointConfiguration">,
): Promise<boolean> {
  if (created === undefined) return true;
  try {
    const now = await orNothing<{ readonly CreationTime: Date | undefined }>(
      kind === "model"
        ? sagemaker.describeModel(name)
        : sagemaker.describeEndpointConfiguration(name),
    );
    return now?.CreationTime?.getTime() === created.getTime();
  } catch (error) {
    if (error instanceof AwsError) return true;
    throw error;
  }
}

/** Whether something that is there has all that it was to be made with, but for the tags. */
export function holds(there: unknown, input: unknown): boolean {
  if (typeof input !== "object" || input === null) return there === input;
  if (typeof there !== "object" || there === null) return false;
  return Object.entries(input).every(([name, value]) =>
    value === undefined || name === "Tags" ||
    holds((there as Record<string, unknown>)[name], value)
  );
}

/** What of it tells one deployment from another. */
export interface WithArtifact {
  readonly PrimaryContainer?: {
    readonly ModelDataUrl?: string | undefined;
    readonly Environment?: Readonly<Record<string, string>> | undefined;
  } | undefined;
}

/** Whether a model is of the same artifact, without further variables; others are as they are. */
export function isMadeOf(there: WithArtifact, input: WithArtifact): boolean {
  const { ModelDataUrl: artifact, Environment: variables = {} } = input.PrimaryContainer ?? {};
  const found = there.PrimaryContainer;
  return (artifact === undefined || found?.ModelDataUrl === artifact) &&
    holds(variables, found?.Environment ?? {});
}
