/** Settings as values. */

import type { Setting } from "../../runtime/setting.ts";

/** A value of the command line. */
export function typed<T>(value: T, where = "--x"): Setting<T> {
  return { value, from: "typed", where };
}

/** A value of the app's configuration file. */
export function inFile<T>(value: T, where = '"x" in app.json'): Setting<T> {
  return { value, from: "file", where };
}
