import type { Aws } from "../../runtime/aws/aws.ts";
import type { EndpointDescription } from "../../runtime/aws/sagemaker.ts";
import { errorAnswer, jsonAnswer } from "./box/answers.ts";
import { Box } from "./box/box.ts";
import { arnOf } from "./box/endpoints/resource.ts";
import { Refused } from "./box/service.ts";
import { openCloud } from "./in_process.ts";

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

/** What a description of an endpoint finds: `undefined` is gone. */
export type EndpointState = EndpointDescription | Refused | "unreachable" | undefined;

/**
 * Asks a platform on which each description of an endpoint finds the next of these states; the last
 * one stays.
 */
export async function withStates<T>(
  states: readonly EndpointState[],
  work: (aws: Aws) => Promise<T>,
): Promise<T> {
  await using box = await Box.open();
  const left = [...states];
  let current: EndpointState;
  box.faults.losesRequest = ({ operation }) => {
    if (operation === "DescribeEndpoint") current = left.length > 1 ? left.shift() : left[0];
    return current === "unreachable";
  };
  box.faults.before = ({ operation, input }) => {
    if (operation !== "DescribeEndpoint") return undefined;
    if (current instanceof Refused) return errorAnswer(current);
    if (typeof current === "object") return described(current);
    const message = `Could not find endpoint "${arnOf("endpoint", input.EndpointName)}".`;
    return errorAnswer({ code: "ValidationException", message });
  };
  // A broken connection is not tried again, and throttling slows nothing down.
  box.faults.closeConnections();
  const once = { AWS_MAX_ATTEMPTS: "1", AWS_RETRY_MODE: "standard" };
  using cloud = await openCloud({ ...box.env(), ...once });
  return await work(cloud.aws);
}

function described(endpoint: EndpointDescription): Response {
  const { name, arn, status, configuration, pendingConfiguration, failureReason } = endpoint;
  return jsonAnswer({
    EndpointName: name,
    EndpointArn: arn,
    EndpointStatus: status,
    EndpointConfigName: configuration,
    CreationTime: endpoint.creationTime.getTime() / 1_000,
    FailureReason: failureReason,
    ...pendingConfiguration &&
      { PendingDeploymentSummary: { EndpointConfigName: pendingConfiguration } },
  });
}
