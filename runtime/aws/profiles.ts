/**
 * The profiles in the AWS configuration files.
 *
 * @module
 */

import { homedir } from "node:os";
import { AwsError } from "./errors.ts";
import type { Setting } from "./settings.ts";

type Environment = (name: string) => string | undefined;

/** `[NAME]` in the credentials file, `[profile NAME]` in the other one; NAME may be in quotes. */
const SECTION = /^\s*\[\s*(?:profile\s+)?["']?(.+?)["']?\s*\]/gm;

/**
 * Checks that a profile exists. Without this, the SDK would go on to other credentials, look for
 * instance metadata, and end with 'no credentials'.
 *
 * @throws AwsError when neither file has the profile.
 */
export async function checkProfile(profile: Setting, env: Environment): Promise<void> {
  const files = configurationFiles(env);
  for (const file of files) {
    const sections = (await textOf(file)).matchAll(SECTION);
    if (sections.some(([_, name]) => name === profile.value)) return;
  }
  throw new AwsError("credentials", `Profile not found: ${profile.value}`, {
    hint: `It is named by ${profile.source} and should be in ${files.join(" or ")}. ` +
      `aws configure --profile ${profile.value} writes it, aws configure list-profiles lists all.`,
  });
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
  for (const file of configurationFiles(env)) {
    const value = valueIn(await textOf(file), profile, key);
    if (value !== undefined) return value;
  }
}

function valueIn(text: string, profile: string, key: string): string | undefined {
  const sections = [...text.matchAll(SECTION)];
  for (const [index, { 0: head, 1: name, index: start }] of sections.entries()) {
    if (name !== profile) continue;
    const lines = text.slice(start + head.length, sections[index + 1]?.index).split("\n");
    const line = lines.find((line) => line.split("=")[0]!.trim() === key);
    if (line) return line.slice(line.indexOf("=") + 1).trim();
  }
}

/** The files in which the SDK looks, too. A variable that is empty counts as not set. */
function configurationFiles(env: Environment): string[] {
  const home = homeOf(env);
  return [
    env("AWS_CONFIG_FILE") || "~/.aws/config",
    env("AWS_SHARED_CREDENTIALS_FILE") || "~/.aws/credentials",
  ].map((file) => file.replace(/^~(?=\/)/, () => home));
}

/** The user's directory, also where no variable names it: `~` would be a name like any other. */
export function homeOf(env: Environment): string {
  return env("HOME") || env("USERPROFILE") || homedir();
}

async function textOf(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw new AwsError("credentials", `Cannot read ${file}`, {
      hint: "Check its permissions.",
      cause: error,
    });
  }
}
