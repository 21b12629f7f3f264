import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { invokeEndpoint } from "../helpers/box/ask.ts";
import type { Box } from "../helpers/box/box.ts";
import { LABEL } from "../helpers/box/engine/container.ts";
import { containersOf } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { openRoad, type Road, ROAD_BUCKET } from "../helpers/road.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { tarGz } from "../helpers/tar.ts";

const ENDPOINT = "shop";
const ON = ["-n", ENDPOINT];
const REMOVAL = "note: The endpoint costs money until you delete it: " +
  `mlcli delete-endpoint -n ${ENDPOINT} --delete-config --delete-model\n`;

/** Times that a test can wait for. */
const QUICK = { pingInterval: 20, healthyPings: 2, restart: 100 };

/** Each step continues from the state of the step before. */
suite("the road to an endpoint", () => {
  let road: Road;
  let box: Box;
  /** Of the trained model, the mean of 1, 2 and 6, for the number 4. */
  const FIRST = "12.0";
  /** Of a model of 10. */
  const SECOND = "40.0";

  const done = (...args: readonly string[]): Promise<string> => road.done(...args);

  const answer = (...more: readonly string[]): Promise<string> =>
    done("invoke-endpoint", ...ON, "number", ...more);

  const there = (): readonly string[] =>
    [
      ...box.endpoints.configurations.values(),
      ...box.endpoints.models.values(),
    ].map(({ name }) => name);

  beforeAll(async () => {
    road = await openRoad({ jobs: true, endpoints: true });
    ({ box } = road);
    Object.assign(box.hosting.settings, QUICK);
    await road.app.write(`${road.app.directory}/number`, "4");
    await writeModel("second", "10");
  });

  afterAll(async () => {
    await road[Symbol.asyncDispose]();
  });

  it("serves what was trained, and answers as it does on this machine", async () => {
    const artifact = await done(
      ...["train", "-i", `s3://${ROAD_BUCKET}/numbers/`, "-e", "ml.m5.large"],
    );
    const { code, stdout, stderr } = await road.run(
      ...["deploy", ...ON, "-e", "ml.m5.large", "-m", artifact],
    );
    assertEquals([code, stdout], [0, `${ENDPOINT}\n`], stderr);
    assertMatch(stderr, /^Creating endpoint shop in .*\nConsole: https:.*\nCreating\nInService\n/m);
    assertStringIncludes(stderr, REMOVAL);
    assertEquals(there(), ["shop-config", "shop-mlcli"]);
    await done("download-model", artifact);
    const address = await done("local", "deploy", "--port", "0");
    const port = ["--port", new URL(address).port];
    try {
      assertEquals(await done("local", "invoke", "number", ...port), FIRST);
    } finally {
      await done("local", "stop", ...port);
    }
    assertEquals(await answer(), FIRST);
    assertEquals(await answer("--stream"), FIRST);
  });

  it("has the endpoint serve a directory's model; no request fails meanwhile", async () => {
    const answers = new Map<string, number>();
    const asking = new AbortController();
    const asked = askAllTheTime(answers, asking.signal);
    try {
      const { code, stdout, stderr } = await road.run("deploy", ...ON, "-m", "second");
      assertEquals([code, stdout], [0, `${ENDPOINT}\n`], stderr);
      assertStringIncludes(stderr, "Changes: model data\n");
      assertMatch(stderr, /^Updating\nInService\n/m);
      assertMatch(
        stderr,
        /^Deleted the old endpoint configuration shop-config\nDeleted the old model shop-mlcli$/m,
      );
    } finally {
      asking.abort();
      await asked;
    }
    assertEquals([...answers.keys()], [`200 ${FIRST}`, `200 ${SECOND}`]);
    assertEquals(await answer(), SECOND);
    assertEquals(await done("wait", ENDPOINT), ENDPOINT);
    assertEquals(there(), ["shop-config-2", "shop-mlcli-2"]);
    assertMatch(
      box.endpoints.models.get("shop-mlcli-2")!.request.PrimaryContainer.ModelDataUrl,
      new RegExp(`^s3://${ROAD_BUCKET}/app/models/shop/[0-9a-f]{16}/model\\.tar\\.gz$`),
    );
    assertEquals(await ownContainers(), []);
  });

  it("has nothing to do where it serves that already", async () => {
    const before = box.endpoints.configurations.get("shop-config-2");
    const { code, stdout, stderr } = await road.run("deploy", ...ON, "-m", "second");
    assertEquals([code, stdout], [0, `${ENDPOINT}\n`], stderr);
    assertStringIncludes(stderr, "Nothing to change: endpoint shop already serves this version\n");
    assertEquals(box.endpoints.configurations.get("shop-config-2"), before);
  });

  it("tries a directory's model here, and sends none that does not serve", async () => {
    await writeModel("wrong", "no number");
    const keys = box.s3.keys(ROAD_BUCKET, "app/models/");
    const { code, stdout, stderr } = await road.run("deploy", ...ON, "-m", "wrong");
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: [^]*JSONDecodeError[^]*\nhint: /m);
    assertEquals(box.s3.keys(ROAD_BUCKET, "app/models/"), keys);
    assertEquals(await ownContainers(), []);
    assertEquals(there(), ["shop-config-2", "shop-mlcli-2"]);
  });

  it("says why SageMaker took an update back; what served goes on", async () => {
    const content = await tarGz([{ name: "model.json", content: "no number" }]);
    await box.s3.put(ROAD_BUCKET, "wrong/model.tar.gz", content);
    const running = road.run(
      ...["deploy", ...ON, "-m", `s3://${ROAD_BUCKET}/wrong/model.tar.gz`],
    );
    // Its time is over when its server has ended.
    await eventually(() => Promise.resolve(logOf(box).includes("JSONDecodeError")));
    box.hosting.settings.startup = 0;
    const { code, stdout, stderr } = await running;
    box.hosting.settings.startup = undefined;
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: Endpoint shop was not updated: SageMaker rolled it back$/m);
    assertMatch(stderr, /^ {2}.* did not pass the ping health check\./m);
    assertMatch(stderr, /Last log lines:\n(.*\n)* .*JSONDecodeError: /);
    assertMatch(stderr, /^hint: .*The endpoint still serves the previous version\./m);
    assertEquals(there(), ["shop-config-2", "shop-mlcli-2"]);
    assertEquals(await answer(), SECOND);
  });

  it("deletes a new endpoint that never served", async () => {
    const running = road.run(
      ...["deploy", "-n", "new", "--memory-size-in-mb", "1024"],
      ...["-m", `s3://${ROAD_BUCKET}/wrong/model.tar.gz`],
    );
    await eventually(() => Promise.resolve(logOf(box, "new").includes("JSONDecodeError")));
    box.hosting.settings.startup = 0;
    const { code, stdout, stderr } = await running;
    box.hosting.settings.startup = undefined;
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: Endpoint new was not created: it failed$/m);
    assertStringIncludes(stderr, "JSONDecodeError");
    assertEquals([...box.endpoints.endpoints.values()].map(({ name }) => name), [ENDPOINT]);
    assertEquals(there(), ["shop-config-2", "shop-mlcli-2"]);
  });

  it("shows the endpoint and what its servers wrote", async () => {
    assertStringIncludes(await done("logs", ENDPOINT), "JSONDecodeError");
    const described = await done("describe", ENDPOINT);
    assertMatch(described, /^Status: +InService$/m);
    assertMatch(described, /^Instances: +1 ml\.m5\.large$/m);
    assertMatch(described, /^Model: +shop-mlcli-2$/m);
    const waited = await road.run("wait", ENDPOINT);
    assertEquals([waited.code, waited.stdout], [1, ""]);
    assertMatch(waited.stderr, /^error: Endpoint shop was rolled back/m);
    const [listed, ...others] = JSON.parse(await done("list-endpoints", "--output", "json"));
    assertEquals(others, []);
    const { endpoint_name, status, instance_type, instance_count, age_seconds } = listed;
    assertEquals(
      [endpoint_name, status, instance_type, instance_count],
      [ENDPOINT, "InService", "ml.m5.large", 1],
    );
    assert(age_seconds >= 0);
  });

  it("leaves nothing once it is deleted", async () => {
    const deletion = ["delete-endpoint", ...ON, "--delete-config", "--delete-model", "--wait"];
    assertEquals(await done(...deletion), ENDPOINT);
    assertEquals([box.endpoints.endpoints.size, ...there()], [0]);
    assertEquals(await containersOf(road.app.name), []);
    const { code, stderr } = await road.run("invoke-endpoint", ...ON, "number");
    assertEquals(code, 1, stderr);
  });

  async function writeModel(directory: string, json: string): Promise<void> {
    await road.app.write(`${road.app.directory}/${directory}/model.json`, json);
  }

  async function askAllTheTime(answers: Map<string, number>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const response = await invokeEndpoint(box, ENDPOINT, { body: "4" });
      const line = `${response.status} ${await response.text()}`;
      answers.set(line, (answers.get(line) ?? 0) + 1);
    }
  }

  /** The containers of the app that there are, but for the box's. */
  async function ownContainers(): Promise<readonly unknown[]> {
    const all = await containersOf(road.app.name);
    return all.filter(({ Labels }) => Labels?.[LABEL] === undefined);
  }
});

/** What all instances of the endpoint have written. */
function logOf(box: Box, endpoint = ENDPOINT): string {
  const group = `/aws/sagemaker/Endpoints/${endpoint}`;
  return box.logs.streams(group).map(({ name }) => box.logs.messages(group, name)).join("\n");
}
