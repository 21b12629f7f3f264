import { assert, assertEquals } from "@std/assert";
import { ConnectionError, type ConnectionFailure } from "../../../runtime/aws/connection_error.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { awsError, type Request, strangeAnswer } from "../../../runtime/aws/explanations.ts";
import { Secrets } from "../../../runtime/aws/secrets.ts";
import { typed } from "../../helpers/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROLE = "arn:aws:iam::123456789012:role/ml";
const SECRET = "s3cr3t/".repeat(6);

interface Options {
  readonly region?: string;
  readonly profile?: string;
  readonly keys?: "used" | "overruled";
  readonly role?: string;
  readonly subject?: string;
}

function requestFor({ subject, ...named }: Options): Request {
  const setting = (value?: string) => value === undefined ? undefined : typed(value);
  const region = setting(named.region);
  const { keys } = named;
  const settings = { region, profile: setting(named.profile), keys, role: setting(named.role) };
  return { action: "sagemaker:ListEndpoints", subject, region, settings };
}

/** An error as the SDK throws it. */
function sdkError(
  name: string,
  message: string,
  metadata?: { readonly httpStatusCode?: number; readonly attempts?: number },
): Error {
  return Object.assign(new Error(message), { name, ...(metadata && { $metadata: metadata }) });
}

const secrets = new Secrets((name) => name === "AWS_SECRET_ACCESS_KEY" ? SECRET : undefined);

/** What the user reads of it: why, the message, the quote, and the hint. */
function explained(error: unknown, options: Options = {}): readonly (string | undefined)[] {
  const { refusal, message, quote, hint } = awsError(error, requestFor(options), secrets);
  return [refusal, message, quote, hint];
}

const NO_ACCESS = "User: arn:aws:sts::1:user/jo is not authorized to perform: " +
  "sagemaker:DescribeEndpoint on resource: arn:aws:sagemaker:eu-west-1:1:endpoint/churn";
const THROTTLED_HINT = "Try again in a minute, or set AWS_MAX_ATTEMPTS=10 to retry more often";
const RENEW = "Run aws sso login or aws configure, or set new values for AWS_ACCESS_KEY_ID, " +
  "AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN";
const RENEW_PROFILE = 'Renew the credentials of profile "work": aws sso login --profile work, ' +
  "or aws configure --profile work";
const RENEW_KEYS = "Set new values for AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and " +
  "AWS_SESSION_TOKEN, or unset them to use";
const CLOCK = "This machine's clock is wrong";
const SET_CLOCK = "Set the clock, then try again. AWS rejects requests with a wrong time stamp.";

/** Each code, what the service says with it, and what the user reads. */
const CODES: readonly (readonly [
  codes: readonly string[],
  words: string,
  options: Options,
  expected: readonly (string | undefined)[],
])[] = [
  [["AccessDeniedException", "AccessDenied"], NO_ACCESS, {}, [
    "denied",
    "AccessDeniedException: sagemaker:DescribeEndpoint",
    NO_ACCESS,
    "Add the permission sagemaker:DescribeEndpoint to the user or role named above",
  ]],
  [["AccessDeniedException"], "No", { role: ROLE }, [
    "denied",
    "AccessDeniedException: sagemaker:ListEndpoints",
    "No",
    `Add the permission sagemaker:ListEndpoints to the role ${ROLE}`,
  ]],
  [
    ["ThrottlingException", "Throttling", "TooManyRequestsException", "RequestLimitExceeded"],
    "Rate exceeded",
    {},
    ["throttled", "sagemaker:ListEndpoints was throttled (1 attempt)", undefined, THROTTLED_HINT],
  ],
  [["ExpiredTokenException", "ExpiredToken"], "Expired", {}, [
    ...["credentials", "The AWS credentials have expired", undefined, RENEW],
  ]],
  ...[{ profile: "work" }, { profile: "work", keys: "overruled" }].map((options) =>
    [
      ["ExpiredToken"],
      "Expired",
      options as Options,
      ["credentials", "The AWS credentials have expired", undefined, RENEW_PROFILE],
    ] as const
  ),
  // https://github.com/mmmorris1975/aws-runas/issues/22: a profile would work, old keys are used.
  [["ExpiredToken"], "Expired", { profile: "work", keys: "used" }, [
    ...[
      "credentials",
      "The AWS credentials have expired",
      undefined,
      `${RENEW_KEYS} profile "work"`,
    ],
  ]],
  [["ExpiredToken"], "Expired", { keys: "used" }, [
    ...["credentials", "The AWS credentials have expired", undefined, `${RENEW_KEYS} a profile`],
  ]],
  [["UnrecognizedClientException", "InvalidClientTokenId"], "Invalid", { region: "af-south-1" }, [
    "credentials",
    "AWS rejected the access key",
    undefined,
    `${RENEW}. If the key is valid, the account might not have enabled af-south-1 (--x).`,
  ]],
  [["InvalidSignatureException", "SignatureDoesNotMatch"], "The request signature", {}, [
    "credentials",
    "The AWS secret access key does not match the access key ID",
    undefined,
    `${RENEW}. Also check this machine's clock.`,
  ]],
  ...["Signature expired: 1 is now earlier", "Signature not yet current: 1"].map((words) =>
    [
      ["InvalidSignatureException", "SignatureDoesNotMatch"],
      words,
      {},
      ["credentials", CLOCK, words, SET_CLOCK],
    ] as const
  ),
  [["InvalidSignatureException"], "No Signature expired", { profile: "work" }, [
    "credentials",
    "The AWS secret access key does not match the access key ID",
    undefined,
    `${RENEW_PROFILE}. Also check this machine's clock.`,
  ]],
  [["RequestExpired", "RequestTimeTooSkewed", "RequestInTheFuture"], "Too late", {}, [
    ...["credentials", CLOCK, "Too late", SET_CLOCK],
  ]],
  [["RegionDisabledException", "OptInRequired"], "Disabled", {}, [
    "credentials",
    "The profile's region is not enabled in this AWS account",
    undefined,
    "Enable it in the account's settings, or use a region other than the profile's region",
  ]],
];

