/**
 * Amazon SageMaker's endpoints and STS, as far as mlcli asks them, over HTTP with the real
 * protocols: JSON 1.1 and the query protocol, signatures checked. Nothing in it takes time:
 * endpoints change with the requests about them.
 *
 * @module
 */

import {
  ACCOUNT,
  arn,
  assumedRole,
  callerIdentity,
  couldNotFind,
  emptyAnswer,
  errorAnswer,
  invalid,
  jsonAnswer,
  type Refusal,
  REGION,
  stsError,
} from "./aws_answers.ts";
import {
  type Authorization,
  canonicalRequest,
  parseAuthorization,
  signatureOf,
  type SignedRequest,
} from "./sigv4.ts";

/** An access key that AWS knows. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly token?: string;
  /** Whose key it is, for the service's messages. */
  readonly user: string;
  readonly isExpired?: boolean;
}

/** The key of the tests' user; long enough to be taken for a secret. */
export const USER_KEY: AccessKey = {
  id: "AKIDUSERUSERUSERUSER",
  secret: "user-secret-that-nobody-may-see-00000001",
  user: `arn:aws:iam::${ACCOUNT}:user/jo`,
};

/** The environment of a program whose user has the key and asks at that address. */
export function environmentOf(url: string, key: AccessKey): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: url,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: key.id,
    AWS_SECRET_ACCESS_KEY: key.secret,
    ...(key.token ? { AWS_SESSION_TOKEN: key.token } : {}),
    AWS_EC2_METADATA_DISABLED: "true",
  };
}

export interface FakeEndpoint {
  readonly name: string;
  status: string;
  /** Epoch seconds, as the service sends them. */
  readonly creationTime: number;
  readonly configuration: string;
  readonly failureReason?: string;
  /** What the status becomes, one with each DescribeEndpoint; `undefined` is gone. */
  next: (string | undefined)[];
}

/** A request that was answered. */
export interface LoggedRequest {
  /** `ListEndpoints`, `AssumeRole`, ... */
  readonly operation: string;
  // deno-lint-ignore no-explicit-any
  readonly input: Record<string, any>;
  readonly authorization: Authorization;
  readonly userAgent: string;
}

type Answer = Response | undefined;

/** Steps in before a request is handled (`undefined`: go on), or after it. */
export type Interceptor = (request: LoggedRequest) => Answer | Promise<Answer>;

/** In these statuses the service refuses to delete. */
const IN_PROGRESS = ["Creating", "Updating", "SystemUpdating", "RollingBack", "Deleting"];

const STATUSES = [
  "Creating",
  "InService",
  "Updating",
  "SystemUpdating",
  "RollingBack",
  "Failed",
  "Deleting",
  "OutOfService",
  "UpdateRollbackFailed",
];

/** A SageMaker for one test. Close it with `await using`, which fails on unexpected requests. */
export class FakeAws implements AsyncDisposable {
  readonly endpoints = new Map<string, FakeEndpoint>();
  readonly configurations = new Set<string>();
  readonly keys = new Map<string, AccessKey>([[USER_KEY.id, USER_KEY]]);
  /** Roles that may be assumed. */
  readonly roles = new Set<string>();
  readonly requests: LoggedRequest[] = [];
  before: Interceptor = () => undefined;
  after: Interceptor = () => undefined;
  /** Times that an endpoint is described while it is being deleted. */
  deletionTakes = 0;
  /** Requests that were open at the same time, at most. */
  mostAtOnce = 0;
  /** Set where a test sends a signature of another secret on purpose. */
  expectsWrongSignature = false;
  #open = 0;
  readonly #problems: string[] = [];
  readonly #stop = new AbortController();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor() {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: this.#stop.signal },
      (request) => this.#serve(request),
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** The environment of a program whose user has the key and asks this server. */
  env(key: AccessKey = USER_KEY): Record<string, string> {
    return environmentOf(this.url, key);
  }

  /** Adds an endpoint and its configuration. */
  add(name: string, values: Partial<FakeEndpoint> = {}): FakeEndpoint {
    const endpoint: FakeEndpoint = {
      name,
      status: "InService",
      creationTime: 1_772_353_800.123,
      configuration: `${name}-config`,
      next: [],
      ...values,
    };
    this.endpoints.set(name, endpoint);
    this.configurations.add(endpoint.configuration);
    return endpoint;
  }

