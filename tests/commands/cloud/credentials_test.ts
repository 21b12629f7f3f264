import { assert, assertEquals, assertMatch } from "@std/assert";
import { type CloudOptions, runCloud } from "../../helpers/cloud.ts";
import { ACCOUNT, REGION, USER_KEY } from "../../helpers/box/account.ts";
import { Box } from "../../helpers/box/box.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { Refused } from "../../helpers/box/service.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROLE = `arn:aws:iam::${ACCOUNT}:role/ml`;

/** Takes the caller's own key out of the environment. */
const NO_KEY = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined } as const;

/** Takes the region out of it. */
const NO_REGION = { AWS_REGION: undefined } as const;

const CONFIG = `
[default]
region = eu-south-2
[profile work]
region = ap-south-1
aws_access_key_id = ${USER_KEY.id}
aws_secret_access_key = ${USER_KEY.secret}
[profile bare]
region = eu-south-1
[profile old]
region = eu-south-1
aws_access_key_id = AKIAOLDOLDOLDOLDOLD1
aws_secret_access_key = secret-of-an-old-user-that-aws-does-not-know
[profile process]
credential_process = sh -c 'echo "secret-of-the-process" >&2; exit 3' -- secret-of-the-command
[profile working-process]
credential_process = sh -c 'cat "$0"' PROCESS_OUTPUT
`;

/** Lists endpoints on a platform that has one, with the profiles above in the user's home. */
async function list(
  prepare: (aws: Box) => void,
  args: readonly string[],
  env: CloudOptions["env"],
): Promise<ProgramResult & { readonly aws: Box }> {
  const key = { Version: 1, AccessKeyId: USER_KEY.id, SecretAccessKey: USER_KEY.secret };
  await using home = await makeDirectory({ "process.json": JSON.stringify(key) });
  await home.write({
    ".aws/config": CONFIG.replace("PROCESS_OUTPUT", `${home.path}/process.json`),
  });
  await using aws = await Box.open();
  aws.endpoints.add("churn");
  prepare(aws);
  const options = { env: { HOME: home.path, ...env } };
  const result = await runCloud(aws, ["list-endpoints", ...args], options);
  return { ...result, aws };
}

const AS_IS = (): void => {};

suite("mlcli and roles", () => {
  const allowRole = (aws: Box): void => void aws.roles.add(ROLE);

  it("acts in the role that is named", async () => {
    const { code, stdout, stderr, aws } = await list(allowRole, ["-r", ROLE], {});
    assertEquals([code, stderr], [0, ""]);
    assertMatch(stdout, /^churn {2}/);
    const [assume, listing] = aws.requests;
    assertEquals(assume!.operation, "AssumeRole");
    assertEquals(assume!.input.RoleArn, ROLE);
    assertMatch(assume!.input.RoleSessionName, /^mlcli-\d/);
    assertEquals(assume!.authorization.region, REGION);
    assertEquals(assume!.authorization.accessKeyId, USER_KEY.id);
    assertEquals(listing!.operation, "ListEndpoints");
    assertEquals(listing!.authorization.accessKeyId, "ASIAROLEROLEROLE0001");
  });

  it("assumes a role with the credentials of a profile", async () => {
    const { code, aws } = await list(allowRole, ["-r", ROLE, "--profile", "work"], NO_KEY);
    assertEquals([code, aws.operations], [0, ["sts:AssumeRole", "sagemaker:ListEndpoints"]]);
  });

  it("uses the caller's own credentials without a role", async () => {
    const { code, aws } = await list(AS_IS, [], { PLATFORM_ROLE: "" });
    assertEquals([code, aws.operations], [0, ["sagemaker:ListEndpoints"]]);
    assertEquals(aws.requests[0]!.authorization.accessKeyId, USER_KEY.id);
  });
});

