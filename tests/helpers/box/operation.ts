/** What a request asks for, in the protocol of each service. */

import { decoded } from "../sigv4.ts";
import { invocationOf } from "./endpoints/rest.ts";
import { type BoxRequest, type ServiceName, Unexpected } from "./service.ts";

/** Method, whether there is a key, and a field that the query must have. */
type Route = readonly [
  operation: string,
  method: string,
  on: "bucket" | "key",
  by?: string,
];

/** The first that fits. */
const ROUTES: readonly Route[] = [
  ["ListMultipartUploads", "GET", "bucket", "uploads"],
  ["ListObjectsV2", "GET", "bucket", "list-type"],
  ["DeleteObjects", "POST", "bucket", "delete"],
  ["HeadBucket", "HEAD", "bucket"],
  ["UploadPart", "PUT", "key", "uploadId"],
  ["AbortMultipartUpload", "DELETE", "key", "uploadId"],
  ["CompleteMultipartUpload", "POST", "key", "uploadId"],
  ["CreateMultipartUpload", "POST", "key", "uploads"],
  ["GetObject", "GET", "key"],
  ["HeadObject", "HEAD", "key"],
  ["PutObject", "PUT", "key"],
  ["DeleteObject", "DELETE", "key"],
];

/** Fields of a query that say no more than which operation it is, or which client. */
const IGNORED = ["x-id"];

/** What of the query each operation knows. Others would be a feature that the box has not. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  ListObjectsV2: [
    ...["list-type", "prefix", "max-keys", "continuation-token", "encoding-type"],
  ],
  ListMultipartUploads: [
    ...["uploads", "prefix", "max-uploads", "key-marker", "upload-id-marker", "encoding-type"],
  ],
  DeleteObjects: ["delete"],
  UploadPart: ["uploadId", "partNumber"],
  AbortMultipartUpload: ["uploadId"],
  CompleteMultipartUpload: ["uploadId"],
  CreateMultipartUpload: ["uploads"],
};

/** The operation; the input is `Bucket`, `Key` and the query's fields by their names there. */
export function s3Operation(
  method: string,
  target: string,
): Pick<BoxRequest, "operation" | "input"> {
  const [path = "", query = ""] = target.split("?", 2);
  const [, bucket = "", ...rest] = path.split("/");
  const key = decoded(rest.join("/"));
  const fields = Object.fromEntries(
    query.split("&").filter((pair) => pair !== "").map((pair) => {
      const [name = "", ...value] = pair.split("=");
      // In S3's queries a plus is a space, as in forms; the SDKs write %20 and %2B.
      return [decoded(name), decoded(value.join("=").replaceAll("+", " "))];
    }).filter(([name]) => !IGNORED.includes(name!)),
  );
  const on = key === "" ? "bucket" : "key";
  const route = ROUTES.find(([, ofMethod, of, by]) =>
    ofMethod === method && of === on && (by === undefined || by in fields)
  );
  const operation = route?.[0];
  const unknown = Object.keys(fields).find((name) => !KNOWN[operation ?? ""]?.includes(name));
  if (!operation || unknown !== undefined) {
    throw new Unexpected(`Not expected: ${method} ${target}`);
  }
  return { operation, input: { Bucket: bucket, Key: key, ...fields } };
}

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
