import { assertEquals, assertMatch } from "@std/assert";
import { runCloud } from "../helpers/cloud.ts";
import { commandPaths } from "../helpers/command_paths.ts";
import { LEAST, makeDeployApp } from "../helpers/deploy_app.ts";
import { type FakeContainers, fakeContainers } from "../helpers/fake_containers.ts";
import { pushesOf } from "../helpers/fake_pushes.ts";
import { BUCKET, type JobApp } from "../helpers/job_app.ts";
import { addJob, COMPLETED } from "../helpers/jobs.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";
import { tarGz } from "../helpers/tar.ts";

const KEY = "churn/model.tar.gz";
const DATA = `s3://${BUCKET}/app/data`;

/** No server has this port. */
const NO_SERVER = /^error: Container not found on port 1\n/;
const NOT_READY = /^error: The server exited before it was ready: exit code 0\n/;
const JOB = "-e ml.m5.large --no-wait";

/**
 * A command and its arguments, and its result on standard output, or its error: one row per command,
 * so that the binary's part for each command is loaded and used.
 */
const ROWS: readonly (readonly [command: string, args: string, prints: RegExp])[] = [
  ["", "", /\nUsage: mlcli COMMAND /],
  ["init", "flats --dry-run", /^flats\.json\n/],
  ["build", "--dry-run", /^\{\n {2}"image": "test-\w+:latest"/],
  ["local", "", /\nUsage: mlcli local COMMAND /],
  ["local train", "", /^$/],
  ["local deploy", "-p 0", NOT_READY],
  ["local process", "-f p.py", /^$/],
  ["local transform", "rows.csv", NOT_READY],
  [
    "local shell",
    "-- true",
    /^error: (The Docker Engine refused|Cannot read the container's output) /,
  ],
  ["local invoke", "-p 1 rows.csv", NO_SERVER],
  ["local stop", "-p 1", NO_SERVER],
  ["local status", "", /^$/],
  ["local list-jobs", "", /^test-\S+ {2}transform {2}Failed {2}/],
  ["local describe", "1", /^Name: +test-\S+\n/],
  ["local keep", "none", /^error: Run "none" does not exist\n/],
  ["local logs", "-p 1", NO_SERVER],
  ["local ui", "-a none", /^error: /],
  ["local report", "", /^test-\w+\/mlcli_base\/local_test\/jobs\/report\.html\n$/],
  ["doctor", "", /^error: \d of \d checks failed\n/],
  ["config", "", /\nUsage: mlcli config COMMAND /],
  ["config list", "", /^$/],
  ["config get", "region", /^error: region is not set\n/],
  ["config set", "region eu-west-1", /^error: .*config\.json: Not a directory\n/],
  ["completions", "", /\nUsage: mlcli completions /],
  ["completions bash", "", /^_mlcli\(\) \{\n/],
  ["completions zsh", "", /^#compdef mlcli\n/],
  ["completions fish", "", /^function __mlcli_complete\n/],
  ["completions powershell", "", /^Register-ArgumentCompleter /],
  ["completions complete", "-- lo", /\tCreate an app /],
  ["help", "local train", /\nUsage: mlcli local train /],
  ["cloud", "", /\nUsage: mlcli cloud COMMAND /],
  ["push", "", /^localhost:\d+\/test-\w+@sha256:[0-9a-f]{64}\n$/],
  [
    "upload-data",
    `-i rows.csv --target-dir s3://${BUCKET}/sent`,
    /^s3:\/\/job-data\/sent\/rows\.csv\n$/,
  ],
  ["train", `-i ${DATA} ${JOB}`, /^test-\S+\n$/],
  ["process", `-f p.py ${JOB}`, /^test-\S+\n$/],
  ["transform", `-i ${DATA} -m none ${JOB}`, /^error: ResourceNotFound: model none\n/],
  ["deploy", LEAST.slice(1).join(" "), /^shop\n$/],
  ["list-jobs", "", /^(\S+ {2}\w+ {2}.+\n){4}$/],
  ["describe", "churn", /^Name: {11}churn\n/],
  ["logs", "churn", /^$/],
  ["wait", "churn", /^s3:\/\/data\/output\//],
  ["stop-job", "late", /^late\n$/],
  ["download-model", `s3://${BUCKET}/${KEY} --to model`, /^model\n$/],
  ["download-output", "late", /^error: Job late has no output yet /],
  ["list-endpoints", "", /^shop {2}InService {2}.+\n$/],
  ["invoke-endpoint", "-n shop rows.csv", /^1\n$/],
  ["delete-endpoint", "-n shop", /^shop\n$/],
];

suite("each command, as a program", () => {
  let job: JobApp;
  let engine: FakeContainers;

  beforeAll(async () => {
    job = await makeDeployApp();
    engine = await fakeContainers({ program: ({ end }) => end(0) });
    addJob(job.box, "churn", COMPLETED);
    addJob(job.box, "late", []);
    job.box.endpoints.add("shop");
    await job.app.write(`${job.app.directory}/rows.csv`, "1\n");
    await job.box.s3.put(BUCKET, KEY, await tarGz([{ name: "weights", content: "7" }]));
  });
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    await job[Symbol.asyncDispose]();
  });

  for (const [command, args, prints] of ROWS) {
    it(`runs: mlcli ${command}`, async () => {
      await using pushes = await pushesOf(job);
      const { socket } = command === "push" ? pushes : engine;
      const isLocal = /^(local|push)/.test(command);
      const words = `${command} ${args}`.split(" ").filter((word) => word !== "");
      const { code, stdout, stderr } = await runCloud(job.box, words, {
        cwd: job.app.directory,
        env: { DOCKER_HOST: isLocal ? `unix://${socket}` : "unix:///nonexistent.sock" },
      });
      const fails = prints.source.startsWith("^error");
      assertEquals(code !== 0, fails, stderr);
      assertMatch(fails ? stderr : stdout, prints);
    });
  }

  it("has a row", async () => {
    const commands = (await commandPaths()).map((names) => names.join(" "));
    assertEquals(ROWS.map(([command]) => command).sort(), commands.toSorted());
  });
});
