import { homedir } from "node:os";
import { fileErrorReason } from "../errors.ts";
import { isNamedPipe } from "../files.ts";
import { AwsError } from "./errors.ts";
import { shellWord } from "../text.ts";

export type Environment = (name: string) => string | undefined;

export type ProfilesFile = "config" | "credentials";

/** A section's head; a name may be in quotes. */
const SECTION = /^\s*\[\s*(profile\s+)?["']?(.+?)["']?\s*\]/gm;

interface Section {
  /** Its head without `profile`: `services local`. */
  readonly name: string;
  readonly profile: string | undefined;
  readonly text: string;
}

/**
 * Checks that a profile exists. Without this, the SDK would go on to other credentials, look for
 * instance metadata, and end with 'no credentials'.
 *
 * @param instead what else could be done, for the hint.
 * @throws AwsError when neither file has the profile.
 */
export async function checkProfile(
  profile: { readonly value: string; readonly where: string },
  env: Environment,
  instead = "",
): Promise<void> {
  for (const file of FILES) {
    const sections = sectionsOf(await textOf(pathOf(file, env)), file);
    if (sections.some((section) => section.profile === profile.value)) return;
  }
  const paths = FILES.map((file) => pathOf(file, env)).join(" or ");
  throw new AwsError("credentials", `AWS profile "${profile.value}" not found`, {
    hint: `Check ${profile.where}: ${paths} must contain the profile. Create it with ` +
      `aws configure --profile ${shellWord(profile.value)}, or list all profiles with ` +
      `aws configure list-profiles.${instead}`,
  });
}

/** The names of all profiles, each once. @throws AwsError when a file is there and cannot be read. */
export async function profileNames(env: Environment): Promise<readonly string[]> {
  const texts = await Promise.all(FILES.map((file) => textOf(pathOf(file, env))));
  const names = texts.flatMap((text, index) =>
    sectionsOf(text, FILES[index]!).flatMap(({ profile }) => profile ?? [])
  );
  return [...new Set(names)].sort();
}

/**
 * The value of a profile's key, from the first of the two files that has it; `undefined` where none
 * has. Profiles that point to others are not followed.
 *
 * @throws AwsError when a file is there and cannot be read.
 */
export async function profileValue(
  profile: string,
  key: string,
  env: Environment,
): Promise<string | undefined> {
  for (const file of FILES) {
    const value = await valueInFile(file, profile, key, env);
    if (value !== undefined) return value;
  }
}

/** The same from one of the files. */
export async function valueInFile(
  file: ProfilesFile,
  profile: string,
  key: string,
  env: Environment,
): Promise<string | undefined> {
  const sections = sectionsOf(await textOf(pathOf(file, env)), file);
  // The last one counts.
  return sections.filter((section) => section.profile === profile)
    .map(({ text }) => valueIn(text, key))
    .findLast((value) => value !== undefined);
}

function sectionsOf(text: string, file: ProfilesFile): readonly Section[] {
  const heads = [...text.matchAll(SECTION)];
  return heads.map(({ 0: head, 1: prefix, 2: name = "", index: start }, position) => ({
    name,
    profile: profileOf(prefix !== undefined, name, file),
    text: text.slice(start + head.length, heads[position + 1]?.index),
  }));
}

/** `[NAME]` in the credentials file, `[profile NAME]` in the other one, where `[default]` is one. */
function profileOf(isMarked: boolean, name: string, file: ProfilesFile): string | undefined {
  const isProfile = file === "credentials" ? !isMarked : isMarked || name === "default";
  return isProfile ? name : undefined;
}

/** As the SDK reads it: after a key without a value, lines that are indented belong to that key. */
function valueIn(text: string, key: string): string | undefined {
  let found: string | undefined;
  let isNested = false;
  for (const line of text.split("\n")) {
    const [name = "", ...rest] = line.split(/(?:^|\s)[;#]/)[0]!.split("=");
    if (rest.length === 0) continue;
    const value = rest.join("=").trim();
    if (isNested && value !== "" && /^\s/.test(line)) continue;
    isNested = value === "";
    if (!isNested && name.trim() === key) found = value;
  }
  return found;
}

/**
 * The value of a nested key in a section that is not a profile: `endpoint_url` under `s3` in
 * `[services local]`.
 *
 * @throws AwsError when the file is there and cannot be read.
 */
export async function nestedValue(
  name: string,
  key: string,
  nested: string,
  env: Environment,
): Promise<string | undefined> {
  const sections = sectionsOf(await textOf(pathOf("config", env)), "config");
  return sections.filter((section) => section.profile === undefined && section.name === name)
    .map(({ text }) => nestedValueIn(text, key, nested))
    .findLast((value) => value !== undefined);
}

function nestedValueIn(text: string, key: string, nested: string): string | undefined {
  let found: string | undefined;
  let parent: string | undefined;
  for (const line of text.split("\n")) {
    const [name = "", ...rest] = line.split(/(?:^|\s)[;#]/)[0]!.split("=");
    if (rest.length === 0) continue;
    if (!/^\s/.test(line)) parent = name.trim();
    else if (parent === key && name.trim() === nested) found = rest.join("=").trim();
  }
  return found;
}

const FILES: readonly ProfilesFile[] = ["config", "credentials"];

/** Where each file is, for the SDK too. A variable that is empty counts as not set. */
function pathOf(file: ProfilesFile, env: Environment): string {
  const path = file === "config"
    ? env("AWS_CONFIG_FILE") || "~/.aws/config"
    : env("AWS_SHARED_CREDENTIALS_FILE") || "~/.aws/credentials";
  return path.replace(/^~(?=\/)/, () => homeOf(env));
}

/** The user's home directory, also where no variable names it. */
export function homeOf(env: Environment): string {
  return env("HOME") || env("USERPROFILE") || homedir();
}

async function textOf(file: string): Promise<string> {
  try {
    if (await isNamedPipe(file)) throw new Error("it is a named pipe");
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw new AwsError("credentials", `Cannot read ${file}: ${fileErrorReason(error)}`, {
      hint: "Check that it is a regular file and that you can read it",
      cause: error,
    });
  }
}
