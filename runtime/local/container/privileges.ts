/**
 * Programs that fail because mlcli does not let them gain privileges.
 *
 * @module
 */

/** How much of the end of its output is looked at, in bytes. */
const TELLING_LENGTH = 8192;

/**
 * What sudo says, since 1.9 and before (`sudo.c`, `sudo_check_suid`). There is no other way to
 * notice it.
 */
const REFUSALS = /"no new privileges" flag is set|effective uid is not 0/;

/** What to do about it. */
const HINT = "--allow-privileges lets programs of the image gain privileges, as sudo does.";

/** Listens to what a program writes. (On a terminal, its standard error is not told apart.) */
export class PrivilegeWatch {
  #end = new Uint8Array();

  /** Takes the next bytes. */
  hear(bytes: Uint8Array): void {
    const end = new Uint8Array(Math.min(this.#end.length + bytes.length, TELLING_LENGTH));
    const kept = this.#end.subarray(Math.max(0, this.#end.length + bytes.length - end.length));
    end.set(kept);
    end.set(bytes.subarray(-end.length), Math.max(0, end.length - bytes.length));
    this.#end = end;
  }

  /** The hint, if the program said that it needs privileges. */
  get hint(): string | undefined {
    return privilegesHint(new TextDecoder().decode(this.#end));
  }
}

/** The hint, if what a program wrote says that it needs privileges. */
export function privilegesHint(text: string): string | undefined {
  return REFUSALS.test(text) ? HINT : undefined;
}
