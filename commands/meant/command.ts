/**
 * What somebody meant who typed a command that there is not: only what is close, or what other
 * programs call so.
 *
 * @module
 */

import { alternatives, closest } from "../../runtime/text.ts";
import { UsageError } from "../../runtime/errors.ts";
import type { Group } from "../command.ts";
import { wrongUse } from "../usage.ts";
import { beginningWith, type Path, pathsOf } from "./paths.ts";

/**
 * What people look for at the top level and find in one half, or in both; and what other programs
 * call our commands.
 */
const ELSEWHERE: Readonly<Record<string, readonly Path[]>> = {
  create: ["init"],
  delete: ["local stop", "delete-endpoint"],
  invoke: ["local invoke", "invoke-endpoint"],
  list: ["local status", "list-jobs", "list-endpoints"],
  ls: ["local status", "list-jobs", "list-endpoints"],
  new: ["init"],
  predict: ["local invoke", "invoke-endpoint"],
  ps: ["local status", "list-jobs", "list-endpoints"],
  run: ["local train", "local process"],
  serve: ["local deploy", "deploy"],
  status: ["local status", "list-jobs", "list-endpoints"],
  stop: ["local stop", "stop-job", "delete-endpoint"],
  version: ["--version"],
};

/**
 * An error for a command that there is not.
 *
 * @param names those that lead to the group: `["local"]`.
 * @param next what was typed after it: `train` of `LOCAL train`.
 */
export async function unknownCommand(
  names: readonly string[],
  name: string,
  root: Group,
  next = "",
): Promise<UsageError> {
  const message = `Unknown command "${name}".`;
  const path = ["mlcli", ...names].join(" ");
  const meant = await meantBy(names, name, root);
  const whole = `${meant[0]} ${next.toLowerCase()}`;
  const isGroup = meant.length === 1 && (await pathsOf(root)).includes(whole);
  const hint = hintTo(isGroup ? [whole] : meant, path);
  return hint === undefined ? wrongUse(path, message) : new UsageError(message, { hint });
}

async function meantBy(
  names: readonly string[],
  name: string,
  root: Group,
): Promise<readonly Path[]> {
  const paths = await pathsOf(root);
  if (name === "help") return [`help ${names.join(" ")}`.trim()];
  if (names.length === 0 && Object.hasOwn(ELSEWHERE, name)) {
    return ELSEWHERE[name]!.filter((path) => path.startsWith("--") || paths.includes(path));
  }
  const group = names.join(" ");
  const own = paths.filter((path) => groupOf(path) === group);
  const others = paths.filter((path) => groupOf(path) !== group);
  const same = others.filter((path) => lastOf(path) === name);
  const near = [...same, ...closeTo(name, own)];
  const found = near.length > 0 ? near : closeTo(name, others);
  // Whoever means training is not to pay for it by mistake.
  const twins = found.flatMap((path) => {
    const twin = groupOf(path) === "local" ? lastOf(path) : `local ${path}`;
    return names.length === 0 && paths.includes(twin) ? [twin] : [];
  });
  return [...new Set([...found, ...twins])];
}

function groupOf(path: Path): string {
  return path.split(" ").slice(0, -1).join(" ");
}

function lastOf(path: Path): string {
  return path.split(" ").at(-1)!;
}

/** Those whose last name was probably meant: the closest one, or all that begin so. */
function closeTo(name: string, paths: readonly Path[]): readonly Path[] {
  const near = closest(name, paths.map(lastOf));
  if (near !== undefined) return paths.filter((path) => lastOf(path) === near);
  return beginningWith(name.toLowerCase(), paths, lastOf);
}

function hintTo(paths: readonly Path[], path: string): string | undefined {
  if (paths.length === 0) return undefined;
  const commands = (meant: readonly Path[]) => meant.map((one) => `mlcli ${one}`);
  const here = paths.filter((one) => /^local /.test(one));
  const there = paths.filter((one) => !here.includes(one));
  if (here.length > 0 && there.length > 0) {
    return `On this machine: ${commands(here).join(", ")}; ` +
      `on SageMaker: ${commands(there).join(", ")}.`;
  }
  return `Did you mean ${alternatives(commands(paths))}? See ${path} --help.`;
}