  /** Refuses an operation as IAM does, for all resources or those whose name the test accepts. */
  deny(operation: string, isDenied: (name: string) => boolean = () => true): void {
    const before = this.before;
    this.before = (request) => {
      const name = request.input.EndpointName ?? request.input.EndpointConfigName ?? "*";
      if (request.operation !== operation || !isDenied(name)) return before(request);
      return errorAnswer(this.denial(operation, name));
    };
  }

  /** IAM's words. */
  denial(operation: string, name: string): Refusal {
    const resource = name === "*" ? "*" : arn(name);
    return {
      code: "AccessDeniedException",
      message: `User: ${USER_KEY.user} is not authorized to perform: sagemaker:${operation} ` +
        `on resource: ${resource} because no identity-based policy allows the ` +
        `sagemaker:${operation} action`,
    };
  }

  /** Answers an operation with a refusal, always or so many times. */
  refuse(operation: string, refusal: Refusal, times = Infinity): void {
    let left = times;
    const before = this.before;
    this.before = (request) => {
      if (request.operation !== operation || left-- <= 0) return before(request);
      return errorAnswer(refusal);
    };
  }

  /** The operations that were asked for, in order. */
  get operations(): string[] {
    return this.requests.map(({ operation }) => operation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Not shutdown(): that waits for requests that a failed test holds.
    this.#stop.abort();
    await this.#server.finished;
    if (this.#problems.length > 0) throw new Error(this.#problems.join("\n"));
  }

  async #serve(request: Request): Promise<Response> {
    this.#open++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#open);
    try {
      return await this.#answer(request, await request.text());
    } catch (error) {
      return this.#problem(`The fake AWS failed: ${error}`);
    } finally {
      this.#open--;
    }
  }

  async #answer(request: Request, body: string): Promise<Response> {
    const { headers } = request;
    if (request.method !== "POST" || new URL(request.url).pathname !== "/") {
      return this.#problem(`Not expected: ${request.method} ${request.url}`);
    }
    const authorization = parseAuthorization(headers);
    if (!authorization) {
      return this.#problem(`Not signed: ${headers.get("authorization") ?? "no Authorization"}`);
    }
    const isSts = authorization.service === "sts";
    const refusal = this.#checkSignature(authorization, {
      method: request.method,
      target: "/",
      headers,
      body,
    });
    if (refusal) return isSts ? stsError(refusal) : errorAnswer(refusal);
    const input = isSts ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body);
    const logged: LoggedRequest = {
      operation: isSts ? input.Action : /^SageMaker\.(\w+)$/.exec(headers.get("x-amz-target")!)![1],
      input,
      authorization,
      userAgent: headers.get("user-agent") ?? "",
    };
    this.requests.push(logged);
    const early = await this.before(logged);
    if (early) return early;
    const answer = this.#handle(logged);
    return await this.after(logged) ?? answer;
  }

  #checkSignature(
    authorization: Authorization,
    request: SignedRequest,
  ): Refusal | undefined {
    const { headers } = request;
    const isSts = authorization.service === "sts";
    const key = this.keys.get(authorization.accessKeyId);
    if (!key || (headers.get("x-amz-security-token") ?? undefined) !== key.token) {
      return {
        code: isSts ? "InvalidClientTokenId" : "UnrecognizedClientException",
        message: "The security token included in the request is invalid.",
        status: isSts ? 403 : 400,
      };
    }
    if (signatureOf(authorization, key.secret, request) !== authorization.signature) {
      if (!this.expectsWrongSignature) this.#problems.push("A signature is wrong");
      // The service repeats the signed headers, the session token among them.
      const signed = canonicalRequest(authorization, request);
      return {
        code: isSts ? "SignatureDoesNotMatch" : "InvalidSignatureException",
        message: "The request signature we calculated does not match the signature you provided. " +
          `The Canonical String for this request should have been\n'${signed}'`,
        status: 403,
      };
    }
    if (!key.isExpired) return undefined;
    return {
      code: isSts ? "ExpiredToken" : "ExpiredTokenException",
      message: "The security token included in the request is expired",
      status: isSts ? 403 : 400,
    };
  }

  #handle(request: LoggedRequest): Response {
    const { operation, input } = request;
    switch (operation) {
      case "ListEndpoints":
        return this.#listEndpoints(input);
      case "DescribeEndpoint":
        return this.#describeEndpoint(input.EndpointName);
      case "DeleteEndpoint":
        return this.#deleteEndpoint(input.EndpointName);
      case "DeleteEndpointConfig":
        return this.#deleteConfiguration(input.EndpointConfigName);
      case "DescribeEndpointConfig":
        return this.#describeConfiguration(input.EndpointConfigName);
      case "DescribeModel":
        // No endpoint of these tests has one.
        return couldNotFind("model", arn(input.ModelName));
      case "GetCallerIdentity":
        return callerIdentity(this.keys.get(request.authorization.accessKeyId)!.user);
      case "AssumeRole":
        return this.#assumeRole(input.RoleArn, input.RoleSessionName);
      default:
        return this.#problem(`Not expected: ${operation}`);
    }
  }

  #listEndpoints(input: LoggedRequest["input"]): Response {
    const { MaxResults = 10, NextToken, StatusEquals, NameContains = "" } = input;
    if (MaxResults > 100) return invalid(`Value '${MaxResults}' at 'maxResults' is too large`);
    if (StatusEquals !== undefined && !STATUSES.includes(StatusEquals)) {
      return invalid(
        `1 validation error detected: Value '${StatusEquals}' at 'statusEquals' failed to satisfy ` +
          `constraint: Member must satisfy enum value set: [${STATUSES.join(", ")}]`,
      );
    }
    const start = NextToken === undefined ? 0 : Number(/^page-(\d+)$/.exec(NextToken)?.[1]);
    const found = [...this.endpoints.values()]
      .filter(({ status }) => StatusEquals === undefined || status === StatusEquals)
      .filter(({ name }) => name.includes(NameContains))
      .sort((one, other) => other.creationTime - one.creationTime);
    const end = start + MaxResults;
    return jsonAnswer({
      Endpoints: found.slice(start, end).map(({ name, status, creationTime }) => ({
        EndpointArn: arn(name),
        EndpointName: name,
        EndpointStatus: status,
        CreationTime: creationTime,
        LastModifiedTime: creationTime,
      })),
      ...(end < found.length ? { NextToken: `page-${end}` } : {}),
    });
  }

  #describeEndpoint(name: string): Response {
    const endpoint = this.endpoints.get(name);
    if (!endpoint) return couldNotFind("endpoint", arn(name));
    const answer = jsonAnswer({
      EndpointArn: arn(name),
      EndpointName: name,
      EndpointStatus: endpoint.status,
      EndpointConfigName: endpoint.configuration,
      CreationTime: endpoint.creationTime,
      LastModifiedTime: endpoint.creationTime,
      FailureReason: endpoint.failureReason,
    });
    if (endpoint.next.length > 0) {
      const next = endpoint.next.shift();
      if (next === undefined) this.endpoints.delete(name);
      else endpoint.status = next;
    }
    return answer;
  }

  #deleteEndpoint(name: string): Response {
    const endpoint = this.endpoints.get(name);
    if (!endpoint) return couldNotFind("endpoint", arn(name));
    if (IN_PROGRESS.includes(endpoint.status)) {
      return invalid(`Cannot update in-progress endpoint "${arn(name)}".`);
    }
    if (this.deletionTakes === 0) {
      this.endpoints.delete(name);
    } else {
      endpoint.status = "Deleting";
      endpoint.next = [...Array(this.deletionTakes - 1).fill("Deleting"), undefined];
    }
    return emptyAnswer();
  }

  #describeConfiguration(name: string): Response {
    if (!this.configurations.has(name)) return couldNotFind("endpoint configuration", arn(name));
    return jsonAnswer({
      EndpointConfigName: name,
      EndpointConfigArn: arn(name),
      CreationTime: 1_772_353_800.123,
      ProductionVariants: [],
    });
  }

  #deleteConfiguration(name: string): Response {
    // Not refused while endpoints use it: that is how the service is.
    if (!this.configurations.delete(name)) return couldNotFind("endpoint configuration", arn(name));
    return emptyAnswer();
  }

  #assumeRole(role: string, session: string): Response {
    if (!this.roles.has(role)) {
      return stsError({
        code: "AccessDenied",
        message: `User: ${USER_KEY.user} is not authorized to perform: sts:AssumeRole on ` +
          `resource: ${role}`,
        status: 403,
      });
    }
    const name = role.slice(role.lastIndexOf("/") + 1);
    const key: AccessKey = {
      id: "ASIAROLEROLEROLEROLE",
      secret: "role-secret-that-nobody-may-see-00000002",
      token: "role-token-that-nobody-may-see-000000003",
      user: `arn:aws:sts::${ACCOUNT}:assumed-role/${name}/${session}`,
    };
    this.keys.set(key.id, key);
    return assumedRole(key, session);
  }

  #problem(what: string): Response {
    this.#problems.push(what);
    return new Response(what, { status: 501 });
  }
}
