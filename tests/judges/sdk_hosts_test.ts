/**
 * A training on two hosts by `mlcli local train` and by the local mode of AWS's SDK 2: what each host sees.
 * What differs is in tests/evidence/sdk_hosts.json, with the reason.
 */

import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import evidence from "../evidence/sdk_hosts.json" with { type: "json" };
import { makeApp } from "../helpers/app.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { buildImage, engineRequest, removeImage } from "../helpers/engine.ts";
import { it, suite } from "../helpers/suite.ts";
import { given } from "./outcomes.ts";

type Seen = Readonly<Record<string, unknown>>;

const IMAGE = "mlcli-test-hosts:latest";
/** Without it, the SDK tells AWS what is done with it. */
const SETTINGS =
  'SchemaVersion: "1.0"\nSageMaker: {PythonSDK: {Modules: {TelemetryOptOut: true}}}\n';

/** It takes 10 s; in ms. */
const TIMEOUT = 120_000;
const here = (name: string) => fromFileUrl(new URL(name, import.meta.url));

/** What the hosts see; names that are new in each run are made plain. */
async function seenIn(model: string, plain: (text: string) => string): Promise<readonly Seen[]> {
  return await Promise.all(
    [1, 2].map(async (number) =>
      JSON.parse(plain(await Deno.readTextFile(join(model, `algo-${number}.json`))))
    ),
  );
}

async function byMlcli(): Promise<readonly Seen[]> {
  await using app = await makeApp({ name: "shop" });
  await app.write(app.testPath("input/data/training/a.csv"), "1\n");
  const more = ["--hyperparameter", "epochs=3", "--env", "OWN=value", "--no-network-settings"];
  const { code, stderr } = await app.run(
    ["local", "train", "--image", IMAGE, "--instance-count", "2", ...more],
    { env: { XDG_STATE_HOME: app.state, AWS_REGION: "eu-west-1" } },
  );
  assertEquals(code, 0, stderr);
  return await seenIn(
    app.testPath("model"),
    (text) => text.replace(/shop-\d{4}(-\d\d){5}-\d{3}/g, "JOB"),
  );
}

async function bySdk(): Promise<readonly Seen[]> {
  await using directory = await makeDirectory({
    "data/a.csv": "1\n",
    "target/": "",
    "settings.yaml": SETTINGS,
  });
  const [data, target, settings] = ["data", "target", "settings.yaml"]
    .map((name) => join(directory.path, name));
  const { success, stderr, stdout } = await new Deno.Command(given("MLCLI_TEST_SDK_2_PYTHON"), {
    args: [here("sdk_local.py"), IMAGE, data!, target!],
    env: {
      ...JSON.parse(given("MLCLI_TEST_COMPOSE")),
      SAGEMAKER_ADMIN_CONFIG_OVERRIDE: settings!,
      SAGEMAKER_USER_CONFIG_OVERRIDE: settings!,
    },
    signal: AbortSignal.timeout(TIMEOUT),
  }).output();
  const decoder = new TextDecoder();
  try {
    assertEquals(success, true, decoder.decode(stdout) + decoder.decode(stderr));
    // The hosts share it.
    const [root] = [...Deno.readDirSync(target!)].filter(({ isDirectory }) => isDirectory);
    return await seenIn(
      join(target!, root!.name, "model"),
      (text) =>
        text.replace(/(algo-\d)-\w{5}\b/g, "$1-RANDOM").replace(/mlcli-test-hosts-[\d-]+/g, "JOB")
          .replace(/"[0-9a-f]{12}"/g, '"CONTAINER"'),
    );
  } finally {
    await removeContainers();
  }
}

/** The SDK leaves them, and the network. */
async function removeContainers(): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ ancestor: [IMAGE] }));
  const listed = await engineRequest("GET", `/containers/json?all=1&filters=${filters}`, [200]);
  for (const { Id } of JSON.parse(listed)) {
    await engineRequest("DELETE", `/containers/${Id}?force=1`, [204]);
  }
  await engineRequest("DELETE", "/networks/sagemaker-local", [204, 403, 404]);
}

interface Comparison {
  readonly same: readonly string[];
  /** What mlcli's host sees, and the SDK's. */
  readonly differences: Readonly<Record<string, readonly [unknown, unknown]>>;
}

/** What one does not have is null. */
function comparison(ours: Seen, theirs: Seen): Comparison {
  const names = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
  const isSame = (name: string) => JSON.stringify(ours[name]) === JSON.stringify(theirs[name]);
  const differing = names.filter((name) => !isSame(name))
    .map((name) => [name, [ours[name] ?? null, theirs[name] ?? null]] as const);
  return { same: names.filter(isSame), differences: Object.fromEntries(differing) };
}

suite("two hosts by mlcli and by the local mode of AWS's SDK 2", () => {
  it("see the same, but for what the evidence names", async () => {
    const train = await Deno.readTextFile(here("seen_by_host.py"));
    const lines = ["COPY train /usr/local/bin/train", "RUN chmod +x /usr/local/bin/train"];
    const Dockerfile = [`FROM ${given("MLCLI_TEST_NO_TOOLKIT")}`, ...lines].join("\n");
    await buildImage(IMAGE, { Dockerfile, train });
    try {
      const [ours, theirs] = [await byMlcli(), await bySdk()];
      const [first, second] = ours.map((seen, index) => comparison(seen, theirs[index]!));
      const { same } = evidence;
      const differences = Object.assign({}, ...evidence.differences.map(({ seen }) => seen));
      assertEquals(second, { same, differences });
      const names = Object.keys(second!.differences);
      assertEquals([first!.same, Object.keys(first!.differences)], [same, names]);
    } finally {
      await removeImage(IMAGE);
    }
  });
});
