/**
 * Amazon SageMaker. Importing more than types from here loads the SDK (60 to 130 ms). So only
 * `context.ts` does it, when a command asks for SageMaker; tests have services of their own.
 *
 * @module
 */

import { AwsError } from "./errors.ts";
import { strangeAnswer } from "./explanations.ts";
import {
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DescribeEndpointCommand,
  type EndpointStatus,
  ListEndpointsCommand,
  type ListEndpointsInput,
  SageMakerClient,
} from "./sdk.ts";
import { AwsSession, type SessionContext } from "./session.ts";
import type { AwsSettings, Setting } from "./settings.ts";

/** An endpoint as the list shows it. */
export interface Endpoint {
  readonly name: string;
  /** Whatever the service sends: `InService`, `Updating`, ... */
  readonly status: string;
  readonly creationTime: Date;
}

/** An endpoint with what only a description of it tells. */
export interface EndpointDescription extends Endpoint {
  /** Name of the endpoint configuration in use. */
  readonly configuration: string;
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

/** The operations that mlcli asks for. Each throws an `AwsError`, or `Interrupted`. */
export interface SageMaker {
  /** The region that is asked, and who named it. */
  readonly region: Setting;
  /** Pages of endpoints in the service's order, newest first; the next is asked for when needed. */
  listEndpoints(filter: EndpointFilter): AsyncGenerator<readonly Endpoint[]>;
  describeEndpoint(name: string): Promise<EndpointDescription>;
  /** Returns when the service has begun; the endpoint is gone minutes later. */
  deleteEndpoint(name: string): Promise<void>;
  deleteEndpointConfiguration(name: string): Promise<void>;
  /** Closes the connections. */
  close(): void;
}

/** The most that ListEndpoints gives at once; without a number, it gives 10. */
const PAGE_SIZE = 100;

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when the profile does not exist, no region is named, or the proxy's address is
 * not valid.
 */
export async function openSageMaker(
  settings: AwsSettings,
  context: SessionContext,
): Promise<SageMaker> {
  const session = await AwsSession.open(settings, context);
  const client = new SageMakerClient(session.clientConfiguration());
  const region = await session.regionOf(client);
  const options = session.requestOptions;
  return {
    region,
    async *listEndpoints(filter) {
      let token: string | undefined;
      do {
        const input = listInput(filter, token);
        const page = await session.send(
          "sagemaker:ListEndpoints",
          undefined,
          region,
          () => client.send(new ListEndpointsCommand(input), options),
        );
        // The service always sends the list, an empty one where there are none.
        if (!Array.isArray(page.Endpoints)) throw strangeAnswer(page.$metadata.httpStatusCode);
        yield page.Endpoints.map((summary) => endpoint(summary, page.$metadata));
        if (page.NextToken !== undefined && page.NextToken === token) throw repeatedPage();
        token = page.NextToken;
      } while (token);
    },
    async describeEndpoint(name) {
      const answer = await session.send(
        "sagemaker:DescribeEndpoint",
        `endpoint ${name}`,
        region,
        () => client.send(new DescribeEndpointCommand({ EndpointName: name }), options),
      );
      return description(answer);
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
    close() {
      client.destroy();
      session[Symbol.dispose]();
    },
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
}

function description(answer: Description): EndpointDescription {
  return {
    ...endpoint(answer, answer.$metadata),
    configuration: answer.EndpointConfigName ?? "",
    failureReason: answer.FailureReason,
    account: accountIn(answer.EndpointArn),
  };
}

/** `arn:aws:sagemaker:REGION:ACCOUNT:endpoint/NAME`; not every emulator sends one. */
function accountIn(arn: string | undefined): string | undefined {
  return arn?.split(":")[4] || undefined;
}

function repeatedPage(): AwsError {
  return new AwsError("failed", "The platform gave the same page of endpoints twice", {
    hint: "An emulator may not know pages. Check AWS_ENDPOINT_URL.",
  });
}
