import { NotConfigured } from "../runtime/aws/errors.ts";
import { sentences } from "../runtime/text.ts";
import localGroup from "./local/local.ts";

/**
 * Adds `mlcli local NAME` to the hint of the cloud command NAME if it found no credentials: the user
 * might have meant the local one. Returns all other errors unchanged.
 *
 * @param names those that lead to the command, without `mlcli`: `["list-jobs"]`.
 */
export function withLocalCommand(error: unknown, names: readonly string[]): unknown {
  const [name = ""] = names;
  if (!(error instanceof NotConfigured) || !Object.hasOwn(localGroup.commands, name)) return error;
  const { message, hint, quote, cause } = error;
  return new NotConfigured(message, {
    hint: sentences(hint, `To use this machine instead of AWS: mlcli local ${name}`),
    quote,
    cause,
  });
}
