/**
 * What makes and changes SageMaker's endpoints: models, endpoint configurations, and their tags.
 *
 * @module
 */

import { strangeAnswer } from "./explanations.ts";
import { pagesOf } from "./pages.ts";
import {
  AddTagsCommand,
  CreateEndpointCommand,
  type CreateEndpointCommandInput,
  CreateEndpointConfigCommand,
  type CreateEndpointConfigCommandInput,
  CreateModelCommand,
  type CreateModelCommandInput,
  DeleteModelCommand,
  DescribeEndpointConfigCommand,
  type DescribeEndpointConfigCommandOutput,
  DescribeModelCommand,
  type DescribeModelCommandOutput,
  ListTagsCommand,
  type SageMakerClient,
  UpdateEndpointCommand,
  type UpdateEndpointCommandInput,
} from "./sdk/sagemaker.ts";
import type { Asking } from "./session.ts";

/** The bodies of CreateModel, CreateEndpointConfig, CreateEndpoint and UpdateEndpoint. */
export type {
  CreateEndpointCommandInput as EndpointInput,
  CreateEndpointConfigCommandInput as EndpointConfigurationInput,
  CreateModelCommandInput as ModelInput,
  UpdateEndpointCommandInput as EndpointUpdate,
} from "./sdk/sagemaker.ts";

/** What SageMaker says of a model, and of an endpoint's configuration. */
export type ModelDetails = Omit<DescribeModelCommandOutput, "$metadata">;
export type EndpointConfigurationDetails = Omit<DescribeEndpointConfigCommandOutput, "$metadata">;

/** Tags of a resource, by key. */
export type Tags = Readonly<Record<string, string>>;

/**
 * What mlcli asks for to deploy. Each throws an `AwsError`, or `Interrupted`. What creates or changes
 * returns also when the answer to a first attempt was lost, and a retry finds it done.
 */
export interface Deployments {
  /** "in use" where there is one of that name. */
  createModel(input: CreateModelCommandInput): Promise<void>;
  /** "not found" where there is none. */
  describeModel(name: string): Promise<ModelDetails>;
  /** Not refused where a configuration names it. */
  deleteModel(name: string): Promise<void>;
  /** "in use" where there is one of that name. */
  createEndpointConfiguration(input: CreateEndpointConfigCommandInput): Promise<void>;
  /** "not found" where there is none. */
  describeEndpointConfiguration(name: string): Promise<EndpointConfigurationDetails>;
  /**
   * Returns when the service has begun. "in use" where there is one of that name; "not found" where
   * the configuration is not there, or not yet.
   */
  createEndpoint(input: CreateEndpointCommandInput): Promise<void>;
  /** Returns when the service has begun. "in progress" where the endpoint is being changed. */
  updateEndpoint(input: UpdateEndpointCommandInput): Promise<void>;
  /** All tags of an endpoint, a configuration or a model. */
  tagsOf(arn: string): Promise<Tags>;
  /** Adds tags, or gives those that are there another value. */
  addTags(arn: string, tags: Tags): Promise<void>;
}

/** Deployments, by a client of SageMaker. */
export function deploymentsOf({ client, session, region }: Asking<SageMakerClient>): Deployments {
  const options = session.requestOptions;
  return {
    createModel: (input) =>
      session.sendCreation(
        "sagemaker:CreateModel",
        undefined,
        region,
        () => client.send(new CreateModelCommand(input), options),
      ),
    async describeModel(name) {
      const { $metadata, ...details } = await session.send(
        "sagemaker:DescribeModel",
        `model ${name}`,
        region,
        () => client.send(new DescribeModelCommand({ ModelName: name }), options),
      );
      if (!details.ModelName) throw strangeAnswer($metadata.httpStatusCode);
      return details;
    },
    deleteModel: (name) =>
      session.sendDeletion(
        "sagemaker:DeleteModel",
        `model ${name}`,
        region,
        () => client.send(new DeleteModelCommand({ ModelName: name }), options),
      ),
    createEndpointConfiguration: (input) =>
      session.sendCreation(
        "sagemaker:CreateEndpointConfig",
        undefined,
        region,
        () => client.send(new CreateEndpointConfigCommand(input), options),
      ),
    async describeEndpointConfiguration(name) {
      const { $metadata, ...details } = await session.send(
        "sagemaker:DescribeEndpointConfig",
        `endpoint configuration ${name}`,
        region,
        () => client.send(new DescribeEndpointConfigCommand({ EndpointConfigName: name }), options),
      );
      if (!details.EndpointConfigName) throw strangeAnswer($metadata.httpStatusCode);
      return details;
    },
    createEndpoint: (input) =>
      session.sendCreation(
        "sagemaker:CreateEndpoint",
        undefined,
        region,
        () => client.send(new CreateEndpointCommand(input), options),
      ),
    updateEndpoint: (input) =>
      session.sendChange(
        "sagemaker:UpdateEndpoint",
        undefined,
        region,
        () => client.send(new UpdateEndpointCommand(input), options),
      ),
    async tagsOf(arn) {
      const pages = pagesOf("tags", async (token) => {
        const { Tags, NextToken, $metadata } = await session.send(
          "sagemaker:ListTags",
          undefined,
          region,
          () => client.send(new ListTagsCommand({ ResourceArn: arn, NextToken: token }), options),
        );
        if (!Array.isArray(Tags)) throw strangeAnswer($metadata.httpStatusCode);
        return { items: Tags, token: NextToken };
      });
      const tags = (await Array.fromAsync(pages)).flat();
      return Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value]));
    },
    async addTags(arn, tags) {
      const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
      await session.send(
        "sagemaker:AddTags",
        undefined,
        region,
        () => client.send(new AddTagsCommand({ ResourceArn: arn, Tags }), options),
      );
    },
  };
}
