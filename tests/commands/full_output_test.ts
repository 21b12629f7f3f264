import { assertEquals, assertMatch } from "@std/assert";
import { MlcliError } from "../../runtime/errors.ts";
import { completeApp } from "../helpers/app.ts";
import {
  DATA,
  downloadOfTrained,
  invocation,
  PROCESS,
  TRAIN,
  trained,
} from "../helpers/cloud_lines.ts";
import { LEAST, makeDeployApp } from "../helpers/deploy_app.ts";
import { fakeContainers } from "../helpers/fake_containers.ts";
import { pushesOf } from "../helpers/fake_pushes.ts";
import { runInProcess } from "../helpers/in_process.ts";
import type { JobApp } from "../helpers/job_app.ts";
import { addJob, COMPLETED } from "../helpers/jobs.ts";
import { it, suite } from "../helpers/suite.ts";

/** What a stream on a full disk throws (`tests/commands/streams_test.ts`, on /dev/full). */
const outputError = new MlcliError("Cannot write to standard output: No space left on device");
const SAID = /^error: Cannot write to standard output: No space left on device$/m;

const server = (port: number) => ({
  Id: "abc",
  Names: [`/mlcli-demo-serve-${port}`],
  Image: "demo:latest",
  State: "running",
  Status: "Up",
  Created: 0,
  Labels: { "mlcli.app": "demo", "mlcli.role": "serve", "mlcli.port": String(port) },
});

suite("a result that standard output has no room for is a failure of", () => {
  for (
    const args of [
      ["local", "status"],
      ["local", "status", "--output", "json"],
      ["local", "list-jobs"],
      ["local", "list-jobs", "--output", "json"],
      ["local", "stop", "-p", "PORT"],
      ["local", "logs", "-p", "PORT"],
      ["local", "invoke", "-p", "PORT", "rows.csv"],
      ["local", "train"],
      ["local", "process", "--file", "p.py"],
      ["doctor", "--output", "json"],
      ["init", "other", "--base-image", "python:3.12"],
      ["build"],
      ["help"],
    ] as const
  ) {
    it(`mlcli ${args.join(" ")}`, async () => {
      await using app = await completeApp();
      await app.write(`${app.directory}/rows.csv`, "1\n");
      await using ping = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen: () => {} },
        () => new Response("answer"),
      );
      await using engine = await fakeContainers({
        containers: [server(ping.addr.port)] as never,
        answers: {
          "GET /containers/ID/logs": () => new Response("\x01\0\0\0\0\0\0\x02a\n"),
          async "POST /build"(request) {
            await request.body?.pipeTo(new WritableStream());
            return Response.json({ aux: { ID: "sha256:0123" } });
          },
        },
        program: ({ out, end }) => (out("said\n"), end(0)),
      });
      const run = (options: object) =>
        runInProcess(args.map((arg) => arg === "PORT" ? String(ping.addr.port) : arg), {
          cwd: app.directory,
          engine,
          ...options,
        });
      // A run, for the list of them.
      if (args[1] === "list-jobs") {
        await runInProcess(["local", "train"], { cwd: app.directory, engine });
      }
      const { code, stdout, stderr } = await run({ outputError });
      assertEquals([code, stdout], [1, ""], stderr);
      assertMatch(stderr, SAID);
      assertEquals(engine.left, []);
    });
  }
});

/** A command that only looks, and one that does something, which is to be named on standard error. */
type Row = readonly [
  title: string,
  args: (job: JobApp) => readonly string[] | Promise<readonly string[]>,
  done?: RegExp,
];

const ROWS: readonly Row[] = [
  ["train", () => TRAIN, /test-[0-9a-f]+-\d{4}-/],
  ["train --no-wait", () => [...TRAIN, "--no-wait"], /test-[0-9a-f]+-\d{4}-/],
  ["process", () => PROCESS, /test-[0-9a-f]+-\d{4}-/],
  ["process --no-wait", () => [...PROCESS, "--no-wait"], /test-[0-9a-f]+-\d{4}-/],
  ["deploy", () => LEAST, /shop/],
  ["push", () => ["push"], /test-[0-9a-f]+/],
  [
    "upload-data",
    () => ["upload-data", "-i", "data", "--target-dir", DATA],
    /Uploaded 1 file |1 unchanged/,
  ],
  ["list-jobs", async (job) => {
    await trained(job);
    return ["list-jobs"];
  }],
  ["list-endpoints", () => ["list-endpoints"]],
  ["describe", async (job) => ["describe", await trained(job)]],
  ["wait", async (job) => ["wait", await trained(job)]],
  ["logs", ({ box }) => {
    addJob(box, "churn", [{ log: ["said"] }, ...COMPLETED]);
    return ["logs", "churn", "--follow"];
  }],
  ["stop-job", async (job) => ["stop-job", await trained(job)]],
  ["download-model", downloadOfTrained, /bytes from s3:/],
  ["invoke-endpoint", invocation],
  ["delete-endpoint", ({ box }) => {
    box.endpoints.add("churn");
    return ["delete-endpoint", "-n", "churn"];
  }],
];

suite(
  "a result of the cloud that standard output has no room for is a failure, and what was done is said, of",
  () => {
    for (const [title, args, done] of ROWS) {
      it(`mlcli ${title}`, async () => {
        await using job = await makeDeployApp();
        await using engine = await pushesOf(job);
        await job.app.write(`${job.app.directory}/data/a.csv`, "1\n");
        const line = await args(job);
        const { code, stdout, stderr } = await job.run(line, {
          outputError,
          ...title === "push" && { engine },
        });
        assertEquals([code, stdout], [1, ""], stderr);
        assertMatch(stderr, SAID);
        if (done) assertMatch(stderr, done);
      });
    }
  },
);
