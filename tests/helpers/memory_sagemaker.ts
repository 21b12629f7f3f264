/**
 * A SageMaker in memory, for tests of what is done with one.
 *
 * @module
 */

import { AwsError } from "../../runtime/aws/errors.ts";
import type { EndpointDescription, SageMaker } from "../../runtime/aws/sagemaker.ts";

/** An endpoint with everything filled in. */
export function endpointNamed(
  name: string,
  values: Partial<EndpointDescription> = {},
): EndpointDescription {
  return {
    name,
    status: "InService",
    creationTime: new Date("2026-03-01T08:30:00.123Z"),
    arn: `arn:aws:sagemaker:eu-west-1:123456789012:endpoint/${name}`,
    configuration: `${name}-config`,
    pendingConfiguration: undefined,
    variants: [{ name: "AllTraffic", currentCount: 1, desiredCount: 1 }],
    lastModifiedTime: undefined,
    failureReason: undefined,
    account: "123456789012",
    ...values,
  };
}

/** What a description of an endpoint finds. */
export type EndpointState = EndpointDescription | AwsError | undefined;

/**
 * A SageMaker that has these endpoints. Each description takes the next of the endpoint's states;
 * the last one stays, `undefined` is gone, an error is thrown.
 */
export function memorySageMaker(
  states: Readonly<Record<string, readonly EndpointState[]>> = {},
): SageMaker {
  const left = new Map(Object.entries(states).map(([name, list]) => [name, [...list]]));
  return {
    region: { value: "eu-west-1", source: "AWS_REGION" },
    async *listEndpoints() {
      await Promise.resolve();
      yield [...left.values()].flatMap(([first]) =>
        first === undefined || first instanceof AwsError ? [] : first
      );
    },
    describeEndpoint(name) {
      const list = left.get(name) ?? [];
      const current = list.length > 1 ? list.shift() : list[0];
      if (current instanceof AwsError) return Promise.reject(current);
      return current ? Promise.resolve(current) : Promise.reject(notFound(name));
    },
    deleteEndpoint: () => Promise.resolve(),
    deleteEndpointConfiguration: () => Promise.resolve(),
    createModel: noJobs,
    describeModel: (name) => Promise.reject(notFound(name, "model")),
    deleteModel: noJobs,
    createEndpointConfiguration: noJobs,
    describeEndpointConfiguration: (name) =>
      Promise.reject(notFound(name, "endpoint configuration")),
    createEndpoint: noJobs,
    updateEndpoint: noJobs,
    tagsOf: noJobs,
    addTags: noJobs,
    createTrainingJob: noJobs,
    createProcessingJob: noJobs,
    describeTrainingJob: noJobs,
    describeProcessingJob: noJobs,
    listTrainingJobs: noJobs,
    listProcessingJobs: noJobs,
    stopTrainingJob: noJobs,
    stopProcessingJob: noJobs,
  };
}

/** Describes an endpoint configuration of that name, which names no model; otherwise as another. */
export function configured(
  known: string,
  other: Pick<SageMaker, "describeEndpointConfiguration">,
): SageMaker["describeEndpointConfiguration"] {
  return (name) =>
    name === known
      ? Promise.resolve({
        EndpointConfigName: name,
        EndpointConfigArn: undefined,
        ProductionVariants: undefined,
        CreationTime: undefined,
      })
      : other.describeEndpointConfiguration(name);
}

function notFound(name: string, what = "endpoint"): AwsError {
  return new AwsError("not found", `ResourceNotFound: ${what} ${name}`);
}

function noJobs(): never {
  throw new Error("This one has endpoints alone");
}
