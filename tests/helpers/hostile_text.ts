import { assertEquals } from "@std/assert";

/** Clears the screen, in two ways; turns letters round. */
export const EVIL = "x\x1b[2J\u009b2J\u202ey";

// deno-lint-ignore no-control-regex
const OBEYED = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/;

/** Nothing of what was printed is a command to a terminal. */
export function assertHarmless(
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): void {
  assertEquals([OBEYED.exec(stdout), OBEYED.exec(stderr)], [null, null], stdout + stderr);
}
