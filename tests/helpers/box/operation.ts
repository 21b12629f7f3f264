/**
 * What a request asks for, in each service's protocol.
 *
 * @module
 */

import { invocationOf } from "./endpoints/rest.ts";
import { s3Operation } from "./s3_operation.ts";
import { type BoxRequest, type ServiceName, Unexpected } from "./service.ts";

/** How each JSON service names its operations in `X-Amz-Target`. */
const TARGETS: Partial<Record<ServiceName, string>> = {
  ecr: "AmazonEC2ContainerRegistry_V20150921",
  sagemaker: "SageMaker",
  logs: "Logs_20140328",
};

/** The names of all services. */
const SERVICES: readonly ServiceName[] = ["s3", "sts", "ecr", "sagemaker", "logs"];

/** The service that a signature is for. */
export function serviceOf(scope: string): ServiceName {
  const service = SERVICES.find((name) => name === scope);
  if (!service) throw new Unexpected(`Not expected: a request to ${scope}`);
  return service;
}

/** The operation and its input. @throws Unexpected */
export function operationOf(
  service: ServiceName,
  method: string,
  url: URL,
  target: string,
  headers: Headers,
  body: Uint8Array,
): Pick<BoxRequest, "operation" | "input"> {
  if (service === "s3") return s3Operation(method, target);
  const isSageMaker = service === "sagemaker" && method === "POST";
  const invocation = isSageMaker ? invocationOf(url.pathname, headers, body) : undefined;
  if (invocation) return invocation;
  if (method !== "POST" || url.pathname !== "/") {
    throw new Unexpected(`Not expected: ${method} ${target}`);
  }
  const text = new TextDecoder().decode(body);
  if (service === "sts") {
    const input = Object.fromEntries(new URLSearchParams(text));
    return { operation: input.Action ?? "", input };
  }
  const [prefix, operation] = (headers.get("x-amz-target") ?? "").split(".");
  if (prefix !== TARGETS[service] || !operation) {
    throw new Unexpected(`Not expected: ${headers.get("x-amz-target")} to ${service}`);
  }
  return { operation, input: JSON.parse(text) };
}
