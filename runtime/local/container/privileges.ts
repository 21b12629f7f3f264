/**
 * Programs that fail because mlcli does not let them gain privileges.
 *
 * @module
 */

import { Tail } from "./tail.ts";

/** How much of the end of standard error is looked at, in bytes. */
const TELLING_LENGTH = 8192;

/**
 * What sudo says, since 1.9 and before (`sudo.c`, `sudo_check_suid`). There is no other way to
 * notice it.
 */
const REFUSALS = /"no new privileges" flag is set|effective uid is not 0/;

/** What to do about it. */
const HINT = "--allow-privileges lets programs of the image gain privileges, as sudo does.";

/** Listens to what a program writes to standard error. */
export class PrivilegeWatch {
  readonly #end = new Tail(TELLING_LENGTH);

  /** Takes the next bytes. */
  hear(bytes: Uint8Array): void {
    this.#end.hear(bytes);
  }

  /** The hint, if the program said that it needs privileges. */
  get hint(): string | undefined {
    return privilegesHint(this.#end.text);
  }
}

/** The hint, if what a program wrote says that it needs privileges. */
export function privilegesHint(text: string): string | undefined {
  return REFUSALS.test(text) ? HINT : undefined;
}
