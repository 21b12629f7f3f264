import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { permissionTable, ROLES_PAGE } from "./helpers/permission_table.ts";
import { it, suite } from "./helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../", import.meta.url));

/**
 * What is asked of AWS besides what the code names where it sends a request, and by whom.
 */
const UNNAMED: Readonly<Record<string, string>> = {
  "ecr:BatchCheckLayerAvailability": "the engine, as it pushes",
  "ecr:InitiateLayerUpload": "the engine, as it pushes",
  "ecr:UploadLayerPart": "the engine, as it pushes",
  "ecr:CompleteLayerUpload": "the engine, as it pushes",
  "application-autoscaling:DeregisterScalableTarget":
    "SageMaker, of who deletes or updates an endpoint with autoscaling",
  "iam:PassRole": "SageMaker, of who creates a job or a model with a role",
  "sagemaker:AddTags": "SageMaker, of who creates a job with tags",
};

/** STS allows these to everybody whom no policy denies them (API reference of each). */
const FREE = ["sts:GetCallerIdentity", "sts:GetSessionToken"];

/** Actions that the policy to paste doesn't have: the first is needed only to act in a role. */
const NOT_IN_POLICY = ["sts:AssumeRole", ...FREE];

/** The prefixes of permissions, by the SDK's names for the services. */
const PREFIXES: Readonly<Record<string, string>> = {
  "cloudwatch-logs": "logs",
  "sagemaker-runtime": "sagemaker",
};

/**
 * The actions of the commands of the SDK that the code sends, and those that it names: the permission
 * for a command may be called otherwise (`ACTIONS` in `s3.ts`).
 */
async function actionsInCode(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const renamed = new Set<string>();
  for await (const { name, isFile } of Deno.readDir(join(ROOT, "runtime/aws"))) {
    if (!isFile) continue;
    const text = await Deno.readTextFile(join(ROOT, "runtime/aws", name));
    const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
    const [, service = ""] = /"@aws-sdk\/client-([\w-]+)"/.exec(code) ?? [];
    const prefix = PREFIXES[service] ?? service;
    for (const [, action] of code.matchAll(/"(\w+:[A-Z]\w+)"/g)) found.add(action!);
    for (const [, operation] of code.matchAll(/^ {2}(\w+): "\w+:\w+",$/gm)) {
      renamed.add(`${prefix}:${operation}`);
    }
    for (const [, operation] of code.matchAll(/(?:new |: )(\w+)Command\b/g)) {
      found.add(`${prefix}:${operation}`);
    }
  }
  return found.difference(renamed);
}

/** All actions of the page's table. */
async function actionsInTable(): Promise<ReadonlySet<string>> {
  const rows = [...(await permissionTable()).values()];
  return new Set(rows.flatMap(({ needs, isBetterWith }) => [...needs, ...isBetterWith]));
}

interface Policy {
  readonly Statement: readonly { readonly Action: string | readonly string[] }[];
}

/** The policies of the page, in its order. */
async function policies(): Promise<readonly Policy[]> {
  const blocks = [...(await Deno.readTextFile(ROLES_PAGE)).matchAll(/^```json\n(.*?)^```$/gms)];
  return blocks.map(([, text]) => JSON.parse(text!)).filter((value) => "Statement" in value);
}

function actionsOf({ Statement }: Policy): readonly string[] {
  return Statement.flatMap(({ Action }) => Action).sort();
}

suite("the permissions in docs/reference/roles.md", () => {
  it("are those that the code asks for, and those that others ask for it", async () => {
    const inCode = await actionsInCode();
    assert(inCode.has("sagemaker:CreateTrainingJob"));
    const inTable = await actionsInTable();
    assertEquals(
      [...inTable].sort(),
      [...new Set([...inCode, ...Object.keys(UNNAMED)])]
        .filter((action) => !FREE.includes(action)).sort(),
    );
  });

  it("are all in the policy to paste, and no others", async () => {
    const inTable = await actionsInTable();
    const [, , caller] = await policies();
    assertEquals(
      actionsOf(caller!),
      [...inTable].filter((action) => !NOT_IN_POLICY.includes(action)).sort(),
    );
  });

  it("of the role that SageMaker assumes are those that AWS asks for", async () => {
    // API reference, CreateTrainingJob and developer guide, "How to use SageMaker AI execution
    // roles": "CreateTrainingJob API: Execution Role Permissions".
    const [trust, execution] = await policies();
    assertEquals(actionsOf(trust!), ["sts:AssumeRole"]);
    assertEquals(actionsOf(execution!), [
      "cloudwatch:PutMetricData",
      "ecr:BatchCheckLayerAvailability",
      "ecr:BatchGetImage",
      "ecr:GetAuthorizationToken",
      "ecr:GetDownloadUrlForLayer",
      "logs:CreateLogGroup",
      "logs:CreateLogStream",
      "logs:DescribeLogStreams",
      "logs:PutLogEvents",
      "s3:GetObject",
      "s3:ListBucket",
      "s3:PutObject",
    ]);
  });
});
