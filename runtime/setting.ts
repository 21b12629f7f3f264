/** Values of settings, and who set them. */

/** Who can set something, the strongest first. */
const LEVELS = ["typed", "variable", "file", "person", "default"] as const;

/**
 * - `typed`: the command line.
 * - `variable`: an environment variable.
 * - `file`: the app's configuration file. Someone else might have written it.
 * - `person`: the user's own settings (`mlcli config`).
 * - `default`: the declaration.
 */
export type Level = typeof LEVELS[number];

export interface Setting<T> {
  readonly value: T;
  readonly from: Level;
  /** Where to change it: `--kms-key`, `MLCLI_KMS_KEY`, `"kms_key" in "train" of flats.json`. */
  readonly where: string;
}

/** Whether one setting wins over another by its level. Every setting wins over `undefined`. */
export function outranks(
  one: Setting<unknown> | undefined,
  other: Setting<unknown> | undefined,
): boolean {
  const rank = (setting: Setting<unknown> | undefined): number =>
    setting === undefined ? LEVELS.length : LEVELS.indexOf(setting.from);
  return rank(one) < rank(other);
}
