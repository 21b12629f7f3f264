/**
 * Writes the address of the releases into the files that go with the binaries:
 *
 *     deno run -A scripts/release/stamp.ts DIRECTORY
 *
 * makes `install.sh`, `install.ps1`, `INSTALL.md` (the release's notes) and `README.md` in DIRECTORY.
 * The address is that of the repository in which the workflow runs (GITHUB_SERVER_URL,
 * GITHUB_REPOSITORY). The source does not name it: whoever holds an address that these files name
 * decides what their users run.
 */

import { fromFileUrl, join } from "@std/path";
import { MlcliError, UsageError } from "../../runtime/errors.ts";
import { runScript } from "../script.ts";

const HERE = fromFileUrl(new URL("./", import.meta.url));
const README = fromFileUrl(new URL("../../README.md", import.meta.url));

/** The part of the README that a release replaces, up to the next heading of the same level. */
const INSTALL_SECTION = /^## Install\n.*?(?=^## )/ms;

/** Where the binaries of a repository's releases are. */
export interface Address {
  /** `OWNER/NAME` */
  readonly repository: string;
  /** Address of the list of releases, without a slash at its end. */
  readonly releases: string;
}

/**
 * The address that a workflow releases to.
 * @param server as GITHUB_SERVER_URL has it: `https://HOST`.
 * @param repository as GITHUB_REPOSITORY has it: `OWNER/NAME`.
 * @throws MlcliError for anything that is more than that: it goes into scripts that people run.
 */
export function addressOf(server: string | undefined, repository: string | undefined): Address {
  if (!server || !/^https:\/\/[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(server)) {
    throw new UsageError(`Not a server's address: GITHUB_SERVER_URL=${server ?? ""}`);
  }
  if (!repository || !/^[A-Za-z0-9][A-Za-z0-9-]*\/[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(repository)) {
    throw new UsageError(`Not OWNER/NAME: GITHUB_REPOSITORY=${repository ?? ""}`);
  }
  return { repository, releases: `${server}/${repository}/releases` };
}

/**
 * A text with the address in place of `@RELEASES@` and `@REPOSITORY@`.
 * @throws MlcliError where it has no place for the address.
 */
export function stamped(text: string, { releases, repository }: Address): string {
  if (!text.includes("@RELEASES@")) {
    throw new MlcliError("There is no place for the address of the releases");
  }
  return text.replaceAll("@RELEASES@", () => releases)
    .replaceAll("@REPOSITORY@", () => repository);
}

/** The README with another section on installing. */
export function withInstallSection(readme: string, section: string): string {
  const changed = readme.replace(INSTALL_SECTION, () => `${section.trimEnd()}\n\n`);
  if (changed !== readme) return changed;
  throw new MlcliError("README.md has no section `Install`");
}

/** Makes the files of a release in a directory, which is there. */
export async function stampRelease(directory: string, address: Address): Promise<void> {
  const stampedFile = async (name: string): Promise<string> =>
    stamped(await Deno.readTextFile(join(HERE, name)), address);
  const section = await stampedFile("install.md");
  const files = {
    "install.sh": await stampedFile("install.sh"),
    "install.ps1": await stampedFile("install.ps1"),
    "INSTALL.md": section,
    "README.md": withInstallSection(await Deno.readTextFile(README), section),
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(directory, name), text);
  }
}

async function main(): Promise<number> {
  const [directory, ...others] = Deno.args;
  if (directory === undefined || others.length > 0) {
    throw new UsageError("One argument: the directory for the files");
  }
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = Deno.env.toObject();
  await stampRelease(directory, addressOf(GITHUB_SERVER_URL, GITHUB_REPOSITORY));
  return 0;
}

if (import.meta.main) runScript(main);
