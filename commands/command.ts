/**
 * What all commands share.
 *
 * A command declares its options when the tree is made, and imports what it runs when it runs: so
 * `--help` loads nothing but the tree. (By itself, Deno would look up all that these imports lead
 * to before it runs the first line; `lazy-dynamic-imports` in deno.json keeps it from that.)
 *
 * @module
 */

import { Command, ValidationError } from "@cliffy/command";
import type { Context } from "../runtime/context.ts";

/** A command of the tree, whatever its options: Cliffy's type carries each of them. */
// deno-lint-ignore no-explicit-any
export type AnyCommand = Command<any, any, any, any, any, any, any, any>;

/**
 * A command that only holds others: prints its help, or says which command it does not have.
 * (Cliffy 1.0 would print nothing, and call a mistyped command an argument too many.)
 */
export function groupCommand(context: Context): AnyCommand {
  const group: AnyCommand = new Command().arguments("[command:string]");
  return group.action((_options: unknown, name?: string) => {
    if (name !== undefined) throw new ValidationError(`Unknown command "${name}".`);
    context.out.print(group.getHelp());
  });
}
