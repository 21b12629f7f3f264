/**
 * A command line of each command, for the tests of all commands. A new command needs a row in
 * `COMMAND_LINES`; `each_command_test.ts` fails without it. If the command cannot pass one of the other
 * tests, add an exception with a reason to that test.
 */

import cloudGroup from "../../commands/cloud/cloud.ts";
import type { TestAppOptions } from "./app.ts";
import { DATA } from "./cloud_lines.ts";
import { commandTopics } from "./command_paths.ts";
import { LEAST, makeDeployApp, MODEL } from "./deploy_app.ts";
import { type FakeContainers, fakeContainers, frame, listedServer } from "./fake_containers.ts";
import { pushesOf } from "./fake_pushes.ts";
import type { InProcessOptions } from "./in_process.ts";
import { BUCKET, type JobApp } from "./job_app.ts";
import { addJob, COMPLETED } from "./jobs.ts";
import { makeRun } from "./made_runs.ts";
import { answerOrEnd } from "./ping_server.ts";
import type { ProgramResult } from "./program.ts";

/** A command line that a stage (`openStage`) can run. */
export interface CommandLine {
  /**
   * Its arguments. PORT stands for the port of a server of the app. `churn` is a completed job, `late`
   * a job in progress, `shop` an endpoint, and `rows.csv` and `data/` are data.
   */
  readonly args: string;
  /** Its result on standard output; if it starts with `^error`, the command fails with this error. */
  readonly prints: RegExp;
  /** Whether the command calls the engine. */
  readonly engine?: true;
  /** Other arguments with which the command calls other services. */
  readonly also?: readonly string[];
}

const START = `-i ${DATA} -e ml.m5.large --no-wait`;

