import { messageOf } from "../errors.ts";
import { ConnectionError } from "./connection_error.ts";
import { AwsError, type Refusal } from "./errors.ts";
import type { Secrets } from "./secrets.ts";
import type { Setting } from "../setting.ts";
import { type AwsSettings, regionWords } from "./settings.ts";
import { sentences, shellWord } from "../text.ts";

export interface Request {
  /** The permission's name: `sagemaker:ListEndpoints`. */
  readonly action: string;
  /** What it was about, for messages: `endpoint churn`. */
  readonly subject?: string;
  readonly region: Setting<string> | undefined;
  readonly settings: AwsSettings;
}

/** What the SDK's errors may have. */
interface SdkError {
  readonly name?: string;
  readonly $metadata?: {
    readonly httpStatusCode?: number;
    readonly attempts?: number;
  };
}

/** Whether the service refused because the credentials have expired. */
export function isExpiry(error: unknown): boolean {
  const { name = "" } = (error ?? {}) as SdkError;
  return Object.hasOwn(CODES, name) && CODES[name] === expired;
}

type Explain = (request: Request, error: unknown) => AwsError;

/** A refusal in the service's words. */
const refused = (refusal: Refusal, hint?: string): Explain => ({ action }, error) =>
  new AwsError(refusal, `${action} was refused: ${messageOf(error)}`, { hint });

const inUse = refused("in use", "Choose another name");
const quotaReached = refused(
  "quota",
  "Request a higher quota under Service Quotas in the AWS console, or use another --ec2-type. In a " +
    "new account, many quotas are 0.",
);

/** Error codes of SageMaker (`...Exception`), ECR, STS and S3: the same things have several names. */
const CODES: Readonly<Record<string, Explain>> = {
  AccessDeniedException: denied,
  AccessDenied: denied,
  ThrottlingException: throttled,
  Throttling: throttled,
  TooManyRequestsException: throttled,
  RequestLimitExceeded: throttled,
  ExpiredTokenException: expired,
  ExpiredToken: expired,
  UnrecognizedClientException: unknownKey,
  InvalidClientTokenId: unknownKey,
  InvalidSignatureException: wrongSignature,
  SignatureDoesNotMatch: wrongSignature,
  RequestExpired: wrongClock,
  RequestTimeTooSkewed: wrongClock,
  ResourceNotFound: notThere,
  ResourceNotFoundException: notThere,
  RepositoryNotFoundException: notThere,
  ImageNotFoundException: notThere,
  ResourceInUse: inUse,
  RepositoryAlreadyExistsException: inUse,
  ImageAlreadyExistsException: refused("there already"),
  ImageTagAlreadyExistsException: inUse,
  ResourceLimitExceeded: quotaReached,
  RequestInTheFuture: wrongClock,
  RegionDisabledException: regionDisabled,
  OptInRequired: regionDisabled,
  // S3's own.
  SlowDown: throttled,
  InvalidAccessKeyId: unknownKey,
  InvalidToken: unknownKey,
  NoSuchBucket: notThere,
  NoSuchKey: notThere,
  NoSuchUpload: notThere,
  NotFound: notThere,
  PreconditionFailed: changed,
};

