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

/** A command line, and what it prints: its result on standard output, or its error. */
interface Row {
  readonly command: string;
  readonly args?: readonly string[];
  readonly prints?: RegExp;
  readonly fails?: RegExp;
}

/** No server has this port. */
const NO_SERVER = /^error: Container not found on port 1\n/;
const NOT_READY = /^error: The server ended before it was ready: exit status 0\n/;

/** One row per command, so that the binary's part for each command is loaded and used. */
const ROWS: readonly Row[] = [
  { command: "", prints: /\nUsage: mlcli COMMAND / },
  { command: "init", args: ["flats", "--dry-run"], prints: /^flats\.json\n/ },
  { command: "build", args: ["--dry-run"], prints: /^\{\n {2}"image": "test-\w+:latest"/ },
  { command: "local", prints: /\nUsage: mlcli local COMMAND / },
  { command: "local train", prints: /^$/ },
  { command: "local deploy", args: ["-p", "0"], fails: NOT_READY },
  { command: "local process", args: ["-f", "p.py"], prints: /^$/ },
  { command: "local transform", args: ["-i", "rows.csv"], fails: NOT_READY },
  { command: "local shell", args: ["--", "true"], fails: /^error: The Docker Engine / },
  { command: "local invoke", args: ["-p", "1", "rows.csv"], fails: NO_SERVER },
  { command: "local stop", args: ["-p", "1"], fails: NO_SERVER },
  { command: "local status", prints: /^$/ },
  { command: "local list-jobs", prints: /^test-\S+ {2}transform {2}Failed {2}/ },
  { command: "local logs", args: ["-p", "1"], fails: NO_SERVER },
  { command: "local ui", args: ["-a", "none"], fails: /^error: / },
  { command: "local report", prints: /^<!DOCTYPE html>/i },
  { command: "doctor", fails: /^error: \d checks? of \d failed\n/ },
  { command: "config", prints: /\nUsage: mlcli config COMMAND / },
  { command: "config list", prints: /^$/ },
  { command: "config get", args: ["region"], fails: /^error: Not set: region\n/ },
  {
    command: "config set",
    args: ["region", "eu-west-1"],
    fails: /config\.json: Not a directory\n/,
  },
  { command: "upgrade", prints: /./ },
  { command: "completions", prints: /\nUsage: mlcli completions / },
  { command: "completions bash", prints: /^_mlcli\(\) \{\n/ },
  { command: "completions zsh", prints: /^#compdef mlcli\n/ },
  { command: "completions fish", prints: /^function __mlcli_complete\n/ },
  { command: "completions powershell", prints: /^Register-ArgumentCompleter / },
  { command: "completions complete", args: ["--", "lo"], prints: /\tMake a new app / },
  { command: "help", args: ["local", "train"], prints: /\nUsage: mlcli local train / },
  { command: "push", prints: /^localhost:\d+\/test-\w+@sha256:[0-9a-f]{64}\n$/ },
  {
    command: "upload-data",
    args: ["-i", "rows.csv", "--target-dir", `s3://${BUCKET}/sent`],
    prints: /^s3:\/\/job-data\/sent\/rows\.csv\n$/,
  },
  {
    command: "train",
    args: ["-i", DATA, "-e", "ml.m5.large", "--no-wait"],
    prints: /^test-\S+\n$/,
  },
  {
    command: "process",
    args: ["-f", "p.py", "-e", "ml.m5.large", "--no-wait"],
    prints: /^test-\S+\n$/,
  },
  {
    command: "transform",
    args: ["-i", DATA, "-e", "ml.m5.large", "-m", "none", "--no-wait"],
    fails: /^error: ResourceNotFound: model none\n/,
  },
  { command: "deploy", args: LEAST.slice(1), prints: /^shop\n$/ },
  { command: "list-jobs", prints: /^(\S+ {2}\w+ {2}.+\n){4}$/ },
  { command: "describe", args: ["churn"], prints: /^Name: {11}churn\n/ },
  { command: "logs", args: ["churn"], prints: /^$/ },
  { command: "wait", args: ["churn"], prints: /^s3:\/\/data\/output\// },
  { command: "stop-job", args: ["late"], prints: /^late\n$/ },
  {
    command: "download-model",
    args: [`s3://${BUCKET}/${KEY}`, "--to", "model"],
    prints: /^model\n$/,
  },
  { command: "download-output", args: ["late"], fails: /^error: The job has no output yet: late / },
  { command: "list-endpoints", prints: /^shop {2}InService {2}.+\n$/ },
  { command: "invoke-endpoint", args: ["-n", "shop", "rows.csv"], prints: /^1\n$/ },
  { command: "delete-endpoint", args: ["-n", "shop"], prints: /^shop\n$/ },
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

  for (const { command, args = [], prints, fails } of ROWS) {
    it(`runs: mlcli ${command}`, async () => {
      await using pushes = await pushesOf(job);
      const { socket } = command === "push" ? pushes : engine;
      const isLocal = /^(local|push)/.test(command);
      const words = [...command.split(" ").filter((word) => word !== ""), ...args];
      const { code, stdout, stderr } = await runCloud(job.box, words, {
        cwd: job.app.directory,
        env: { DOCKER_HOST: isLocal ? `unix://${socket}` : "unix:///nonexistent.sock" },
      });
      assertEquals(code === 0, prints !== undefined, stderr);
      assertMatch(prints ? stdout : stderr, (prints ?? fails)!);
    });
  }

  it("has a row", async () => {
    const commands = (await commandPaths()).map((names) => names.join(" "));
    assertEquals(ROWS.map(({ command }) => command).sort(), commands.toSorted());
  });
});
