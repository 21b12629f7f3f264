/**
 * What is asked for of an endpoint, and what there is of it, as values: for what is computed of both.
 */

import type {
  EndpointConfigurationDetails,
  EndpointDescription,
  ModelDetails,
} from "../../runtime/aws/sagemaker.ts";
import type { DeployRequest } from "../../runtime/cloud/deploy/request.ts";
import type { Base, State } from "../../runtime/cloud/deploy/state.ts";
import { appObject } from "./app_object.ts";
import { endpointNamed } from "./endpoint_states.ts";
import { inFile } from "./settings.ts";

export const IMAGE = `123456789012.dkr.ecr.eu-west-1.amazonaws.com/churn@sha256:${"0a".repeat(32)}`;
export const ROLE = "arn:aws:iam::123456789012:role/path/serving";
export const ADDRESS = { bucket: "b", key: "m/model.tar.gz" };
export const MADE = new Date("2026-03-01T08:00:00Z");

/** A request that names the least, but for what a test gives. */
export function deployRequest(values: Partial<DeployRequest> = {}): DeployRequest {
  return {
    app: appObject("/apps", "churn"),
    dockerTag: "latest",
    repository: undefined,
    endpointName: inFile("shop"),
    model: inFile({ address: ADDRESS }),
    run: undefined,
    ec2Type: undefined,
    instanceCount: undefined,
    memorySizeInMb: undefined,
    maxConcurrency: undefined,
    healthCheckTimeout: undefined,
    code: undefined,
    repack: false,
    inferenceAmiVersion: undefined,
    executionRole: undefined,
    region: undefined,
    profile: undefined,
    iamRoleArn: { value: ROLE, from: "variable", where: "PLATFORM_ROLE" },
    variables: {},
    tags: {},
    subnet: [],
    securityGroup: [],
    kmsKey: undefined,
    dataCapture: undefined,
    canary: undefined,
    alarm: [],
    dryRun: false,
    yes: false,
    wait: true,
    timeout: 3600,
    ...values,
  };
}

export const NOTHING: State = {
  endpoint: "shop",
  description: undefined,
  base: undefined,
  parts: [],
};

type Variant = NonNullable<EndpointConfigurationDetails["ProductionVariants"]>[number];

/** What an endpoint has that serves. */
export interface Served {
  readonly description?: Partial<EndpointDescription>;
  readonly variant?: Partial<Variant>;
  readonly container?: ModelDetails["PrimaryContainer"];
  readonly model?: Partial<ModelDetails>;
  readonly configuration?: Partial<EndpointConfigurationDetails>;
  readonly base?: Partial<Base>;
}

/** There is an endpoint, as the platform describes it, with what mlcli made. */
export function served(
  { description, variant, container, model, configuration, base }: Served = {},
): State {
  const details: ModelDetails = {
    ModelName: "shop-mlcli",
    ModelArn: "arn:aws:sagemaker:eu-west-1:123456789012:model/shop-mlcli",
    CreationTime: MADE,
    ExecutionRoleArn: ROLE,
    PrimaryContainer: {
      Image: IMAGE,
      Mode: "SingleModel",
      ModelDataUrl: "s3://b/m/model.tar.gz",
      ModelDataSource: {
        S3DataSource: {
          S3Uri: "s3://b/m/model.tar.gz",
          S3DataType: "S3Object",
          CompressionType: "Gzip",
        },
      },
      ...container,
    },
    EnableNetworkIsolation: false,
    ...model,
  };
  const configurationDetails: EndpointConfigurationDetails = {
    EndpointConfigName: "shop-config",
    EndpointConfigArn: "arn:aws:sagemaker:eu-west-1:123456789012:endpoint-config/shop-config",
    CreationTime: MADE,
    ProductionVariants: [{
      VariantName: "AllTraffic",
      ModelName: details.ModelName!,
      InstanceType: "ml.m5.large",
      InitialInstanceCount: 1,
      InitialVariantWeight: 1,
      ...variant,
    }],
    EnableNetworkIsolation: false,
    ...configuration,
  };
  return {
    endpoint: "shop",
    description: endpointNamed("shop", description),
    base: {
      name: configurationDetails.EndpointConfigName!,
      configuration: configurationDetails,
      model: details,
      models: [details.ModelName!],
      tags: {},
      ...base,
    },
    parts: [
      { kind: "configuration", name: "shop-config", created: MADE, isOurs: true },
      { kind: "model", name: "shop-mlcli", created: MADE, isOurs: true },
    ],
  };
}