const NOT_FOUND = 'Could not find endpoint "arn:aws:sagemaker:eu-west-1:1:endpoint/churn".';
const NO_CONFIGURATION = "Could not find endpoint configuration 'churn-config'.";
const IN_PROGRESS = 'Cannot update in-progress endpoint "arn:aws:sagemaker:::endpoint/churn".';
const LOOK = "Check the name and the options. To list the endpoints, run mlcli list-endpoints.";
const LOOK_IN = "Check the name and the region: mlcli searched in eu-west-1 (--x)";

/** The words of a ValidationException. */
const VALIDATION: readonly (readonly [
  words: string,
  subject: string | undefined,
  refusal: string,
  message: string,
])[] = [
  [NOT_FOUND, "endpoint churn", "not found", "ResourceNotFound: endpoint churn"],
  [NO_CONFIGURATION, "it", "not found", "ResourceNotFound: it"],
  [NOT_FOUND, undefined, "not found", `sagemaker:ListEndpoints was refused: ${NOT_FOUND}`],
  [IN_PROGRESS, "it", "in progress", `sagemaker:ListEndpoints was refused: ${IN_PROGRESS}`],
  // DescribeTrainingJob, DescribeProcessingJob, and an emulator for both.
  ...[
    "Requested resource not found.",
    "Could not find requested job with name: churn",
    "Could not find training job 'arn:aws:sagemaker:eu-west-1:123456789012:training-job/churn'.",
    "Could not find processing job 'arn'.",
  ].map((words) => [words, "job churn", "not found", "ResourceNotFound: job churn"] as const),
  ...[
    'Could not find project "m".',
    "Could not find endpoint churn",
    `x ${NOT_FOUND}`,
    `x ${IN_PROGRESS}`,
    "1 validation error detected",
  ].map((words) =>
    [words, "it", "other", `sagemaker:ListEndpoints was refused: ${words}`] as const
  ),
];

/** Words of a ValidationException about a permission that the caller lacks. */
const LACKED: readonly (readonly [words: string, permission: string])[] = [
  // https://github.com/awslabs/stable-diffusion-aws-extension/issues/161
  [
    "An Application AutoScaling scalable target exists for a variant being deleted, and the IAM " +
    "identity used to invoke DeleteEndpoint does not have " +
    "application-autoscaling:DeregisterScalableTarget permission to deregister the scalable target.",
    "application-autoscaling:DeregisterScalableTarget",
  ],
  [
    "User: arn:aws:sts::1:assumed-role/team-role/jo does not have sagemaker:AddTags permission",
    "sagemaker:AddTags",
  ],
  // https://github.com/aws/aws-auto-scaling-custom-resource/issues/25
  [
    "User is missing the following permissions: execute-api:Invoke:PATCH, execute-api:Invoke:GET",
    "execute-api:Invoke",
  ],
  // https://github.com/awsdocs/aws-auto-scaling-user-guide/pull/3
  ["User is missing the following permissions: [ecs:UpdateService]", "ecs:UpdateService"],
];

