/**
 * What is wrong with a command line.
 *
 * @module
 */

import { UsageError } from "../runtime/errors.ts";
import type { Group } from "./command.ts";

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
