import {
  AddTagsCommand,
  CreateEndpointCommand,
  type CreateEndpointCommandInput,
  CreateEndpointConfigCommand,
  type CreateEndpointConfigCommandInput,
  CreateModelCommand,
  type CreateModelCommandInput,
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DeleteModelCommand,
  DescribeEndpointCommand,
  type DescribeEndpointCommandOutput,
  DescribeEndpointConfigCommand,
  type DescribeEndpointConfigCommandOutput,
  DescribeModelCommand,
  type DescribeModelCommandOutput,
  type EndpointStatus,
  type EndpointSummary,
  ListEndpointsCommand,
  ListModelsCommand,
  ListTagsCommand,
  type ModelSummary,
  SageMakerClient,
  UpdateEndpointCommand,
  type UpdateEndpointCommandInput,
} from "@aws-sdk/client-sagemaker";
import { accountOf } from "../contract/addresses.ts";
import { type Answered, strangeAnswer, withoutMetadata } from "./explanations.ts";
import { rememberLostAnswers } from "./retries.ts";
import { type Jobs, jobsOf, type ListFilter } from "./sagemaker_jobs.ts";
import type { AwsSession, Service } from "./session.ts";
import type { Setting } from "../setting.ts";

/** The bodies of CreateModel, CreateEndpointConfig, CreateEndpoint and UpdateEndpoint. */
export type {
  CreateEndpointCommandInput as EndpointInput,
  CreateEndpointConfigCommandInput as EndpointConfigurationInput,
  CreateModelCommandInput as ModelInput,
  UpdateEndpointCommandInput as EndpointUpdate,
} from "@aws-sdk/client-sagemaker";

/** An endpoint as the list shows it. */
export interface Endpoint {
  readonly name: string;
  /** Whatever the service sends: `InService`, `Updating`, ... */
  readonly status: string;
  readonly creationTime: Date;
}

/** A variant of an endpoint, with one model. */
export interface EndpointVariant {
  readonly name: string;
  /** The present and the desired number of instances; `undefined` for a serverless variant. */
  readonly currentCount: number | undefined;
  readonly desiredCount: number | undefined;
}

export interface EndpointDescription extends Endpoint {
  readonly arn: string | undefined;
  /** Name of the configuration in use; during an update the former one. */
  readonly configuration: string;
  /** During an update: name of the new configuration. */
  readonly pendingConfiguration: string | undefined;
  /** Empty while it is being created. */
  readonly variants: readonly EndpointVariant[];
  readonly lastModifiedTime: Date | undefined;
  /** Why the status is `Failed`. */
  readonly failureReason: string | undefined;
  /** Id of its account, where it is known. */
  readonly account: string | undefined;
}

/** What mlcli asks about endpoints. Each throws an `AwsError`, or `Interrupted`. */
export interface Endpoints {
  /** Pages of endpoints in the service's order, newest first; the next is asked for when needed. */
  listEndpoints(filter: ListFilter): AsyncGenerator<readonly Endpoint[]>;
  describeEndpoint(name: string): Promise<EndpointDescription>;
  /** Returns when the service has begun; the endpoint is gone minutes later. */
  deleteEndpoint(name: string): Promise<unknown>;
  deleteEndpointConfiguration(name: string): Promise<void>;
}

/** The most that ListEndpoints gives at once; without a number, it gives 10. */
const PAGE_SIZE = 100;

/** What SageMaker says of a model, and of an endpoint's configuration. */
export type ModelDetails = Omit<DescribeModelCommandOutput, "$metadata">;
export type EndpointConfigurationDetails = Omit<DescribeEndpointConfigCommandOutput, "$metadata">;

export type Tags = Readonly<Record<string, string>>;

/**
 * The requests of a deployment. Each throws an `AwsError`, or `Interrupted`. Those that create or change
 * something also succeed where a retry after a lost answer finds it done.
 */
export interface Deployments {
  /** "in use" where there is one of that name. */
  createModel(input: CreateModelCommandInput): Promise<unknown>;
  /** "not found" where there is none. */
  describeModel(name: string): Promise<ModelDetails>;
  /** Pages of models with this in their names, newest first. */
  listModels(nameContains: string): AsyncGenerator<readonly ModelSummary[]>;
  /** Not refused where a configuration names it. */
  deleteModel(name: string): Promise<unknown>;
  /** "in use" where there is one of that name. */
  createEndpointConfiguration(input: CreateEndpointConfigCommandInput): Promise<unknown>;
  /** "not found" where there is none. */
  describeEndpointConfiguration(name: string): Promise<EndpointConfigurationDetails>;
  /**
   * Returns when the service has begun, with the ARN where the answer was not lost. "in use" where there
   * is one of that name; "not found" where the configuration is not there, or not yet.
   */
  createEndpoint(input: CreateEndpointCommandInput): Promise<string | undefined>;
  /** The same. "in progress" where the endpoint is being changed. */
  updateEndpoint(input: UpdateEndpointCommandInput): Promise<string | undefined>;
  /** All tags of an endpoint, a configuration or a model. */
  tagsOf(arn: string): Promise<Tags>;
  /** Adds tags, or gives those that are there another value. */
  addTags(arn: string, tags: Tags): Promise<void>;
}