/** Words of a ValidationException about a permission of a role or a repository: not the caller's. */
const LACKED_BY_OTHERS: readonly string[] = [
  "The container does not have http:8080 open",
  // https://github.com/aws/sagemaker-python-sdk/issues/2002
  "The role 'arn:aws:iam::1:role/test' does not have BatchGetImage permission for the image: 'a:1'.",
  'The execution role "arn:aws:iam::1:role/test" does not have s3:GetObject permission.',
  // https://github.com/aws/deep-learning-containers/issues/5657
  "The repository of your image a:1 does not grant ecr:GetDownloadUrlForLayer, ecr:BatchGetImage, " +
  "ecr:BatchCheckLayerAvailability permission to sagemaker.amazonaws.com service principal.",
  // https://github.com/aws/amazon-sagemaker-examples/issues/2267
  'No S3 objects found under S3 URL "s3://b/train/" given in input data source. Please ensure that ' +
  "the bucket exists in the selected region (us-west-2), that objects exist under that S3 prefix, " +
  'and that the role "arn:aws:iam::1:role/test" has "s3:ListBucket" permissions on bucket "b".',
  // https://github.com/philschmid/llm-sagemaker-sample/issues/2
  'Could not access model data at s3://b/model/. Please ensure that the role "arn:aws:iam::1:role/r" ' +
  'exists and that its trust relationship policy allows the action "sts:AssumeRole" for the service ' +
  'principal "sagemaker.amazonaws.com". Also ensure that the role has "s3:GetObject" permissions ' +
  "and that the object is located in eu-west-1.",
  // https://github.com/awslabs/predictive-maintenance-using-machine-learning/issues/3
  "Could not assume role arn:aws:iam::1:role/test. Please ensure that the role exists and allows " +
  "principal 'sagemaker.amazonaws.com' to assume the role.",
];

const REACH = "Cannot reach AWS at h.test:1";
const TRY = "Check the network, the proxy and AWS_ENDPOINT_URL, then try again";
const RENEW_HOST =
  "Check this machine's clock. If it is right, the host's operator must renew the certificate.";
const LOGIN = "Set HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT. Percent-encode special characters.";
const WANTS_LOGIN = "The proxy requires a valid user name and password";

const CONNECTIONS: Readonly<Record<ConnectionFailure, readonly [message: string, hint: string]>> = {
  "no such host": [
    REACH,
    "Check the network, the proxy and AWS_ENDPOINT_URL. Also check that the region exists: eu-west-1 (--x)",
  ],
  "refused": [REACH, TRY],
  "no route": [REACH, TRY],
  "broken off": [REACH, TRY],
  "time limit": [REACH, TRY],
  "other": [REACH, TRY],
  "certificate not trusted": [
    "The certificate of h.test:1 is not trusted",
    "If you use a proxy or an emulator, set AWS_CA_BUNDLE to a PEM file with its CA certificate",
  ],
  "certificate expired": ["The certificate of h.test:1 has expired", RENEW_HOST],
  "certificate not valid yet": ["The certificate of h.test:1 is not valid yet", RENEW_HOST],
  "certificate of another name": [
    "The certificate of h.test:1 is for another host name",
    "Check AWS_ENDPOINT_URL, the proxy and the network",
  ],
  "no encryption": [
    REACH,
    "The server does not use TLS. Check the proxy and AWS_ENDPOINT_URL (http or https).",
  ],
  "proxy wants a password": [WANTS_LOGIN, LOGIN],
  "proxy refuses": [
    "Cannot reach h.test:1 through the proxy",
    "Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY. To bypass the proxy, add the host to NO_PROXY.",
  ],
};

const failed = (status: number): readonly (string | undefined)[] => [
  "failed",
  `sagemaker:ListEndpoints failed: HTTP ${status}`,
  undefined,
  "Try again in a few minutes. Known outages are on https://health.aws.amazon.com.",
];
const strange = (status: number): readonly (string | undefined)[] => [
  "failed",
  `The response did not come from AWS: HTTP ${status}`,
  undefined,
  "Check the proxy, the network (it might show a login page) and AWS_ENDPOINT_URL",
];
const other = (words: string): readonly (string | undefined)[] => [
  "other",
  `sagemaker:ListEndpoints failed: ${words}`,
  undefined,
  "To see details, set MLCLI_DEBUG=1",
];
const needsLogin = ["unreachable", WANTS_LOGIN, "HTTP 407", LOGIN];
const throttled = (times: string) => [
  ...["throttled", `sagemaker:ListEndpoints was throttled (${times})`, undefined, THROTTLED_HINT],
];

