import { assertEquals, assertMatch } from "@std/assert";
import { explanationOf } from "../../../runtime/local/explanations.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { failedCode, type Failure, traceback } from "../../helpers/failed_code.ts";
import { it, suite } from "../../helpers/suite.ts";

const clientError = (code: string, message: string): string =>
  `botocore.exceptions.ClientError: An error occurred (${code}) when calling the ListObjectsV2 ` +
  `operation: ${message}`;

const PASS = / mlcli local train --aws-credentials PROFILE$/;

/** An error, and its hint. */
const AWS: readonly (readonly [words: string, hint: RegExp | undefined])[] = [
  // https://github.com/aws/sagemaker-python-sdk/issues/403
  ["botocore.exceptions.NoCredentialsError: Unable to locate credentials", PASS],
  ['Unable to locate credentials. You can configure credentials by running "aws configure".', PASS],
  // Keys do not help: botocore looks for the profile first.
  ["botocore.exceptions.ProfileNotFound: The config profile (ml) could not be found", undefined],
  [
    "botocore.exceptions.PartialCredentialsError: Partial credentials found in env, missing: " +
    "AWS_SECRET_ACCESS_KEY",
    PASS,
  ],
  // https://github.com/dpeerlab/seqc/issues/15
  ["botocore.exceptions.NoRegionError: You must specify a region.", /region_name=os\.environ/],
  // https://github.com/aws-samples/sample-sonic-cdk-agent/issues/16
  [
    clientError("ExpiredTokenException", "The security token included in the request is expired"),
    /^The credentials have expired, or AWS_SESSION_TOKEN is missing\. Pass the credentials of/,
  ],
  // https://github.com/ibi-group/datatools-ui/issues/10
  [
    clientError("ExpiredToken", "The provided token has expired."),
    /^The credentials have expired, /,
  ],
  // https://github.com/boto/botocore/issues/1775
  [
    clientError(
      "UnrecognizedClientException",
      "The security token included in the request is invalid.",
    ),
    /AWS_SESSION_TOKEN is missing/,
  ],
  // https://github.com/localstack/localstack/issues/3562
  [
    clientError("InvalidClientTokenId", "The security token included in the request is invalid"),
    PASS,
  ],
  // The execution role lacks the permission, and so does the user.
  [clientError("AccessDenied", "Access Denied"), undefined],
  ["ValueError: You must specify a region_id", undefined],
];

suite("the hint for AWS in a run", () => {
  for (const [words, hint] of AWS) {
    it(`explanationOf returns ${hint === undefined ? "no hint" : "a hint"} for: ${words.slice(0, 100)}`, async () => {
      const said = await explanationOf(failedCode({ words }));
      if (hint === undefined) assertEquals(said, undefined);
      else assertMatch(said ?? "", hint);
    });
  }

  const expired = clientError("ExpiredToken", "The provided token has expired.");
  const asked = { network: undefined, strict: false, copyInputs: false };

  it("explanationOf names only variables under --strict", async () => {
    const said = await explanationOf(
      failedCode({ words: expired, asked: { ...asked, strict: true } }),
    );
    assertMatch(said ?? "", /, then pass --env AWS_ACCESS_KEY_ID /);
  });

  // https://github.com/aws/aws-mwaa-local-runner/issues/405
  it("explanationOf names a longer session if the credentials were lent", async () => {
    const lender = { region: "eu-west-1", lend: () => Promise.reject(new Error("not asked")) };
    const said = await explanationOf(
      failedCode({ words: expired, asked: { ...asked, lender } }),
    );
    assertMatch(
      said ?? "",
      /^Use a profile whose session lasts longer, .* --aws-credentials have expired$/,
    );
  });
});

suite("explanationOf", () => {
  it("explanationOf returns the more certain of two explanations", async () => {
    const gaierror = "socket.gaierror: [Errno -2] Name or service not known";
    const rows: readonly (readonly [Failure, RegExp])[] = [
      [
        {
          words: gaierror,
          host: "algo-2",
          output: traceback("connect('host.docker.internal', 5000)", gaierror),
        },
        /^Use an IP address/,
      ],
      [
        { words: gaierror, host: "algo-2" },
        /^Retry the lookup for a few minutes: when a host starts, /,
      ],
      [
        {
          words: "OSError: [Errno 30] Read-only file system: '/opt/ml/input/data/training/x'",
          data: { training: ["a.csv"] },
        },
        /^The input is read-only/,
      ],
      [
        { words: "FileNotFoundError: Training code not found: /opt/ml/code/training.py" },
        /^Name the file with your train\(\) function /,
      ],
      [
        {
          words: "FileNotFoundError: [Errno 2] No such file or directory: '/opt/ml/input/data/x/a'",
        },
        /--input x=DIR/,
      ],
    ];
    for (const [failure, hint] of rows) {
      assertMatch(await explanationOf(failedCode(failure)) ?? "", hint);
    }
  });

  it("explanationOf names the last version with a module for code that installs packages at its start", async () => {
    for (
      const [requirements, hint] of [
        [
          "six\n",
          "Add setuptools<82 to src/requirements.txt: it is installed when the code starts",
        ],
        [
          "setuptools\n",
          "Pin setuptools<82 in src/requirements.txt: later versions have no pkg_resources",
        ],
      ] as const
    ) {
      await using directory = await makeDirectory({ "src/requirements.txt": requirements });
      const words = "ModuleNotFoundError: No module named 'pkg_resources'";
      const failure = { words, directory: directory.path, isSent: true };
      assertEquals(await explanationOf(failedCode(failure)), hint);
    }
  });

  it("explanationOf returns undefined for an unknown error", async () => {
    const words = "ValueError: no age";
    const output = traceback("raise ValueError", words);
    assertEquals(await explanationOf(failedCode({ words, output })), undefined);
  });
});
