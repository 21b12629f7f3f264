/**
 * What is wrong with a command line.
 *
 * @module
 */

import { UsageError } from "../runtime/errors.ts";
import { type Group, isGroup } from "./command.ts";

/**
 * An error whose hint is the command's help.
 *
 * @param path the names that lead to the command: `mlcli local train`.
 * @param takesRest whether it takes what follows `--`, which somebody may have left out.
 */
export function wrongUse(path: string, message: string, takesRest = false): UsageError {
  const more = takesRest ? " Arguments of your code come after --." : "";
  return new UsageError(message, { hint: `${path} --help lists what it takes.${more}` });
}

/** What other programs call options that mlcli has by another name. */
const FOREIGN: Readonly<Record<string, string>> = { "-e": "--env", "--tag": "--docker-tag" };

/**
 * What Cliffy says of an unknown option, which suggests one that is spelt like it: with the option
 * that has its meaning, where the command has that.
 */
export function withOwnFlag(message: string, has: (flag: string) => boolean): string {
  const [, said = "", flag = ""] = /^(Unknown option "([^"]+)"\.)/.exec(message) ?? [];
  const own = Object.hasOwn(FOREIGN, flag) ? FOREIGN[flag] : undefined;
  return own !== undefined && has(own) ? `${said} Did you mean option "${own}"?` : message;
}

/**
 * An error for an option that a command does not know, and the command of the same name in the other
 * half does: `mlcli deploy --port 80`. `undefined` where there is none.
 *
 * @param message what Cliffy says.
 */
export async function optionOfTwin(
  path: string,
  message: string,
  root: Group,
): Promise<UsageError | undefined> {
  const [, said = "", flag = ""] = /^(Unknown option "([^"]+)"\.)/.exec(message) ?? [];
  if (flag === "" || Object.hasOwn(FOREIGN, flag)) return undefined;
  const names = path.split(" ").slice(1);
  const isLocal = names[0] === "local";
  const twin = isLocal ? names.slice(1) : ["local", ...names];
  if (!await isCommand(root, twin)) return undefined;
  const { topicOf } = await import("./topic.ts");
  const { path: other, options } = await topicOf(root, twin);
  const has = options.some(([own, { short, ...option }]) =>
    [own, short, "alias" in option ? option.alias : undefined].includes(flag as `--${string}`)
  );
  if (!has) return undefined;
  const where = isLocal ? "on SageMaker" : "on this machine";
  return new UsageError(said, {
    hint: `${other}, which runs ${where}, has it. ${path} --help lists what this one takes.`,
  });
}

async function isCommand(root: Group, names: readonly string[]): Promise<boolean> {
  let group: Group = root;
  for (const [index, name] of names.entries()) {
    if (!Object.hasOwn(group.commands, name)) return false;
    const declared = await group.commands[name]!.load();
    if (!isGroup(declared)) return index === names.length - 1;
    group = declared;
  }
  return false;
}

/**
 * What people look for at the top level and find in one half, or under another name: on this machine,
 * and on SageMaker.
 */
const TWINS: Readonly<Record<string, readonly [local: string, ...cloud: string[]]>> = {
  invoke: ["invoke", "invoke-endpoint"],
  stop: ["stop", "stop-job", "delete-endpoint"],
  status: ["status", "list-jobs", "list-endpoints"],
};

/** An unknown command, with those of both halves that may be meant. */
export function unknownCommand(path: string, name: string, root: Group): UsageError {
  const message = `Unknown command "${name}".`;
  if (path !== "mlcli" || !Object.hasOwn(TWINS, name)) return wrongUse(path, message);
  const [local, ...cloud] = TWINS[name]!;
  const there = cloud.filter((twin) => Object.hasOwn(root.commands, twin))
    .map((twin) => `mlcli ${twin}`);
  const more = there.length === 0 ? "" : `; on SageMaker: ${there.join(", ")}`;
  return new UsageError(message, { hint: `On this machine: mlcli local ${local}${more}.` });
}
