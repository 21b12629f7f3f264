import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Ajv } from "ajv";
import { sectionOptions } from "../../commands/chosen_app.ts";
import { configurationSchema } from "../../commands/configuration_schema.ts";
import { optionsByKey } from "../../commands/options/file.ts";
import { readOptions } from "../../commands/options/read.ts";
import {
  CONFIGURATION_KEYS,
  OBJECT_KEYS,
  readConfiguration,
  SCHEMA_KEY,
  SECTIONS,
} from "../../runtime/app/configuration.ts";
import { appObject } from "../helpers/app_object.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { it, suite } from "../helpers/suite.ts";

type Content = Readonly<Record<string, unknown>>;

/** What is wrong with a file, in the words of an editor. */
async function validator(): Promise<(content: unknown) => string> {
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
  const validate = ajv.compile(JSON.parse(await configurationSchema()));
  return (content) => validate(content) ? "" : ajv.errorsText(validate.errors);
}

/** What is wrong with a file, in the words of mlcli. */
async function refusal(content: Content): Promise<string> {
  await using directory = await makeDirectory({ "demo.json": JSON.stringify(content) });
  try {
    const { sections } = await readConfiguration(join(directory.path, "demo.json"));
    const app = appObject(directory.path, "demo", { sections });
    for (const name of SECTIONS) {
      if (!sections[name]) continue;
      const given = { options: {}, arguments: [], rest: [] };
      const file = { app, section: name };
      const sources = { given, env: () => undefined, path: "mlcli", file };
      readOptions(await sectionOptions(name), sources);
    }
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const GOOD: readonly Content[] = [
  {},
  { $schema: "./demo/mlcli_base/.schema.json", image_name: "team/demo", python_version: "3.12" },
  { base_image: "python:3.12-slim", requirements: "deps/image.txt", platform: "linux/amd64" },
  { cloud_region: "eu-west-1", cloud_profile: "my team", s3_prefix: "s3://my-bucket/churn" },
  { execution_role: "arn:aws:iam::123456789012:role/SageMakerRole" },
  { certificate_file: "deps/company.pem" },
  { metric_definitions: [{ Name: "loss", Regex: "loss=([0-9.]+)" }] },
  {
    train: {
      input_s3_dir: ["s3://my-bucket/data", "labels=s3://my-bucket/labels.csv"],
      ec2_type: "ml.m5.large",
      max_run: 7200,
      hyperparameter: { epochs: 20, name: "a", verbose: true },
      tag: ["team=growth"],
      instance_group: { gpu: "ml.g5.xlarge:2" },
      spot: true,
    },
    process: { file: "features.py", instance_type: "ml.m5.large", instance_count: "2" },
    deploy: { endpoint_name: "churn", canary: 10, alarm: ["churn-5xx"], env: "A=1" },
    local: { memory: "8g", cpus: 1.5, gpus: "all", network: "bridge" },
  },
];

/** What neither takes. */
const BAD: readonly Content[] = [
  { image_name: "Demo:v1" },
  { image_name: 1 },
  { python_version: "3.7" },
  { python_version: 3.12 },
  { requirements: "/etc/r.txt" },
  { requirements: "deps/" },
  { base_image: "a b" },
  { platform: "amd64" },
  { cloud_region: "eu west" },
  { cloud_profile: " " },
  { s3_prefix: "my-bucket/churn" },
  { execution_role: "SageMakerRole" },
  { certificate_file: "/etc/ssl/company.pem" },
  { metric_definitions: { Name: "loss", Regex: "loss=(.*)" } },
  { metric_definitions: [{ Name: "loss" }] },
  { metric_definitions: [{ name: "loss", regex: "loss=(.*)" }] },
  { metric_definitions: [{ Name: "", Regex: "loss=(.*)" }] },
  { metric_definitions: [{ Name: "x".repeat(256), Regex: "loss=(.*)" }] },
  { metric_definitions: Array(41).fill({ Name: "loss", Regex: "loss=(.*)" }) },
  { train: "ml.m5.large" },
  { train: { ec2_type: ["ml.m5.large"] } },
  { train: { spot: "yes" } },
  { deploy: { alarm: [1] } },
  { process: { env: { A: ["secret"] } } },
  { local: { memory: true } },
];

/** What mlcli takes, or warns of, and an editor marks. */
const MARKED: readonly Content[] = [
  { "cloud-region": "eu-west-1" },
  { ec2_type: "ml.m5.large" },
  { train: { ec2_typ: "ml.m5.large" } },
  { local: { port: 8080 } },
];

suite("the schema of the configuration file", () => {
  it("takes what mlcli takes", async () => {
    const errors = await validator();
    for (const content of GOOD) {
      assertEquals([await refusal(content), errors(content)], ["", ""], JSON.stringify(content));
    }
  });

  it("refuses what mlcli refuses", async () => {
    const errors = await validator();
    for (const content of BAD) {
      assert(await refusal(content) !== "", JSON.stringify(content));
      assert(errors(content) !== "", JSON.stringify(content));
    }
  });

  it("marks keys that mean nothing to mlcli", async () => {
    const errors = await validator();
    for (const content of MARKED) {
      assertEquals(await refusal(content), "");
      assert(errors(content).includes("must NOT have additional properties"), errors(content));
    }
  });

  it("has each key with what it means, which an editor shows", async () => {
    const { properties } = JSON.parse(await configurationSchema());
    for (const [key, { description }] of Object.entries<{ description: string }>(properties)) {
      assert(/^[A-Z].*[.\w)]$/.test(description), key);
      // Only several sentences end with a full stop.
      assertEquals(description.endsWith("."), /\. \S/.test(description), key);
    }
    const all = [SCHEMA_KEY, ...CONFIGURATION_KEYS, ...OBJECT_KEYS];
    assertEquals(Object.keys(properties).sort(), [...all].sort());
    for (const name of SECTIONS) {
      const keys = [...optionsByKey(await sectionOptions(name), name).keys()];
      assertEquals(Object.keys(properties[name].properties), keys);
      assert(keys.length > 0, name);
    }
  });

  it("is where the file that mlcli init writes says, and takes that file", async () => {
    await using directory = await makeDirectory();
    const cwd = directory.path;
    assertEquals((await runInProcess(["init", "demo", "--region", "eu-west-1"], { cwd })).code, 0);
    const content = JSON.parse(await Deno.readTextFile(join(cwd, "demo.json")));
    const schema = await Deno.readTextFile(join(cwd, content.$schema));
    assertEquals(schema, await configurationSchema());
    assertEquals((await validator())(content), "");
  });
});
