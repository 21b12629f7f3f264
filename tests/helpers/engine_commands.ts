/** Each command that calls the engine, for sweeps over all its calls. */

import { assertStringIncludes } from "@std/assert";
import { COMMANDS, lineOf, wordsOf } from "./command_lines.ts";
import type { Play } from "./fake_containers.ts";

/** A command, and the behaviour of its fake engine. */
export interface EngineCommand {
  /** APP stands for the app's name. */
  readonly args: readonly string[];
  readonly play?: (app: string) => Play;
  /** Whether the command cannot be repeated on a fake engine. */
  readonly isOnce?: boolean;
}

/** A free port. */
const PORT = freePort();

function freePort(): string {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return String(listener.addr.port);
}

/** A server that is there. */
function withServer(app: string): Play {
  const Labels = { "mlcli.role": "serve", "mlcli.app": app, "mlcli.port": PORT };
  const rest = { Image: "x", State: "running", Status: "Up", Created: 0 };
  return { containers: [{ Id: "abc", Names: [`/mlcli-${app}-serve-${PORT}`], Labels, ...rest }] };
}

function building(): Play {
  const said = '{"stream":"Step 1/1 : FROM scratch\\n"}\n{"aux":{"ID":"sha256:0123"}}\n';
  return { answers: { "POST /build": () => new Response(said) } };
}

function withVersion(): Play {
  const version = { Version: "20.10.24", ApiVersion: "1.41", Arch: "amd64" };
  return { answers: { "GET /version": () => Response.json(version) } };
}

export const LOCAL_STOP: EngineCommand = {
  args: ["local", "stop", "--port", PORT],
  play: withServer,
};

/** Commands that need other arguments or another engine than by default. */
const SPECIAL: readonly EngineCommand[] = [
  { args: ["local", "train"] },
  { args: ["local", "train", "--strict"] },
  { args: ["local", "train", "--instance-count", "2"] },
  { args: ["local", "deploy", "--port", "0"] },
  {
    args: ["local", "deploy", "--replace", "--port", PORT],
    play: withServer,
    // The existing container stays in the fake engine's list.
    isOnce: true,
  },
  { args: ["local", "status"], play: withServer },
  LOCAL_STOP,
  // No server listens there, so mlcli asks the engine for one.
  { args: ["local", "invoke", "APP.json", "--port", "1"] },
  { args: ["local", "shell", "--", "true"], play: () => ({ onInput: () => {} }) },
  { args: ["build", "--replace"], play: building },
  { args: ["doctor"], play: withVersion },
];

function isSpecial(name: string): boolean {
  return SPECIAL.some(({ args }) => args.join(" ").startsWith(name));
}

export const ENGINE_COMMANDS: readonly EngineCommand[] = [
  ...SPECIAL,
  ...COMMANDS.filter((name) => lineOf(name).engine && !isSpecial(name)).map((name) => ({
    args: wordsOf(name).map((word) => word === "PORT" ? PORT : word),
    ...wordsOf(name).includes("PORT") ? { play: withServer } : {},
  })),
];

/** Requires that a run names each container that is left, except a server that should exist. */
export function assertNamesLeft(
  { code, stdout, stderr, left }: {
    readonly code: number;
    readonly stdout: string;
    readonly stderr: string;
    readonly left: readonly string[];
  },
  where: string,
): void {
  const portOf = (name: string): string => `:${/-serve-(\d+)/.exec(name)?.[1]}`;
  for (const name of left.filter((name) => code !== 0 || !stdout.includes(portOf(name)))) {
    assertStringIncludes(stderr, `docker rm -f ${name}\n`, where);
  }
}
