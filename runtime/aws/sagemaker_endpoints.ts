/**
 * SageMaker's inference endpoints and their configurations.
 *
 * @module
 */

import { strangeAnswer } from "./explanations.ts";
import { pagesOf } from "./pages.ts";
import {
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DescribeEndpointCommand,
  type EndpointStatus,
  ListEndpointsCommand,
  type ListEndpointsInput,
  type SageMakerClient,
} from "./sdk/sagemaker.ts";
import type { Asking } from "./session.ts";

/** An endpoint as the list shows it. */
export interface Endpoint {
  readonly name: string;
  /** Whatever the service sends: `InService`, `Updating`, ... */
  readonly status: string;
  readonly creationTime: Date;
}

/** A part of an endpoint: what of its requests one model answers. */
export interface EndpointVariant {
  readonly name: string;
  /** How many instances there are, and are to be; of a serverless one `undefined`. */
  readonly currentCount: number | undefined;
  readonly desiredCount: number | undefined;
}

/** An endpoint with what only a description of it tells. */
export interface EndpointDescription extends Endpoint {
  readonly arn: string | undefined;
  /** Name of the endpoint configuration in use; while it is being updated, of the one before. */
  readonly configuration: string;
  /** While it is being updated: name of the configuration that it is to have. */
  readonly pendingConfiguration: string | undefined;
  /** Those that serve; none while it is being created. */
  readonly variants: readonly EndpointVariant[];
  readonly lastModifiedTime: Date | undefined;
  /** Why the status is `Failed`. */
  readonly failureReason: string | undefined;
  /** Id of the account that it belongs to, where SageMaker tells. */
  readonly account: string | undefined;
}

/** Which endpoints to list; all of them when empty. */
export interface EndpointFilter {
  readonly status?: string;
  readonly nameContains?: string;
}

/** What mlcli asks about endpoints. Each throws an `AwsError`, or `Interrupted`. */
export interface Endpoints {
  /** Pages of endpoints in the service's order, newest first; the next is asked for when needed. */
  listEndpoints(filter: EndpointFilter): AsyncGenerator<readonly Endpoint[]>;
  describeEndpoint(name: string): Promise<EndpointDescription>;
  /** Returns when the service has begun; the endpoint is gone minutes later. */
  deleteEndpoint(name: string): Promise<void>;
  deleteEndpointConfiguration(name: string): Promise<void>;
}

/** The most that ListEndpoints gives at once; without a number, it gives 10. */
const PAGE_SIZE = 100;

/** Endpoints, by a client of SageMaker. */
export function endpointsOf({ client, session, region }: Asking<SageMakerClient>): Endpoints {
  const options = session.requestOptions;
  return {
    listEndpoints: (filter) =>
      pagesOf("endpoints", async (token) => {
        const { Endpoints, NextToken, $metadata } = await session.send(
          "sagemaker:ListEndpoints",
          undefined,
          region,
          () => client.send(new ListEndpointsCommand(listInput(filter, token)), options),
        );
        // The service always sends the list, an empty one where there are none.
        if (!Array.isArray(Endpoints)) throw strangeAnswer($metadata.httpStatusCode);
        const items = Endpoints.map((summary) => endpoint(summary, $metadata));
        return { items, token: NextToken };
      }),
    async describeEndpoint(name) {
      const answer = await session.send(
        "sagemaker:DescribeEndpoint",
        `endpoint ${name}`,
        region,
        () => client.send(new DescribeEndpointCommand({ EndpointName: name }), options),
      );
      const found = description(answer);
      // The service finds names in small letters and in capitals.
      if (found.name.toLowerCase() === name.toLowerCase()) return found;
      throw strangeAnswer(answer.$metadata.httpStatusCode);
    },
    deleteEndpoint: (name) =>
      session.sendDeletion(
        "sagemaker:DeleteEndpoint",
        `endpoint ${name}`,
        region,
        () => client.send(new DeleteEndpointCommand({ EndpointName: name }), options),
      ),
    deleteEndpointConfiguration: (name) =>
      session.sendDeletion(
        "sagemaker:DeleteEndpointConfig",
        `endpoint configuration ${name}`,
        region,
        () => client.send(new DeleteEndpointConfigCommand({ EndpointConfigName: name }), options),
      ),
  };
}

function listInput(filter: EndpointFilter, token: string | undefined): ListEndpointsInput {
  return {
    MaxResults: PAGE_SIZE,
    NextToken: token,
    StatusEquals: filter.status as EndpointStatus | undefined,
    NameContains: filter.nameContains,
  };
}

interface Summary {
  readonly EndpointName?: string;
  readonly EndpointStatus?: string;
  readonly CreationTime?: Date;
}

/** @throws AwsError when it has no name: then it is not an endpoint. */
function endpoint(summary: Summary | null, { httpStatusCode }: Metadata): Endpoint {
  if (!summary?.EndpointName) throw strangeAnswer(httpStatusCode);
  return {
    name: summary.EndpointName,
    status: summary.EndpointStatus ?? "",
    creationTime: summary.CreationTime ?? new Date(0),
  };
}

/** What the SDK tells about an answer. */
interface Metadata {
  readonly httpStatusCode?: number;
}

interface Description extends Summary {
  readonly $metadata: Metadata;
  readonly EndpointConfigName?: string;
  readonly FailureReason?: string;
  readonly EndpointArn?: string;
  readonly LastModifiedTime?: Date;
  readonly PendingDeploymentSummary?: { readonly EndpointConfigName?: string };
  readonly ProductionVariants?: readonly {
    readonly VariantName?: string;
    readonly CurrentInstanceCount?: number;
    readonly DesiredInstanceCount?: number;
  }[];
}

function description(answer: Description): EndpointDescription {
  return {
    ...endpoint(answer, answer.$metadata),
    arn: answer.EndpointArn,
    configuration: answer.EndpointConfigName ?? "",
    pendingConfiguration: answer.PendingDeploymentSummary?.EndpointConfigName,
    variants: (answer.ProductionVariants ?? []).map((variant) => ({
      name: variant.VariantName ?? "",
      currentCount: variant.CurrentInstanceCount,
      desiredCount: variant.DesiredInstanceCount,
    })),
    lastModifiedTime: answer.LastModifiedTime,
    failureReason: answer.FailureReason || undefined,
    account: accountIn(answer.EndpointArn),
  };
}

/** `arn:aws:sagemaker:REGION:ACCOUNT:endpoint/NAME`; not every emulator sends one. */
export function accountIn(arn: string | undefined): string | undefined {
  return arn?.split(":")[4] || undefined;
}
