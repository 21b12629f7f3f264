/**
 * The profiles in the AWS configuration files.
 *
 * @module
 */

import { PlatformError } from "./errors.ts";
import type { Setting } from "./settings.ts";

type Environment = (name: string) => string | undefined;

/** `[NAME]` in the credentials file, `[profile NAME]` in the other one; quotes may stand around. */
const SECTION = /^\s*\[\s*(?:profile\s+)?["']?(.+?)["']?\s*\]/gm;

/**
 * Asks whether a profile exists. The SDK would go on to other credentials, and end after a look
 * for instance metadata with 'no credentials'.
 *
 * @throws PlatformError when neither file has the profile.
 */
export async function checkProfile(profile: Setting, env: Environment): Promise<void> {
  const files = configurationFiles(env);
  for (const file of files) {
    const sections = (await textOf(file)).matchAll(SECTION);
    if (sections.some(([_, name]) => name === profile.value)) return;
  }
  throw new PlatformError("credentials", `Profile not found: ${profile.value}`, {
    hint: `It is named by ${profile.source} and should be in ${files.join(" or ")}. ` +
      `aws configure --profile ${profile.value} writes it, aws configure list-profiles lists all.`,
  });
}

/** Where the SDK looks, too. */
function configurationFiles(env: Environment): string[] {
  const home = env("HOME") ?? env("USERPROFILE") ?? "~";
  return [
    env("AWS_CONFIG_FILE") ?? `${home}/.aws/config`,
    env("AWS_SHARED_CREDENTIALS_FILE") ?? `${home}/.aws/credentials`,
  ];
}

async function textOf(file: string): Promise<string> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw new PlatformError("credentials", `Cannot read ${file}`, {
      hint: "Check its permissions.",
      cause: error,
    });
  }
}
