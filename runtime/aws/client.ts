/**
 * The real platform, through the AWS SDK. Whoever imports this module pays for the SDK (60 to
 * 130 ms), so only `context.ts` does, and not before a command asks.
 *
 * @module
 */

import {
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DescribeEndpointCommand,
  type EndpointStatus,
  ListEndpointsCommand,
  type ListEndpointsInput,
  SageMakerClient,
} from "./sdk.ts";
import { messageOf } from "../errors.ts";
import { VERSION } from "../version.ts";
import { Connections, type TimeLimits } from "./connections.ts";
import { credentialsProvider } from "./credentials.ts";
import { AwsError } from "./errors.ts";
import { awsError, strangeAnswer, wasRetried } from "./explanations.ts";
import type { Endpoint, EndpointDescription, EndpointFilter, SageMaker } from "./sagemaker.ts";
import { checkProfile } from "./profiles.ts";
import { checkProxies, proxyLogins } from "./proxy.ts";
import { Secrets } from "./secrets.ts";
import type { AwsSettings, Setting } from "./settings.ts";

/** The most that ListEndpoints gives at once; left out, it gives 10. */
const PAGE_SIZE = 100;

/** What the platform needs besides its settings. */
export interface ClientContext {
  readonly env: (name: string) => string | undefined;
  /** Aborts whatever is being asked; its reason is thrown. */
  readonly signal: AbortSignal;
  /** How long a request may take; usually left to `connections.ts`. */
  readonly limits?: TimeLimits;
}

/**
 * Makes a client; nothing is sent yet.
 * @throws AwsError when the profile does not exist, no region is named, or the proxy's address
 * is none.
 */
export async function openSageMaker(
  settings: AwsSettings,
  { env, signal, limits }: ClientContext,
): Promise<SageMaker> {
  if (settings.profile) await checkProfile(settings.profile, env);
  checkProxies(env);
  const secrets = new Secrets(env, proxyLogins(env));
  const connections = new Connections({ env, profile: settings.profile?.value, limits });
  const client = new SageMakerClient({
    region: settings.region?.value,
    profile: settings.profile?.value,
    credentials: credentialsProvider({ settings, env, secrets, connections }),
    customUserAgent: [["mlcli", VERSION]],
    requestHandler: connections,
    // Finds the rate that the service allows. With the SDK's own choice ('standard') a thousand
    // endpoints cannot be asked: one of them is soon throttled three times in a row.
    retryMode: env("AWS_RETRY_MODE") || "adaptive",
  });
  const region = settings.region ?? await regionOfProfile(client, settings);

  /** Sends one request, retries included. */
  async function send<Answer>(
    action: string,
    subject: string | undefined,
    request: () => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      throw awsError(error, { action, subject, region, settings }, secrets);
    }
  }

  /** Deletes; a second attempt that finds nothing met the success of the first. */
  async function deleteOnce(
    action: string,
    subject: string,
    request: () => Promise<unknown>,
  ): Promise<void> {
    let retried = false;
    try {
      await send(action, subject, () =>
        request().catch((error) => {
          retried = wasRetried(error);
          throw error;
        }));
    } catch (error) {
      if (!(retried && error instanceof AwsError && error.refusal === "not found")) {
        throw error;
      }
    }
  }

  const options = { abortSignal: signal };
  return {
    region,
    async *listEndpoints(filter) {
      let token: string | undefined;
      do {
        const input = listInput(filter, token);
        const page = await send(
          "sagemaker:ListEndpoints",
          undefined,
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
      const answer = await send(
        "sagemaker:DescribeEndpoint",
        `endpoint ${name}`,
        () => client.send(new DescribeEndpointCommand({ EndpointName: name }), options),
      );
      return description(answer);
    },
    deleteEndpoint: (name) =>
      deleteOnce(
        "sagemaker:DeleteEndpoint",
        `endpoint ${name}`,
        () => client.send(new DeleteEndpointCommand({ EndpointName: name }), options),
      ),
    deleteEndpointConfiguration: (name) =>
      deleteOnce(
        "sagemaker:DeleteEndpointConfig",
        `endpoint configuration ${name}`,
        () => client.send(new DeleteEndpointConfigCommand({ EndpointConfigName: name }), options),
      ),
    close() {
      client.destroy();
      connections[Symbol.dispose]();
    },
  };
}

async function regionOfProfile(
  client: SageMakerClient,
  { profile }: AwsSettings,
): Promise<Setting> {
  const source = `profile ${profile?.value ?? "default"}`;
  try {
    return { value: await client.config.region(), source };
  } catch (cause) {
    // The second is for a variable that is set to nothing.
    if (!/^Region is missing|region=""/.test(messageOf(cause))) throw cause;
    throw new AwsError("credentials", "No region named", {
      hint: "Name it with --region, cloud_region in the app's configuration file, AWS_REGION " +
        `or AWS_DEFAULT_REGION, or for good: aws configure set region REGION (${source}).`,
    });
  }
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

/** @throws AwsError when it has no name: then it is none. */
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

/** `arn:aws:sagemaker:REGION:ACCOUNT:endpoint/NAME`; not every emulator has one. */
function accountIn(arn: string | undefined): string | undefined {
  return arn?.split(":")[4] || undefined;
}

function repeatedPage(): AwsError {
  return new AwsError("failed", "The platform gave the same page of endpoints twice", {
    hint: "An emulator may not know pages. Check AWS_ENDPOINT_URL.",
  });
}
