/**
 * What a newcomer has to read to follow a command: the modules of mlcli that it loads while it runs,
 * to its success, their folders and their lines: `deno task modules`, with `--list` by name.
 *
 * V8 counts what it has run (`DENO_COVERAGE_DIR`); types alone load nothing.
 */

import { dirname, fromFileUrl, join } from "@std/path";
import { LEAST, makeDeployApp } from "../../tests/helpers/deploy_app.ts";
import { ensureBaseImage } from "../engine/base_image.ts";
import { ensureEngine } from "../engine/engine.ts";
import { filesBelow } from "../files.ts";
import { runScript } from "../script.ts";
import { makeBenchApp } from "./local.ts";
import { layOut } from "./measure.ts";
import { mlcli, run } from "./program.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** A command line that succeeds, and where. */
interface Run {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

const PORT = "18082";

async function main(signal: AbortSignal): Promise<number> {
  const engine = await ensureEngine(signal);
  const baseImage = await ensureBaseImage("plain", engine, signal);
  engine.close();
  await using app = await makeBenchApp(baseImage);
  await using cloud = await makeDeployApp();
  const cwd = app.directory;
  const runs: readonly Run[] = [
    { args: ["local", "train"], cwd },
    { args: ["local", "deploy", "--port", PORT], cwd },
    { args: ["local", "stop", "--port", PORT], cwd },
    { args: LEAST, cwd: cloud.app.directory, env: cloud.box.env() },
  ];
  const rows: string[][] = [];
  for (const command of runs) {
    const modules = await loadedBy(command);
    const folders = new Set(modules.map(dirname));
    const name = `mlcli ${command.args.join(" ")}`;
    rows.push([name, modules.length, folders.size, await linesOf(modules)].map(String));
    if (Deno.args.includes("--list")) print([name, ...modules.toSorted()].join("\n  "));
  }
  print(layOut(["", "modules", "folders", "lines"], rows));
  return 0;
}

/** The modules of the program that a command loads, relative to the project's directory. */
async function loadedBy({ args, cwd, env }: Run): Promise<readonly string[]> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-modules-" });
  try {
    await run(mlcli(...args), { cwd, env: { ...env, DENO_COVERAGE_DIR: directory } });
    const modules: string[] = [];
    for await (const name of filesBelow(directory)) {
      const { url } = JSON.parse(await Deno.readTextFile(join(directory, name)));
      const path = url.startsWith("file:") ? fromFileUrl(url) : "";
      if (path.startsWith(ROOT) && path.endsWith(".ts")) modules.push(path.slice(ROOT.length));
    }
    return modules.filter((path) => !path.startsWith("vendor/"));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function linesOf(modules: readonly string[]): Promise<number> {
  const texts = await Promise.all(modules.map((path) => Deno.readTextFile(join(ROOT, path))));
  return texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
}

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

if (import.meta.main) runScript(main);
