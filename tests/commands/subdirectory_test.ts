/** Commands in a directory below that of `NAME.json`, in a git work tree. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join, relative } from "@std/path";
import { completionValues } from "../../commands/completions/values.ts";
import { connectToAws } from "../../runtime/cloud/connection.ts";
import type { AwsSettings } from "../../runtime/aws/settings.ts";
import { completeApp, type TestApp } from "../helpers/app.ts";
import { fakeContainers, frame, listedServer } from "../helpers/fake_containers.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { runInProcess } from "../helpers/in_process.ts";
import { lastRun } from "../helpers/runs.ts";
import { it, suite } from "../helpers/suite.ts";

const FILES = {
  "../../.git/HEAD": "",
  "../../sub/dir/data/rows.csv": "1\n",
  "../../sub/dir/own.env": "A=1\n",
  "../../src/run.py": "",
};

function appWith(configuration: Readonly<Record<string, unknown>> = {}): Promise<TestApp> {
  return completeApp({ files: FILES, configuration });
}

const below = (app: TestApp): string => join(app.directory, "sub/dir");

async function run(app: TestApp, args: readonly string[], cwd = below(app)) {
  await using engine = await fakeContainers({
    program: ({ err, end }) => {
      err("trained\n");
      end(0);
    },
  });
  const result = await runInProcess(args, { cwd, engine });
  const [create] = engine.callsOf("POST /containers/create");
  return { ...result, body: create?.body as { Env: string[]; HostConfig: { Mounts: Mount[] } } };
}

interface Mount {
  readonly Source: string;
  readonly Target: string;
}

const notesOf = (stderr: string) => stderr.split("\n").filter((line) => line.includes("Using "));

suite("a command in a subdirectory", () => {
  it("names the configuration file once, as the user would type it", async () => {
    await using app = await appWith();
    const { code, stdout, stderr } = await run(app, ["local", "train"], app.path("training"));
    assertEquals({ code, stdout }, { code: 0, stdout: "" }, stderr);
    assertEquals(notesOf(stderr), [`note: Using ../../../${app.name}.json`]);
  });

  it("does not name the file with --quiet", async () => {
    await using app = await appWith();
    const { code, stderr } = await run(app, ["local", "train", "--quiet"]);
    assertEquals({ code, notes: notesOf(stderr) }, { code: 0, notes: [] }, stderr);
  });

  it("does not name the file in the app's own directory", async () => {
    await using app = await appWith();
    const { stderr } = await run(app, ["local", "train"], app.directory);
    assertEquals(notesOf(stderr), []);
  });

  it("reads typed paths relative to the current directory, and records them for any", async () => {
    await using app = await appWith();
    const options = ["--input", "training=data", "--env-file", "own.env"];
    const { code, stderr, body } = await run(app, ["local", "train", ...options]);
    assertEquals(code, 0, stderr);
    const { Source } = body.HostConfig.Mounts.find(({ Target }) => Target.endsWith("/training"))!;
    assertEquals(Source, join(below(app), "data"));
    assert(body.Env.includes("A=1"));
    const record = await lastRun(app, "job.json");
    const { channels } = JSON.parse(await Deno.readTextFile(record));
    assertEquals(channels, { training: "sub/dir/data" });
  });

  it("reads paths of the file relative to the file", async () => {
    await using app = await appWith({ source_dir: "src", launcher: "script" });
    const args = ["local", "process", "--entry-point", "run.py"];
    const { code, stderr } = await run(app, args);
    assertEquals(code, 0, stderr);
    const typed = await run(app, [...args, "--source-dir", "../../src"]);
    assertEquals(typed.code, 0, typed.stderr);
    const wrong = await run(app, [...args, "--source-dir", "src"]);
    assertStringIncludes(wrong.stderr, "error: Not a directory: src\n");
  });

  it("runs a typed file of the current directory", async () => {
    await using app = await appWith();
    const args = ["local", "process", "--entry-point", "run.py"];
    const { code, stderr } = await run(app, args, join(app.directory, "src"));
    assertEquals(code, 0, stderr);
    const outside = await run(app, args);
    assertStringIncludes(outside.stderr, "run.py");
    assertEquals(outside.code, 1);
  });

  it("shows paths that can be pasted", async () => {
    await using app = await appWith();
    await run(app, ["local", "train"]);
    const args = ["local", "list-jobs", "last", "--output", "json"];
    const { stdout } = await run(app, args);
    const log = await lastRun(app, "log");
    assertEquals(JSON.parse(stdout).log, relative(below(app), log));
  });

  it("shows the command that completes the app", async () => {
    await using app = await appWith();
    await Deno.remove(app.path("Dockerfile"));
    const { code, stderr } = await run(app, ["build"]);
    assertEquals(code, 1);
    assertStringIncludes(
      stderr,
      `error: Dockerfile not found: ../../${app.name}/mlcli_base/Dockerfile\n` +
        `hint: Add the missing files: mlcli --directory ../.. init ${app.name}\n`,
    );
  });

  for (const command of ["stop", "logs"]) {
    it(`runs local ${command} for the app's server without a question`, async () => {
      await using app = await appWith();
      const labels = { "mlcli.app": app.name, "mlcli.directory": app.mark };
      const names = { Names: [`/mlcli-${app.name}-serve-8080`] };
      await using engine = await fakeContainers({
        containers: [listedServer(8080, names, labels)],
        answers: { "GET /containers/ID/logs": () => new Response(frame(1, "hello\n").slice()) },
      });
      const { code, stderr } = await runInProcess(["local", command], { cwd: below(app), engine });
      assertEquals(code, 0, stderr);
    });
  }

  it("completes the app's scripts", async () => {
    await using app = await appWith();
    const context = fakeContext({ cwd: below(app) });
    assertEquals(await completionValues("app", context), [app.name]);
    assertEquals(await completionValues("script", context), ["p.py"]);
  });

  it("takes the region from the app, but not for an app that is being made", async () => {
    await using app = await appWith({ cloud_region: "eu-west-1" });
    const regions: unknown[] = [];
    const host = {
      ...fakeContext({ cwd: below(app) }),
      aws: (settings: AwsSettings) => {
        regions.push(settings.region?.value);
        return Promise.reject(new Error("no service"));
      },
    };
    const choice = {
      appName: undefined,
      region: undefined,
      profile: undefined,
      iamRoleArn: undefined,
    };
    await connectToAws(choice, host).catch(() => {});
    await connectToAws({ ...choice, isNew: true }, host).catch(() => {});
    assertEquals(regions, ["eu-west-1", undefined]);
  });

  it("makes a new app with init", async () => {
    await using app = await appWith();
    const { code, stderr } = await run(app, ["init", app.name, "--region", "eu-west-1"]);
    assertEquals(code, 0, stderr);
    assertStringIncludes(
      stderr,
      `note: This directory is part of the app of ../../${app.name}.json; creating another app here\n`,
    );
    assert((await Deno.stat(join(below(app), `${app.name}.json`))).isFile);
  });
});