export interface SageMaker extends Endpoints, Deployments, Jobs {
  readonly region: Setting<string>;
}

/**
 * Importing this module loads the SDK, which takes 60 to 130 ms: only `aws.ts` does, when a command asks
 * for SageMaker.
 */
export async function openSageMaker(session: AwsSession): Promise<SageMaker> {
  const client = new SageMakerClient(await session.clientConfiguration("SAGEMAKER"));
  rememberLostAnswers(client);
  const service = await session.service(client, "sagemaker");
  const { region } = service;
  return { region, ...endpointsOf(service), ...deploymentsOf(service), ...jobsOf(service) };
}

function endpointsOf({ ask, change, pages }: Service): Endpoints {
  return {
    listEndpoints({ status, nameContains }) {
      const list = (NextToken?: string) =>
        new ListEndpointsCommand({
          MaxResults: PAGE_SIZE,
          NextToken,
          StatusEquals: status as EndpointStatus | undefined,
          NameContains: nameContains,
        });
      return pages("endpoints", list, "Endpoints", endpoint);
    },
    async describeEndpoint(name) {
      const command = new DescribeEndpointCommand({ EndpointName: name });
      const answer = await ask(command, `endpoint ${name}`);
      const found = description(answer);
      // The service finds names in small letters and in capitals.
      if (found.name.toLowerCase() === name.toLowerCase()) return found;
      throw strangeAnswer(answer);
    },
    deleteEndpoint: (name) =>
      change(new DeleteEndpointCommand({ EndpointName: name }), `endpoint ${name}`, "not found"),
    async deleteEndpointConfiguration(EndpointConfigName) {
      const command = new DeleteEndpointConfigCommand({ EndpointConfigName });
      await change(command, `endpoint configuration ${EndpointConfigName}`, "not found");
    },
  };
}

/** @throws AwsError when it has no name. */
function endpoint(summary: EndpointSummary | null, answer: Answered): Endpoint {
  if (!summary?.EndpointName) throw strangeAnswer(answer);
  return {
    name: summary.EndpointName,
    status: summary.EndpointStatus ?? "",
    creationTime: summary.CreationTime ?? new Date(0),
  };
}

function description(answer: DescribeEndpointCommandOutput): EndpointDescription {
  return {
    ...endpoint(answer as EndpointSummary, answer),
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
    account: accountOf(answer.EndpointArn ?? ""),
  };
}

function deploymentsOf({ ask, change, pages }: Service): Deployments {
  return {
    createModel: (input) => change(new CreateModelCommand(input), undefined, "in use"),
    describeModel: (name) =>
      ask(new DescribeModelCommand({ ModelName: name }), `model ${name}`, ["ModelName"])
        .then(withoutMetadata),
    listModels: (NameContains) =>
      pages(
        "models",
        // By itself, the newest first.
        (NextToken?: string) =>
          new ListModelsCommand({ MaxResults: PAGE_SIZE, NextToken, NameContains }),
        "Models",
        (model) => model,
      ),
    deleteModel: (name) =>
      change(new DeleteModelCommand({ ModelName: name }), `model ${name}`, "not found"),
    createEndpointConfiguration: (input) =>
      change(new CreateEndpointConfigCommand(input), undefined, "in use"),
    async describeEndpointConfiguration(EndpointConfigName) {
      const command = new DescribeEndpointConfigCommand({ EndpointConfigName });
      const subject = `endpoint configuration ${EndpointConfigName}`;
      return withoutMetadata(await ask(command, subject, ["EndpointConfigName"]));
    },
    createEndpoint: async (input) =>
      (await change(new CreateEndpointCommand(input), undefined, "in use"))?.EndpointArn,
    async updateEndpoint(input) {
      const command = new UpdateEndpointCommand(input);
      return (await change(command, undefined, "in progress", "in use"))?.EndpointArn;
    },
    async tagsOf(ResourceArn) {
      const list = (NextToken?: string) => new ListTagsCommand({ ResourceArn, NextToken });
      const found = pages(
        "tags",
        list,
        "Tags",
        ({ Key = "", Value = "" }) => [Key, Value] as const,
      );
      return Object.fromEntries((await Array.fromAsync(found)).flat());
    },
    async addTags(ResourceArn, tags) {
      const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      await ask(new AddTagsCommand({ ResourceArn, Tags }));
    },
  };
}
