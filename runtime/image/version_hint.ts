/** Suggests names and versions for a requirement that an index does not have. */

import { DISTRIBUTIONS, normalizedName, STANDARD } from "../contract/missing_modules.ts";
import { closest } from "../text.ts";

/** pip, src/pip/_internal/resolution/resolvelib/factory.py; uv, crates/uv-resolver/src/pubgrub. */
const NO_VERSION =
  /^(?:ERROR: )?\s{0,8}Could not find a version that satisfies the requirement ([\w.-]+)(.{0,300}?) \(from versions: ([^)]*)\)|Because ([\w.-]{1,200}) was not found in the package registry/;

export interface Absent {
  readonly name: string;
  /** `[standard]`; mostly empty. */
  readonly extras: string;
  readonly pinned: string | undefined;
  /** The distribution that requires it. */
  readonly by: string | undefined;
  /** Versions in the index for the image's Python and platform, from old to new. */
  readonly versions: readonly string[];
  readonly lines: readonly string[];
}

/** Returns the requirement that an index does not have; undefined: it has them all. */
export function absentIn(lines: readonly string[]): Absent | undefined {
  const match = lines.map((line) => NO_VERSION.exec(line)).findLast((match) => match !== null);
  if (!match) return undefined;
  const [, , rest = "", list = "none"] = match;
  const name = match[1] ?? match[4]!;
  const [, extras = "", pinned] = /^(\[.*\])?(?:===?\s*([\w.+!-]+))?/.exec(rest) ?? [];
  const versions = list.split(", ").filter((version) => version !== "" && version !== "none");
  // pip found it, and could not build it.
  if (pinned !== undefined && versions.includes(pinned)) return undefined;
  const by = /\(from ([A-Za-z0-9][\w.-]*)/.exec(rest)?.[1];
  return { name, extras, pinned, by, versions, lines };
}

/** Distributions by the normalized forms of their names and of their modules. */
const FORMS: ReadonlyMap<string, string> = new Map(
  [...DISTRIBUTIONS].flatMap(([module, name]) =>
    [module, name].map((form) => [normalizedName(form), name])
  ),
);

/** Returns a hint with `{place}`, `{file}` and `{python}`. */
export function versionHint(absent: Absent): string {
  const { name, pinned, by, versions, lines } = absent;
  if (by !== undefined) {
    return `Use another version of ${by} in {place}: it requires ${name}, which the index lacks`;
  }
  const python = neededPython(pinned, lines);
  if (versions.length > 0) return otherVersion(absent, python);
  const form = normalizedName(name);
  const known = FORMS.get(form);
  if (known !== undefined && normalizedName(known) !== form) {
    return `Use ${known} instead of ${name} in {place}`;
  }
  if (known === undefined && STANDARD.has(name)) {
    return `Remove ${name} from {place}: it is part of Python`;
  }
  if (known !== undefined || python !== undefined) {
    const other = python === undefined
      ? ", or build for --platform linux/amd64"
      : ` (Python ${python})`;
    return `Choose {python}${other}: no version of ${name} fits the image's Python and platform`;
  }
  const near = FORMS.get(closest(form, [...FORMS.keys()]) ?? "");
  const question = near ? `Did you mean ${near}? ` : "";
  return `${question}Fix ${name} in {place}. If a private index has it, ` +
    "add this line to {file}:\n  --extra-index-url https://HOST/simple";
}

function otherVersion({ name, extras, pinned = "", versions }: Absent, python?: string): string {
  const stable = versions.filter((version) => /^[\d.]+(?:\.?post\d+)?$/.test(version));
  const choice = stable.length > 0 ? stable : versions;
  const [plain = "", local] = pinned.split("+");
  // The newest probably has wheels; with another first number, it might be incompatible.
  const start = /^[1-9]\d*\./.exec(pinned)?.[0] ?? "";
  const newest = choice.findLast((version) => version.startsWith(start)) ?? choice.at(-1);
  const other = `${name}${extras}==${versions.includes(plain) ? plain : newest}`;
  if (local !== undefined && !versions.some((version) => version.includes("+"))) {
    const isTorch = /^torch(?:vision|audio)?$/.test(name);
    return `Use ${other} in {place}, or add this line to {file}, because PyPI has no +${local}:\n` +
      `  --extra-index-url https://${
        isTorch ? `download.pytorch.org/whl/${local}` : "HOST/simple"
      }`;
  }
  const needs = python === undefined ? " might need another Python" : ` needs Python ${python}`;
  return `Use ${other} in {place}, or another version that the index has` +
    (pinned === "" ? "" : `. Version ${pinned}${needs}: choose {python}.`);
}

/** Returns the Python that a version needs: pip names it for each version that it ignored. */
function neededPython(pinned: string | undefined, lines: readonly string[]): string | undefined {
  const list = lines.find((line) => line.includes("require a different python version: ")) ?? "";
  return list.replace(/^.*version: /, "").split("; ")
    .map((entry) => entry.split(" Requires-Python "))
    .find(([version]) => version === pinned)?.[1];
}
