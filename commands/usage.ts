/**
 * What is wrong with a command line.
 *
 * @module
 */

import { UsageError } from "../runtime/errors.ts";

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
