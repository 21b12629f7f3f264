import type { Endpoint } from "./endpoint.ts";
import type {
  Deployment,
  EndpointConfiguration,
  Model,
  Request,
  Resource,
  Variant,
} from "./resource.ts";

/** DescribeModel */
export function describeModel(model: Model): unknown {
  const { Tags: _tags, ...request } = model.request;
  return {
    EnableNetworkIsolation: false,
    ...request,
    ModelName: model.name,
    ModelArn: model.arn,
    CreationTime: model.creationTime,
  };
}

/** DescribeEndpointConfig */
export function describeConfiguration(configuration: EndpointConfiguration): unknown {
  const { Tags: _tags, ...request } = configuration.request;
  return {
    ...request,
    EndpointConfigName: configuration.name,
    EndpointConfigArn: configuration.arn,
    CreationTime: configuration.creationTime,
  };
}

/**
 * DescribeEndpoint. While it is being created or updated, what is to be served stands in
 * `PendingDeploymentSummary`, and the old configuration's name where it always is.
 */
export function describeEndpoint(endpoint: Endpoint): unknown {
  const { current, status } = endpoint;
  const { AsyncInferenceConfig, ShadowProductionVariants } = current.configuration.request;
  const isNew = status === "Creating";
  const pending = isNew ? current : endpoint.pending;
  return {
    EndpointName: endpoint.name,
    EndpointArn: endpoint.arn,
    EndpointConfigName: current.configuration.name,
    ...(isNew ? {} : { ProductionVariants: current.variants.map(summaryOf) }),
    ...(current.dataCapture ? { DataCaptureConfig: captureOf(current.dataCapture, isNew) } : {}),
    EndpointStatus: status,
    FailureReason: endpoint.failureReason,
    CreationTime: endpoint.creationTime,
    LastModifiedTime: endpoint.lastModified,
    AsyncInferenceConfig,
    ShadowProductionVariants: ShadowProductionVariants?.map((one: Request) => ({
      VariantName: one.VariantName,
      DesiredWeight: one.InitialVariantWeight,
      DesiredInstanceCount: one.InitialInstanceCount,
    })),
    ...(pending ? { PendingDeploymentSummary: pendingSummary(pending, isNew) } : {}),
  };
}

function pendingSummary({ configuration, variants, startTime }: Deployment, isNew: boolean) {
  return {
    EndpointConfigName: configuration.name,
    ProductionVariants: variants.map((variant) => ({
      ...summaryOf(variant),
      InstanceType: variant.request.InstanceType,
      VariantStatus: [{ Status: isNew ? "Creating" : "Updating", StartTime: startTime }],
    })),
    StartTime: startTime,
  };
}

function summaryOf(variant: Variant): Request {
  const { request, model, image, resolutionTime } = variant;
  return {
    VariantName: variant.name,
    DeployedImages: [{
      SpecifiedImage: model.container.Image,
      ResolvedImage: image,
      ResolutionTime: resolutionTime,
    }],
    CurrentWeight: variant.currentWeight,
    DesiredWeight: variant.desiredWeight,
    ...(variant.isServerless
      ? {
        CurrentInstanceCount: 0,
        CurrentServerlessConfig: request.ServerlessConfig,
        DesiredServerlessConfig: request.ServerlessConfig,
      }
      : {
        CurrentInstanceCount: variant.currentCount,
        DesiredInstanceCount: variant.desiredCount,
      }),
    RoutingConfig: request.RoutingConfig,
  };
}

function captureOf(capture: Request, isNew: boolean): Request {
  const isOn = capture.EnableCapture === true;
  return {
    EnableCapture: isOn,
    CaptureStatus: isOn && !isNew ? "Started" : "Stopped",
    CurrentSamplingPercentage: capture.InitialSamplingPercentage,
    DestinationS3Uri: capture.DestinationS3Uri,
    KmsKeyId: capture.KmsKeyId ?? "",
  };
}

/** ListModels */
export function listModels(all: Iterable<Model>, input: Request): unknown {
  const { page, more } = pageOf(all, input);
  return {
    Models: page.map((model) => ({
      ModelName: model.name,
      ModelArn: model.arn,
      CreationTime: model.creationTime,
    })),
    ...more,
  };
}

/** ListEndpoints */
export function listEndpoints(all: Iterable<Endpoint>, input: Request): unknown {
  const { StatusEquals } = input;
  const wanted = [...all].filter(({ status }) =>
    StatusEquals === undefined || status === StatusEquals
  );
  const { page, more } = pageOf(wanted, input);
  return {
    Endpoints: page.map((endpoint) => ({
      EndpointName: endpoint.name,
      EndpointArn: endpoint.arn,
      CreationTime: endpoint.creationTime,
      LastModifiedTime: endpoint.lastModified,
      EndpointStatus: endpoint.status,
    })),
    ...more,
  };
}

/** The newest is first. */
function pageOf<T extends Resource>(all: Iterable<T>, input: Request) {
  const { MaxResults = 10, NextToken, NameContains = "" } = input;
  const found = [...all]
    .filter(({ name }) => name.toLowerCase().includes(NameContains.toLowerCase()))
    .sort((one, other) => other.creationTime - one.creationTime);
  const start = NextToken === undefined ? 0 : Number(/^page-(\d+)$/.exec(NextToken)?.[1]);
  const end = start + MaxResults;
  const more = end < found.length ? { NextToken: `page-${end}` } : {};
  return { page: found.slice(start, end), more };
}
