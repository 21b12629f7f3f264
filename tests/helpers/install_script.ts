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

/** Runs an install script with what it asks the environment for. */
export async function runScript(
  script: string,
  env: Readonly<Record<string, string>>,
  { cwd = "/", onStart }: {
    readonly cwd?: string;
    /** Gets the running script. */
    readonly onStart?: (script: Deno.ChildProcess) => void;
  } = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const child = new Deno.Command("sh", {
    args: [script],
    cwd,
    env: { MLCLI_VERSION: "", NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
    signal: AbortSignal.timeout(60_000),
  }).spawn();
  onStart?.(child);
  const { code, stdout, stderr } = await child.output();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, stdout: text(stdout), stderr: text(stderr) };
}
