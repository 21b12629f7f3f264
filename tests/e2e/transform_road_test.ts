import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { openRoad, type Road, ROAD_BUCKET } from "../helpers/road.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const FROM = (name: string): readonly string[] => ["-i", `s3://${ROAD_BUCKET}/${name}`];
const ON = ["-e", "ml.m5.large"];

suite("the road of a batch", () => {
  let road: Road;
  let trained: string;

  beforeAll(async () => {
    road = await openRoad({ jobs: true });
    await road.done("train", ...FROM("numbers/"), ...ON);
    trained = road.box.jobs.only("training").name;
    for (
      const [key, content] of Object.entries({
        ...{ "batch/a.csv": "1\n4\n", "batch/b/c.csv": "10\n" },
        ...{ "bad/good.csv": "1\n", "bad/word.csv": "1\nword\n" },
      })
    ) await road.box.s3.put(ROAD_BUCKET, key, content);
  });

  afterAll(async () => await road[Symbol.asyncDispose]());

  const score = (name: string) =>
    road.run("transform", ...FROM(name), ...ON, "--strategy", "single", "--job", trained);

  const read = (path: string) => Deno.readTextFile(`${road.app.directory}/${path}`);

  it("answers all data by what was trained, and brings the answers here", async () => {
    const { code, stdout, stderr } = await score("batch");
    const { name } = road.box.jobs.only("transform");
    assertEquals([code, stdout], [0, `s3://${ROAD_BUCKET}/app/output/${name}/\n`], stderr);
    assertMatch(stderr, /^data-log: .*BatchStrategy=SINGLE_RECORD$/m);
    assertEquals(road.box.endpoints.models.size, 0);
    assertEquals(await road.done("download-output", name, "--to", "scored"), "scored");
    // Of a model of 3, the mean of 1, 2 and 6.
    assertEquals(await read("scored/a.csv.out"), "3.0\n12.0\n");
    assertEquals(await read("scored/b/c.csv.out"), "30.0\n");
  });

  it("names the data that failed, and still brings the rest", async () => {
    road.box.jobs.all.splice(1);
    const { code, stdout, stderr } = await score("bad");
    const { name } = road.box.jobs.only("transform");
    assertEquals([code, stdout, road.box.endpoints.models.size], [1, "", 0], stderr);
    assertMatch(stderr, /^ {2}s3:\/\/[^/]+\/bad\/word\.csv: HTTP [45]\d\d: /m);
    assert(!stderr.includes("bad/good.csv:"));
    assertStringIncludes(stderr, "mlcli local transform");
    await road.done("download-output", name);
    assertEquals(await read(`${name}/good.csv.out`), "3.0\n");
  });
});