/** SageMaker answers these with one code, ValidationException; only the words tell them apart. */
const VALIDATION_WORDS: readonly (readonly [RegExp, Refusal])[] = [
  [/^Could not find (endpoint|endpoint configuration|model) ["']/, "not found"],
  // DescribeTrainingJob and DescribeProcessingJob, in this order.
  [/^Requested resource not found/, "not found"],
  [/^Could not find requested job with name/, "not found"],
  // The same from an emulator, moto.
  [/^Could not find (training|processing) job ["']/, "not found"],
  // InvokeEndpoint: there is none, or it is not in service.
  [/^Endpoint \S+ of account \S+ not found/, "not found"],
  [/^Cannot update in-progress endpoint /, "in progress"],
  // CreateModel, CreateEndpointConfig, CreateEndpoint.
  [/^Cannot create already existing /, "in use"],
  // UpdateEndpoint, where the endpoint has this configuration already.
  [/^Cannot update endpoint\b.* with the currently in use endpoint configuration/, "in use"],
];

/** Explains an error of a request, and hides secrets in it. An `AwsError` stays as it is. */
export function awsError(error: unknown, request: Request, secrets: Secrets): AwsError {
  if (error instanceof AwsError) return error;
  const explained = explain(error, request);
  return new AwsError(explained.refusal, secrets.redact(explained.message), {
    hint: explained.hint,
    quote: explained.quote && secrets.redact(explained.quote),
    cause: secrets.redactError(error),
  });
}

function explain(error: unknown, request: Request): AwsError {
  if (error instanceof ConnectionError) return unreachable(request, error);
  const { name = "", $metadata } = (error ?? {}) as SdkError;
  const known = Object.hasOwn(CODES, name) ? CODES[name] : undefined;
  if (known) return known(request, error);
  const status = $metadata?.httpStatusCode;
  // Only a proxy answers with this status.
  if (status === 407) return proxyWantsPassword("HTTP 407");
  // The second is SageMaker Runtime's.
  if (name === "ValidationException" || name === "ValidationError") return invalid(request, error);
  if (status !== undefined && status >= 500) return failed(request, status);
  if (isStrange(error, status)) return strangeAnswer({ $metadata: { httpStatusCode: status } });
  return new AwsError("other", `${request.action} failed: ${messageOf(error)}`, {
    hint: "To see details, set MLCLI_DEBUG=1",
  });
}

/** Whether an answer is not AWS's: unreadable, or a refusal without a reason. */
function isStrange(error: unknown, status: number | undefined): boolean {
  if (status === undefined) return false;
  const isRefusal = status >= 300;
  return !isRefusal || hasNoReason(error) || isUnreadable(error);
}

/** Whether the service gave no message: the SDK then says this. */
function hasNoReason(error: unknown): boolean {
  return ["", "UnknownError"].includes(messageOf(error));
}

/** Whether the SDK could not parse the answer as JSON or XML. */
function isUnreadable(error: unknown): boolean {
  return (error as Error).name === "SyntaxError" ||
    typeof error === "object" && error !== null && "$responseBodyText" in error;
}

/**
 * Words of a ValidationException about a permission. SageMaker: "... the IAM identity used to invoke
 * DeleteEndpoint does not have application-autoscaling:X permission"; Application Auto Scaling: "User is
 * missing the following permissions: [ecs:X]".
 */
const LACKS =
  /(?:does not have ([\w-]+:\w+) permission|missing the following permissions: \[?([\w-]+:\w+))/;

/** Returns the permission that the caller lacks; `undefined` if a role that SageMaker assumes lacks it. */
function lackedByCaller(words: string): string | undefined {
  const found = LACKS.exec(words);
  const before = words.slice(0, found?.index).replace(/arn:\S+/g, "");
  return found && !/\brole\b/i.test(before) ? found[1] ?? found[2] : undefined;
}

function denied({ action, settings }: Request, error: unknown): AwsError {
  // 'User: ARN is not authorized to perform: sagemaker:X on resource: ARN because ...'; S3 does not
  // always say who, and nothing at all to a HEAD.
  const words = messageOf(error);
  const named = /perform: ([\w-]+:\w+)/.exec(words)?.[1] ?? lackedByCaller(words) ?? action;
  const whom = settings.role
    ? `the role ${settings.role.value}`
    : /^User: /.test(words)
    ? "the user or role named above"
    : "your user or role. To see its name, run aws sts get-caller-identity";
  return new AwsError("denied", `AccessDeniedException: ${named}`, {
    hint: `Add the permission ${named} to ${whom}`,
    quote: hasNoReason(error) ? undefined : words,
  });
}

function throttled({ action }: Request, error: unknown): AwsError {
  const attempts = (error as SdkError).$metadata?.attempts ?? 1;
  const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  return new AwsError("throttled", `${action} was throttled (${times})`, {
    hint: "Try again in a minute, or set AWS_MAX_ATTEMPTS=10 to retry more often",
  });
}

function expired({ settings }: Request): AwsError {
  return new AwsError("credentials", "The AWS credentials have expired", {
    hint: renewal(settings),
  });
}

function unknownKey({ settings, region }: Request): AwsError {
  return new AwsError("credentials", "AWS rejected the access key", {
    hint: sentences(
      renewal(settings),
      `If the key is valid, the account might not have enabled ${regionWords(region)}.`,
    ),
  });
}

function wrongSignature(request: Request, error: unknown): AwsError {
  // 'Signature expired: TIME is now earlier than TIME', 'Signature not yet current: ...'
  if (/^Signature (expired|not yet current)/.test(messageOf(error))) {
    return wrongClock(request, error);
  }
  return new AwsError("credentials", "The AWS secret access key does not match the access key ID", {
    hint: sentences(renewal(request.settings), "Also check this machine's clock."),
  });
}

function wrongClock(_request: Request, error: unknown): AwsError {
  return new AwsError("credentials", "This machine's clock is wrong", {
    hint: "Set the clock, then try again. AWS rejects requests with a wrong time stamp.",
    quote: messageOf(error),
  });
}

function renewal({ profile, keys }: AwsSettings): string {
  if (keys === "used") {
    return "Set new values for AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or " +
      `unset them to use ${profile ? `profile "${profile.value}"` : "a profile"}`;
  }
  return profile
    ? `Renew the credentials of profile "${profile.value}": aws sso login --profile ${
      shellWord(profile.value)
    }, or aws configure --profile ${shellWord(profile.value)}`
    : "Run aws sso login or aws configure, or set new values for AWS_ACCESS_KEY_ID, " +
      "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN";
}

function regionDisabled({ region }: Request): AwsError {
  const what = region ? `Region ${region.value}` : "The profile's region";
  const message = `${what} is not enabled in this AWS account`;
  return new AwsError("credentials", message, {
    hint: `Enable it in the account's settings, or use a region other than ${regionWords(region)}`,
  });
}

const CHECK_CLOCK =
  "Check this machine's clock. If it is right, the host's operator must renew the certificate.";

function unreachable({ region }: Request, error: ConnectionError): AwsError {
  const { failure, host } = error;
  const quote = messageOf(error);
  const explained = (message: string, hint: string): AwsError =>
    new AwsError("unreachable", message, { hint, quote });
  const missed = `Cannot reach AWS at ${host}`;
  switch (failure) {
    case "certificate not trusted":
      return explained(
        `The certificate of ${host} is not trusted`,
        "If you use a proxy or an emulator, set AWS_CA_BUNDLE to a PEM file with its CA certificate",
      );
    case "certificate expired":
      return explained(`The certificate of ${host} has expired`, CHECK_CLOCK);
    case "certificate not valid yet":
      return explained(`The certificate of ${host} is not valid yet`, CHECK_CLOCK);
    case "certificate of another name":
      return explained(
        `The certificate of ${host} is for another host name`,
        "Check AWS_ENDPOINT_URL, the proxy and the network",
      );
    case "proxy wants a password":
      return proxyWantsPassword(quote);
    case "proxy refuses":
      return explained(
        `Cannot reach ${host} through the proxy`,
        "Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY. To bypass the proxy, add the host to NO_PROXY.",
      );
    case "no such host":
      return explained(
        missed,
        "Check the network, the proxy and AWS_ENDPOINT_URL. Also check that the region exists: " +
          regionWords(region),
      );
    case "no encryption":
      return explained(
        missed,
        "The server does not use TLS. Check the proxy and AWS_ENDPOINT_URL (http or https).",
      );
    case "refused":
    case "no route":
    case "broken off":
    case "time limit":
    case "other":
      return explained(
        missed,
        "Check the network, the proxy and AWS_ENDPOINT_URL, then try again",
      );
  }
}

function proxyWantsPassword(quote: string): AwsError {
  return new AwsError("unreachable", "The proxy requires a valid user name and password", {
    hint: "Set HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT. Percent-encode special characters.",
    quote,
  });
}

function invalid(request: Request, error: unknown): AwsError {
  const words = messageOf(error);
  if (lackedByCaller(words)) return denied(request, error);
  const refusal = VALIDATION_WORDS.find(([pattern]) => pattern.test(words))?.[1];
  if (refusal === "not found" && request.subject) return notThere(request, error);
  return new AwsError(refusal ?? "other", `${request.action} was refused: ${words}`, {
    hint: /:\w*Endpoint/.test(request.action)
      ? "Check the name and the options. To list the endpoints, run mlcli list-endpoints."
      // A transform's: issue 4777 of aws/sagemaker-python-sdk.
      : /doesn't support .* ModelDataSource/.test(words)
      ? "Pack the model (tar -czf model.tar.gz -C DIRECTORY .), upload the archive to S3, and use " +
        "it with --model s3://BUCKET/model.tar.gz"
      : "Check the options and the configuration file",
  });
}

function notThere({ action, subject, region }: Request, error: unknown): AwsError {
  if (!subject) return new AwsError("not found", `${action} failed: ${messageOf(error)}`);
  return new AwsError("not found", `ResourceNotFound: ${subject}`, {
    hint: action.startsWith("s3:")
      ? "Check the S3 URI"
      : `Check the name and the region: mlcli searched in ${regionWords(region)}`,
  });
}

function changed({ action, subject }: Request): AwsError {
  return new AwsError("changed", `${subject ?? action} changed while mlcli used it`, {
    hint: "Try again",
  });
}

function failed({ action }: Request, status: number): AwsError {
  return new AwsError("failed", `${action} failed: HTTP ${status}`, {
    hint: "Try again in a few minutes. Known outages are on https://health.aws.amazon.com.",
  });
}

export interface Answered {
  readonly $metadata: { readonly httpStatusCode?: number };
}

export function withoutMetadata<Answer extends Answered>(
  { $metadata: _, ...rest }: Answer,
): Omit<Answer, "$metadata"> {
  return rest;
}

/** The error for an answer that cannot be the service's. */
export function strangeAnswer({ $metadata: { httpStatusCode } }: Answered): AwsError {
  return new AwsError("failed", `The response did not come from AWS: HTTP ${httpStatusCode}`, {
    hint: "Check the proxy, the network (it might show a login page) and AWS_ENDPOINT_URL",
  });
}

/** The error for pages that go round in a circle. */
export function repeatedPage(what: string): AwsError {
  return new AwsError("failed", `AWS returned the same page of ${what} twice`, {
    hint: "Check AWS_ENDPOINT_URL: an emulator might not support pagination",
  });
}