suite("mlcli and regions", () => {
  for (
    const [title, args, env, region] of [
      ["the profile", ["--profile", "work"], { ...NO_REGION, ...NO_KEY }, "ap-south-1"],
      ["the default profile", [], NO_REGION, "eu-south-2"],
    ] as const
  ) {
    it(`asks the region that ${title} names`, async () => {
      const { code, stderr, aws } = await list(AS_IS, args, env);
      assertEquals([code, stderr], [0, ""]);
      assertEquals(aws.requests[0]!.authorization.region, region);
    });
  }

  it("lists the four places where a region can be named, also when one names nothing", async () => {
    for (const empty of [{}, { AWS_REGION: "" }]) {
      const { code, stdout, stderr, aws } = await list(AS_IS, [], {
        ...NO_REGION,
        ...empty,
        AWS_CONFIG_FILE: "/nonexistent",
      });
      assertEquals([code, stdout, aws.operations], [1, "", []]);
      assertEquals(
        stderr,
        "error: No AWS region is set\n" +
          "hint: Set AWS_REGION, cloud_region in NAME.json, or region in profile default. To set a " +
          "default, run mlcli config set region REGION.\n",
      );
    }
  });
});

suite("mlcli and credentials", () => {
  it("takes them from the profile that --profile or AWS_PROFILE names", async () => {
    for (
      const [args, env] of [
        [["--profile", "work"], {}],
        [[], { AWS_PROFILE: "work" }],
        [["--profile", "working-process"], {}],
      ] as const
    ) {
      const { code, stderr, aws } = await list(AS_IS, args, { ...NO_KEY, ...env });
      assertEquals([code, stderr], [0, ""]);
      assertEquals(aws.requests[0]!.authorization.accessKeyId, USER_KEY.id);
    }
  });

  for (const profile of ["old", "bare"]) {
    for (const variable of ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"]) {
      it(`takes the keys in the environment and the region of profile ${profile} in ${variable}, with one note`, async () => {
        const env = { ...NO_REGION, [variable]: profile };
        const { code, stderr, aws } = await list(AS_IS, [], env);
        assertEquals({ code, stderr }, {
          code: 0,
          stderr: "note: The credentials come from AWS_ACCESS_KEY_ID, not from profile " +
            `"${profile}" (${variable})\n`,
        });
        assertEquals(aws.requests.map(({ authorization }) => authorization), [{
          ...aws.requests[0]!.authorization,
          accessKeyId: USER_KEY.id,
          region: "eu-south-1",
        }]);
      });
    }
  }

  // https://github.com/aws/aws-cli/issues/8270, https://github.com/aws/aws-sdk-js-v3/issues/6548
  it("prints an error and no lines of the SDK if a typed profile has only a region, and the hint works", async () => {
    const { code, stderr } = await list(AS_IS, ["--profile", "bare"], NO_REGION);
    assertEquals({ code, stderr }, {
      code: 1,
      stderr: 'error: No AWS credentials found for profile "bare"\n' +
        "hint: Run aws configure --profile bare, or choose another profile (this one is set by " +
        "--profile). To use AWS_ACCESS_KEY_ID instead, remove --profile and set AWS_REGION.\n",
    });
    const hinted = await list(AS_IS, [], { ...NO_REGION, AWS_REGION: "eu-south-1" });
    assertEquals({ code: hinted.code, stderr: hinted.stderr }, { code: 0, stderr: "" });
  });

  // https://github.com/aws/aws-cli/issues/6677: a container has keys, but no files.
  it("prints one error if the profile of a variable does not exist, and works without it", async () => {
    const { code, stderr, aws } = await list(AS_IS, [], { AWS_PROFILE: "wrok" });
    assertEquals({ code, operations: aws.operations }, { code: 1, operations: [] });
    assertMatch(
      stderr,
      /^error: AWS profile "wrok" not found\nhint: .* To use AWS_ACCESS_KEY_ID, unset AWS_PROFILE\.\n$/,
    );
    assertEquals((await list(AS_IS, [], {})).code, 0);
  });

  it("names a profile as their source with --debug", async () => {
    const { code, stderr } = await list(AS_IS, ["--profile", "work", "--debug"], {});
    assertEquals({ code, stderr }, {
      code: 0,
      stderr: 'note: Found credentials in profile "work" (--profile)\n',
    });
  });

  it("takes them from a container's metadata, and names the variable with --debug", async () => {
    const metadata = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      () =>
        Response.json({
          AccessKeyId: USER_KEY.id,
          SecretAccessKey: USER_KEY.secret,
          Token: "container-token-that-nobody-may-see",
          Expiration: "2099-01-01T00:00:00Z",
        }),
    );
    try {
      const { code, stderr, aws } = await list(
        (aws) =>
          aws.keys.set(USER_KEY.id, {
            ...USER_KEY,
            token: "container-token-that-nobody-may-see",
          }),
        ["--debug"],
        {
          ...NO_KEY,
          AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${metadata.addr.port}/`,
        },
      );
      const note = "note: Found credentials in AWS_CONTAINER_CREDENTIALS_FULL_URI\n";
      assertEquals([code, stderr, aws.operations], [0, note, ["sagemaker:ListEndpoints"]]);
    } finally {
      await metadata.shutdown();
    }
  });

  /** What goes wrong, and what standard error has to say about it. */
  const problems: readonly {
    readonly title: string;
    readonly args?: readonly string[];
    readonly env?: CloudOptions["env"];
    readonly prepare?: (aws: Box) => void;
    readonly message: RegExp;
    readonly hint: RegExp;
  }[] = [
    {
      title: "the profile of --profile does not exist",
      args: ["--profile", "wrok"],
      message: /^AWS profile "wrok" not found$/,
      hint: /Check --profile: .*\.aws\/config.*\.aws\/credentials.*aws configure --profile wrok/,
    },
    {
      title: "the credential process fails",
      args: ["--profile", "process"],
      env: { ...NO_KEY, MLCLI_DEBUG: "1" },
      message: /^The credential_process of profile "process" failed$/,
      hint: /aws configure get credential_process --profile process/,
    },
    {
      title: "they have expired",
      prepare: (aws) => aws.keys.set(USER_KEY.id, { ...USER_KEY, isExpired: true }),
      message: /^The AWS credentials have expired$/,
      hint: /new values for AWS_ACCESS_KEY_ID.*AWS_SESSION_TOKEN, or unset them/,
    },
    {
      title: "they have expired, and with no others nothing is sent again",
      prepare: (aws) => {
        const expired = new Refused("ExpiredTokenException", "The token has expired", 400);
        aws.faults.refuse("sagemaker:ListEndpoints", expired, 1);
      },
      message: /^The AWS credentials have expired$/,
      hint: /new values for AWS_ACCESS_KEY_ID/,
    },
    {
      title: "the key is not known",
      prepare: (aws) => aws.keys.clear(),
      message: /^AWS rejected the access key$/,
      hint: /AWS_ACCESS_KEY_ID.*eu-west-1 \(AWS_REGION\)/,
    },
    {
      title: "the key is not known to STS",
      args: ["-r", ROLE],
      prepare: (aws) => aws.keys.clear(),
      message: /^AWS rejected the access key$/,
      hint: /AWS_ACCESS_KEY_ID/,
    },
    {
      title: "the secret is wrong",
      env: { AWS_SECRET_ACCESS_KEY: "another-secret-that-nobody-may-see" },
      prepare: (aws) => aws.expectsWrongSignature = true,
      message: /^The AWS secret access key does not match the access key ID$/,
      hint: /new values for AWS_ACCESS_KEY_ID.*clock/,
    },
  ];

  for (const { title, args = [], env = {}, prepare = AS_IS, message, hint } of problems) {
    it(`explains that ${title}`, async () => {
      const { code, stdout, stderr } = await list(prepare, args, env);
      assertEquals([code, stdout], [1, ""]);
      const lines = stderr.split("\n");
      assertMatch(lines[0]!.replace("error: ", ""), message);
      assertMatch(lines.find((line) => line.startsWith("hint: "))!, hint);
      assert(!stderr.includes("secret-of-the-"), "the process's command or output is shown");
    });
  }
});

suite("mlcli and a platform that cannot be reached", () => {
  const once = { AWS_MAX_ATTEMPTS: "1" } as const;

  it("explains that a host does not exist", async () => {
    const { code, stdout, stderr } = await list(AS_IS, ["--region", "eu-nowhere-1"], {
      ...once,
      // RFC 2606 keeps this name free of hosts.
      AWS_ENDPOINT_URL: "http://sagemaker.invalid",
    });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: Cannot reach AWS at sagemaker\.invalid\n.*\nhint: .*AWS_ENDPOINT_URL\. Also check that the region exists: eu-nowhere-1 \(--region\)\n/,
    );
  });

  it("explains that nothing answers", async () => {
    // Nobody listens on port 2; one that was free a moment ago may be somebody's by now.
    const { code, stdout, stderr } = await list(AS_IS, [], {
      ...once,
      AWS_ENDPOINT_URL: "http://127.0.0.1:2",
    });
    assertEquals([code, stdout], [1, ""]);
    assertMatch(
      stderr,
      /^error: Cannot reach AWS at 127\.0\.0\.1:2\n {2}.*refused.*\nhint: .*AWS_ENDPOINT_URL/,
    );
  });

  it("explains that the other side does not speak TLS", async () => {
    await using aws = await Box.open();
    const { code, stderr } = await runCloud(aws, ["list-endpoints"], {
      env: { ...once, AWS_ENDPOINT_URL: aws.url.replace("http:", "https:") },
    });
    assertEquals(code, 1);
    assertMatch(
      stderr,
      /^error: Cannot reach AWS at 127\.0\.0\.1:\d+\n.*\nhint: .*does not use TLS/,
    );
  });

  for (
    const [title, status, message, body = "<html>no</html>"] of [
      ["a gateway's page", 502, "sagemaker:ListEndpoints failed: HTTP 502"],
      ["a proxy's refusal", 403, "The response did not come from AWS: HTTP 403"],
      ["a network's login page", 200, "The response did not come from AWS: HTTP 200"],
      ["a way to a login page", 302, "The response did not come from AWS: HTTP 302", ""],
      ["a refusal without a word", 403, "The response did not come from AWS: HTTP 403", ""],
      ["an error of no kind", 404, "The response did not come from AWS: HTTP 404", "{}"],
    ] as const
  ) {
    it(`is not misled by ${title}`, async () => {
      const { code, stdout, stderr } = await list(
        (aws) => aws.faults.before = () => new Response(body, { status }),
        [],
        once,
      );
      assertEquals([code, stdout], [1, ""]);
      assertEquals(stderr.split("\n")[0], `error: ${message}`);
      assertMatch(stderr, /\nhint: .+\n$/);
    });
  }

  it("asks the endpoint that AWS_ENDPOINT_URL_SAGEMAKER names", async () => {
    await using aws = await Box.open();
    aws.endpoints.add("churn");
    const { code, stdout } = await runCloud(aws, ["list-endpoints"], {
      env: { AWS_ENDPOINT_URL: undefined, AWS_ENDPOINT_URL_SAGEMAKER: aws.url },
    });
    assertEquals(code, 0);
    assertMatch(stdout, /^churn {2}/);
  });
});

suite("mlcli and secrets", () => {
  const token = "session-token-that-nobody-may-see-00000004";
  const secrets = [USER_KEY.secret, token, "role-secret-that", "role-token-that"];

  /** Each of these makes the service, the SDK or mlcli speak about credentials. */
  const occasions: readonly [string, readonly string[], (aws: Box) => void][] = [
    ["all goes well", [], AS_IS],
    ["a role is assumed", ["-r", ROLE], (aws) => aws.roles.add(ROLE)],
    ["the service repeats the signed headers", [], (aws) => {
      aws.keys.set(USER_KEY.id, { ...USER_KEY, secret: "other", token });
      aws.expectsWrongSignature = true;
    }],
    ["STS repeats the signed headers", ["-r", ROLE], (aws) => {
      aws.keys.set(USER_KEY.id, { ...USER_KEY, secret: "other", token });
      aws.expectsWrongSignature = true;
    }],
    ["a role's request is repeated in a refusal", ["-r", ROLE], (aws) => {
      aws.roles.add(ROLE);
      const words = "secret role-secret-that-nobody-may-see-00000001, token " +
        "role-token-that-nobody-may-see-000000001";
      aws.faults.refuse("sagemaker:ListEndpoints", new Refused("ValidationException", words));
    }],
    ["the key has expired", [], (aws) => {
      aws.keys.set(USER_KEY.id, { ...USER_KEY, token, isExpired: true });
    }],
  ];

  for (const [title, args, prepare] of occasions) {
    it(`shows none when ${title}, with MLCLI_DEBUG=1`, async () => {
      const { stdout, stderr, code } = await list(
        (aws) => {
          aws.keys.set(USER_KEY.id, { ...USER_KEY, token });
          prepare(aws);
        },
        args,
        { AWS_SESSION_TOKEN: token, MLCLI_DEBUG: "1" },
      );
      if (code !== 0) assertMatch(stderr, /\n {4}at /, "the stack is there");
      for (const secret of secrets) assert(!(stdout + stderr).includes(secret), `${secret} shows`);
    });
  }
});