export const COMMAND_LINES = {
  "": { args: "", prints: /\nUsage: mlcli COMMAND / },
  "init": { args: "flats --dry-run", prints: /^flats\.json\n/ },
  "build": { args: "", prints: /^test-\w+:latest\n$/, engine: true },
  "local": { args: "", prints: /\nUsage: mlcli local COMMAND / },
  "local train": { args: "", prints: /^said\n$/, engine: true },
  "local deploy": { args: "-p 0", prints: /^http:\/\/localhost:\d+\n$/, engine: true },
  "local process": { args: "-f p.py", prints: /^said\n$/, engine: true },
  "local transform": { args: "rows.csv", prints: /\/output\/transform\n$/, engine: true },
  "local shell": { args: "-- true", prints: /^said\n$/, engine: true },
  "local invoke": { args: "-p PORT rows.csv", prints: /^1\n$/, engine: true },
  "local stop": { args: "-p PORT", prints: /^mlcli-test-\w+-serve-\d+\n$/, engine: true },
  "local status": { args: "", prints: /^test-\w+ /, engine: true },
  "local list-jobs": { args: "", prints: / {2}Completed {2}/ },
  "local describe": { args: "1", prints: /^Name: +test-\S+\n/ },
  "local keep": { args: "none", prints: /^error: Run "none" does not exist\n/ },
  "local logs": { args: "-p PORT", prints: /^said\n$/, engine: true },
  "local ui": { args: "-a none", prints: /^error: / },
  "local report": {
    args: "",
    prints: /^test-\w+\/mlcli_base\/local_test\/jobs\/report\.html\n$/,
  },
  "doctor": { args: "", prints: /^ok {7}/, engine: true },
  "config": { args: "", prints: /\nUsage: mlcli config COMMAND / },
  "config list": { args: "", prints: /^$/ },
  "config get": { args: "region", prints: /^error: region is not set\n/ },
  "config set": { args: "region eu-west-1", prints: /^error: .*config\.json: Not a directory\n/ },
  "completions": { args: "", prints: /\nUsage: mlcli completions / },
  "completions bash": { args: "", prints: /^_mlcli\(\) \{\n/ },
  "completions zsh": { args: "", prints: /^#compdef mlcli\n/ },
  "completions fish": { args: "", prints: /^function __mlcli_complete\n/ },
  "completions powershell": { args: "", prints: /^Register-ArgumentCompleter / },
  "completions complete": { args: "-- lo", prints: /\tCreate an app / },
  "help": { args: "local train", prints: /\nUsage: mlcli local train / },
  "cloud": { args: "", prints: /\nUsage: mlcli cloud COMMAND / },
  "push": { args: "", prints: /^localhost:\d+\/test-\w+@sha256:[0-9a-f]{64}\n$/ },
  "upload-data": {
    args: `-i data --target-dir s3://${BUCKET}/sent`,
    prints: new RegExp(`^s3://${BUCKET}/sent/\\n$`),
  },
  "train": { args: START, prints: /^test-\S+\n$/ },
  "process": { args: `-f p.py ${START}`, prints: /^test-\S+\n$/ },
  "transform": { args: `-m ${MODEL} --content-type text/csv ${START}`, prints: /^test-\S+\n$/ },
  "deploy": { args: LEAST.slice(1).join(" "), prints: /^shop\n$/ },
  "list-jobs": { args: "", prints: /^(\S+ {2}\w+ {2}.+\n){2,}$/ },
  "describe": { args: "churn", prints: /^Name: {11}churn\n/, also: ["shop"] },
  "logs": { args: "churn", prints: /^one\n$/, also: ["churn --follow", "shop"] },
  "wait": { args: "churn", prints: /^s3:\/\/data\/output\//, also: ["shop"] },
  "stop-job": { args: "late", prints: /^late\n$/ },
  "download-model": { args: `${MODEL} --to fetched`, prints: /^fetched\n$/ },
  "download-output": { args: "late", prints: /^error: Job late has no output yet / },
  "list-endpoints": { args: "", prints: /^shop {2}InService {2}.+\n$/ },
  "invoke-endpoint": { args: "-n shop rows.csv", prints: /^1\n$/ },
  "delete-endpoint": { args: "-n shop", prints: /^shop\n$/ },
} as const satisfies Readonly<Record<string, CommandLine>>;

export type CommandName = keyof typeof COMMAND_LINES;

/** Commands that a test leaves out or tests otherwise, each with the reason. */
export type Exceptions = Readonly<Partial<Record<CommandName, string>>>;

export const COMMANDS = Object.keys(COMMAND_LINES) as readonly CommandName[];

/** The commands that run on SageMaker. */
export const CLOUD_COMMANDS = COMMANDS.filter((name) => Object.hasOwn(cloudGroup.commands, name));

/** The commands that do not run on SageMaker, and the groups. */
export const LOCAL_COMMANDS = COMMANDS.filter((name) => !CLOUD_COMMANDS.includes(name));

/** Returns the commands without the exceptions. */
export function except(
  commands: readonly CommandName[],
  ...exceptions: readonly Exceptions[]
): readonly CommandName[] {
  return commands.filter((name) => !exceptions.some((one) => name in one));
}

/** Returns the commands that declare an option. */
export async function commandsWith(flag: string): Promise<readonly CommandName[]> {
  const topics = await commandTopics();
  return topics.filter(({ options }) => options.some(([one]) => one === flag))
    .map(({ path }) => path.replace("mlcli ", ""))
    // `each_command_test.ts` fails if a command has no row.
    .filter((name): name is CommandName => Object.hasOwn(COMMAND_LINES, name));
}

export function lineOf(name: CommandName): CommandLine {
  return COMMAND_LINES[name];
}

/** Returns the words of the command line. */
export function wordsOf(name: CommandName, args = lineOf(name).args): readonly string[] {
  return `${name} ${args}`.split(" ").filter((word) => word !== "");
}

/** Returns the words of the command line with options right after the name. */
export function wordsWith(name: CommandName, ...options: readonly string[]): readonly string[] {
  return [...name.split(" "), ...options, ...wordsOf(name).slice(name.split(" ").length)];
}

/** Returns the command lines of a command with all of its arguments. */
export function allWordsOf(name: CommandName): readonly (readonly string[])[] {
  const { args, also = [] } = lineOf(name);
  return [args, ...also].map((one) => wordsOf(name, one));
}

/** Whether the command line fails. */
export function fails(name: CommandName): boolean {
  return lineOf(name).prints.source.startsWith("^error");
}

/** Whether the command line prints a result. */
export function printsResult(name: CommandName): boolean {
  return !fails(name) && !lineOf(name).prints.test("");
}

/** What the command lines need: an app with data, an engine, and a SageMaker simulator. */
export interface Stage extends JobApp {
  readonly engine: FakeContainers;
  /** Returns the socket of the engine that the command needs; `undefined`: it needs none. */
  engineOf(name: CommandName): { readonly socket: string } | undefined;
  /** Replaces PORT. */
  filled(words: readonly string[]): readonly string[];
  /** Runs the command line in this process. */
  runCommand(name: CommandName, options?: Partial<InProcessOptions>): Promise<ProgramResult>;
}

const BUILT = '{"stream":"Step 1/1 : FROM scratch\\n"}\n{"aux":{"ID":"sha256:0123"}}\n';

/** Opens a stage on which each command line works once. */
export async function openStage(options?: TestAppOptions): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const job = stack.use(await makeDeployApp(options));
  const { app, box } = job;
  addJob(box, "churn", [{ log: ["one"] }, ...COMPLETED]);
  addJob(box, "late", []);
  box.endpoints.add("shop");
  await app.write(`${app.directory}/rows.csv`, "1\n");
  await app.write(`${app.directory}/data/a.csv`, "1\n");
  await makeRun(app, 1);
  const servers = stack.use(new AsyncDisposableStack());
  const server = stack.use(
    Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => new Response("1\n")),
  );
  const { port } = server.addr;
  const labels = { "mlcli.app": app.name, "mlcli.directory": app.mark };
  const names = { Names: [`/mlcli-${app.name}-serve-${port}`] };
  const listed = listedServer(port, names, labels);
  const containers = [listed];
  const engine = stack.use(
    await fakeContainers({
      containers,
      answers: {
        "GET /containers/ID/logs": () => new Response(frame(1, "said\n").slice()),
        "GET /images/json": () => Response.json([]),
        "GET /version": () => Response.json({ Version: "20.10.24", ApiVersion: "1.41" }),
        "POST /build": async (request) => {
          await request.body?.pipeTo(new WritableStream());
          return new Response(BUILT);
        },
      },
      onInput: () => {},
      program: (container) => {
        container.out("said\n");
        answerOrEnd(container, servers);
      },
    }),
  );
  const pushes = stack.use(await pushesOf(job));
  const all = stack.move();
  const stage: Stage = {
    ...job,
    engine,
    engineOf(name) {
      // The engine does not filter its list by port.
      containers.splice(0, 1, ...name === "local deploy" ? [] : [listed]);
      return name === "push" ? pushes : lineOf(name).engine && engine;
    },
    filled: (words) => words.map((word) => word === "PORT" ? String(port) : word),
    runCommand: (name, options) =>
      job.run(stage.filled(wordsOf(name)), { engine: stage.engineOf(name), ...options }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
  return stage;
}
