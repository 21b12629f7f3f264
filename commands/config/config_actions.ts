import type { Context } from "../../runtime/context.ts";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import {
  PERSON_SETTINGS,
  personSettings,
  savePersonSettings,
  withSetting,
} from "../../runtime/person.ts";
import { inOneLine, printableJson } from "../../runtime/text.ts";
import type { GetOptions } from "./get.ts";
import type { ListOptions } from "./list.ts";
import type { SetOptions } from "./set.ts";

/** Prints a line a setting: `region=eu-west-1`. */
// deno-lint-ignore require-await -- an action is async
export async function listAction(
  { out, err, env }: Context,
  { output }: ListOptions,
): Promise<void> {
  const settings = personSettings(env);
  const known = Object.entries(settings).filter(([name]) => Object.hasOwn(PERSON_SETTINGS, name));
  out.print(
    output === "json"
      ? `${printableJson(Object.fromEntries(known), 2)}\n`
      : known.map(([name, value]) => `${name}=${textOf(value)}\n`).join(""),
  );
  if (known.length === 0 && err.isTerminal) {
    err.print("No settings. See what you can set: mlcli config --help\n");
  }
}

/** Prints the value; exit status 1 where there is none, as git does. */
// deno-lint-ignore require-await -- an action is async
export async function getAction({ out, env }: Context, { name }: GetOptions): Promise<void> {
  const value = personSettings(env)[name];
  if (value === undefined) {
    throw new MlcliError(`${name} is not set`, { hint: `Set it: mlcli config set ${name} VALUE` });
  }
  out.print(`${textOf(value)}\n`);
}

export async function setAction(
  { env }: Context,
  { name, value, unset }: SetOptions,
): Promise<void> {
  if ((value === undefined) !== unset) {
    throw new UsageError(`Expected either a value or --unset after "${name}"`, {
      hint: `Run mlcli config set ${name} VALUE, or mlcli config set ${name} --unset`,
    });
  }
  await savePersonSettings(withSetting(personSettings(env), name, value), env);
}

function textOf(value: string | readonly string[]): string {
  return inOneLine(typeof value === "string" ? value : value.join(","));
}
