/**
 * What a deployment asks of the platform, in order: what `--dry-run` shows. As pure functions.
 *
 * @module
 */

import type { S3Address } from "../../contract/addresses.ts";
import type { Part } from "../endpoints/parts.ts";
import type { Calls } from "../upload/dry_run.ts";
import type { Tag } from "../tags.ts";
import type { Deployment } from "./plan.ts";

/** A call as it is shown. */
export interface ShownCall {
  readonly action: string;
  readonly input: unknown;
}

/** All that is asked for. */
export interface AllCalls {
  /** Names of what is in the way of what is made. */
  readonly inTheWay: readonly Part[];
  /** A packed model that is sent. */
  readonly sent: { readonly address: S3Address; readonly calls: Calls } | undefined;
  /** `undefined` where nothing is made. */
  readonly deployment: Deployment | undefined;
  /** Tags that an endpoint which is there is given. */
  readonly tagged: { readonly arn: string; readonly tags: readonly Tag[] } | undefined;
  /** Deleted once the endpoint serves what is made. */
  readonly unused: readonly Part[];
}

/** The calls, with the values of variables hidden: they may be secrets. */
export function callsOf({ inTheWay, sent, deployment, tagged, unused }: AllCalls): ShownCall[] {
  return [
    ...Object.entries(sent?.calls ?? {}).map(([name, times]) => ({
      action: `s3:${name}`,
      input: { Bucket: sent!.address.bucket, Key: sent!.address.key },
      ...times === 1 ? {} : { times },
    })),
    ...inTheWay.map(deletion),
    ...deployment ? creations(deployment) : [],
    ...tagged
      ? [{ action: "sagemaker:AddTags", input: { ResourceArn: tagged.arn, Tags: tagged.tags } }]
      : [],
    ...unused.map(deletion),
  ];
}

function creations({ model, configuration, endpoint }: Deployment): ShownCall[] {
  const { Environment, ...container } = model.PrimaryContainer ?? {};
  const hidden = Environment === undefined ? container : {
    ...container,
    Environment: Object.fromEntries(Object.keys(Environment).map((name) => [name, "***"])),
  };
  return [
    { action: "sagemaker:CreateModel", input: { ...model, PrimaryContainer: hidden } },
    { action: "sagemaker:CreateEndpointConfig", input: configuration },
    "creation" in endpoint
      ? { action: "sagemaker:CreateEndpoint", input: endpoint.creation }
      : { action: "sagemaker:UpdateEndpoint", input: endpoint.update },
  ];
}

function deletion({ kind, name }: Part): ShownCall {
  return kind === "model"
    ? { action: "sagemaker:DeleteModel", input: { ModelName: name } }
    : { action: "sagemaker:DeleteEndpointConfig", input: { EndpointConfigName: name } };
}
