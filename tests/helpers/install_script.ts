import { fromFileUrl } from "@std/path";

export const INSTALL_SCRIPT = fromFileUrl(
  new URL("../../scripts/release/install.sh", import.meta.url),
);

/** What the script downloads with; macOS has curl alone. */
export const CLIENTS = Deno.build.os === "linux" ? ["curl", "wget"] : ["curl"];

/** What the script runs besides. */
const TOOLS = [
  ...["chmod", "cp", "cut", "find", "grep", "mkdir", "mktemp", "mv", "rm", "sed", "sh"],
  ...["sha256sum", "shasum", "tail", "uname"],
];

/** Makes a PATH on which nothing is found but the script's tools and one of its clients. */
export async function pathWith(client: string, directory: string): Promise<string> {
  await Deno.mkdir(directory);
  for (const program of [...TOOLS, client]) {
    for (const folder of Deno.env.get("PATH")!.split(":")) {
      const path = `${folder}/${program}`;
      if (!await Deno.stat(path).then(({ isFile }) => isFile, () => false)) continue;
      await Deno.symlink(path, `${directory}/${program}`);
      break;
    }
  }
  return directory;
}

/** SHA-256 of a text, in hexadecimal. */
export async function digestOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
  return new Uint8Array(digest).toHex();
}