/** What has no code of its own, and what is no answer of SageMaker's. */
const OTHERS: readonly (readonly [
  name: string,
  error: unknown,
  expected: readonly (string | undefined)[],
])[] = [
  ["one attempt", sdkError("Throttling", "x", { attempts: 1 }), throttled("1 attempt")],
  ["three attempts", sdkError("Throttling", "x", { attempts: 3 }), throttled("3 attempts")],
  ["a failure", sdkError("InternalFailure", "x", { httpStatusCode: 500 }), failed(500)],
  ["a page that says 503", sdkError("SyntaxError", "x", { httpStatusCode: 503 }), failed(503)],
  ["a proxy's login", sdkError("SyntaxError", "x", { httpStatusCode: 407 }), needsLogin],
  [
    "a proxy that knows the code of something else",
    sdkError("ValidationException", "x", { httpStatusCode: 407 }),
    needsLogin,
  ],
  ["a page", sdkError("SyntaxError", "Unexpected <", { httpStatusCode: 200 }), strange(200)],
  [
    "a page for 403",
    sdkError("SyntaxError", "Unexpected <", { httpStatusCode: 403 }),
    strange(403),
  ],
  ["an error for 200", sdkError("Oops", "reason", { httpStatusCode: 200 }), strange(200)],
  ["an error for 299", sdkError("Oops", "reason", { httpStatusCode: 299 }), strange(299)],
  ["a redirection", sdkError("Unknown", "UnknownError", { httpStatusCode: 302 }), strange(302)],
  ["a refusal without a reason", sdkError("403", "", { httpStatusCode: 403 }), strange(403)],
  ["a redirection with a reason", sdkError("Moved", "go", { httpStatusCode: 300 }), other("go")],
  ["a code of its own", sdkError("Odd", "reason", { httpStatusCode: 400 }), other("reason")],
  ["a status just below 500", sdkError("Odd", "why", { httpStatusCode: 499 }), other("why")],
  ["no answer at all", sdkError("SyntaxError", "Unexpected <"), other("Unexpected <")],
  ["a name that all objects have", sdkError("constructor", "x"), other("x")],
  ["text", "reason", other("reason")],
  ["nothing", undefined, other("undefined")],
  ["null", null, other("null")],
];

suite("awsError", () => {
  for (const [codes, words, options, expected] of CODES) {
    for (const code of codes) {
      it(`${code}, "${words}", with ${JSON.stringify(options)}: ${expected[1]}`, () => {
        assertEquals(explained(sdkError(code, words, { httpStatusCode: 400 }), options), expected);
      });
    }
  }

  for (const [words, subject, refusal, message] of VALIDATION) {
    it(`ValidationException, "${words}" about ${subject}: ${refusal}`, () => {
      const error = sdkError("ValidationException", words, { httpStatusCode: 400 });
      const hint = message.startsWith("ResourceNotFound") ? LOOK_IN : LOOK;
      const options = { subject, region: "eu-west-1" };
      assertEquals(explained(error, options), [refusal, message, undefined, hint]);
    });
  }

  for (const [words, permission] of LACKED) {
    it(`a ValidationException is a denial if the caller lacks ${permission}: ${words}`, () => {
      assertEquals(explained(sdkError("ValidationException", words), { role: ROLE }), [
        "denied",
        `AccessDeniedException: ${permission}`,
        words,
        `Add the permission ${permission} to the role ${ROLE}`,
      ]);
    });
  }

  for (const words of LACKED_BY_OTHERS) {
    it(`a ValidationException is not a denial if the caller lacks nothing: ${words}`, () => {
      const [refusal, message] = explained(sdkError("ValidationException", words));
      assertEquals({ refusal, message }, {
        refusal: "other",
        message: `sagemaker:ListEndpoints was refused: ${words}`,
      });
    });
  }

  for (const [failure, [message, hint]] of Object.entries(CONNECTIONS)) {
    it(`no connection, ${failure}: ${message}`, () => {
      const error = new ConnectionError(failure as ConnectionFailure, "h.test:1", "in words");
      const expected = ["unreachable", message, "in words", hint];
      assertEquals(explained(error, { region: "eu-west-1" }), expected);
    });
  }

  for (const [name, error, expected] of OTHERS) {
    it(`${name}: ${expected[1]}`, () => assertEquals(explained(error), expected));
  }

  it("leaves what is explained already as it is", () => {
    const error = new AwsError("denied", SECRET);
    assert(awsError(error, requestFor({}), secrets) === error);
  });

  it("shows no secret: in the message, the quote, and the cause", () => {
    const thrown = [
      sdkError("Odd", SECRET),
      sdkError("AccessDenied", SECRET),
      sdkError("ValidationException", SECRET),
      new ConnectionError("refused", SECRET, SECRET),
    ];
    for (const error of thrown) {
      const { message, quote = "", cause } = awsError(error, requestFor({}), secrets);
      const { name, message: words, stack } = cause as Error;
      const shown = [message, quote, words, stack].join("\n");
      assert(shown.includes("[secret]") && !shown.includes(SECRET), shown);
      assertEquals([name, words], [error.name, "[secret]"]);
    }
  });
});

suite("strangeAnswer", () => {
  it("names the status", () => {
    const { refusal, message, quote, hint } = strangeAnswer({ $metadata: { httpStatusCode: 204 } });
    assertEquals([refusal, message, quote, hint], strange(204));
  });
});
