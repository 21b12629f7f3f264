/** The options of `deno compile`: what the program is allowed to do, the fewest that all commands need. */

import type { Target } from "./targets.ts";

/** A permission, and what mlcli needs it for. */
interface Permission {
  readonly flag: string;
  readonly reason: string;
}

const PERMISSIONS: readonly Permission[] = [
  {
    flag: "--allow-read",
    reason: "the app, wherever it lies; Docker's and AWS's configuration; the engine's socket",
  },
  {
    flag: "--allow-write",
    reason:
      "what `init` makes and what containers mount, in the app; the engine's socket; what is " +
      "remembered of what the person has typed",
  },
  {
    // From 2.9 a socket can be named (unix:PATH), which 2.6 cannot read; and it is known at run time
    // only, as are the ports of servers, the engine's host, and the platform's addresses.
    flag: "--allow-net",
    reason: "the engine, the servers that run locally, the platform",
  },
  {
    // The SDK reads variables that nobody can list: AWS_ENDPOINT_URL_<SERVICE>, ...
    flag: "--allow-env",
    reason: "DOCKER_HOST, AWS_REGION, PLATFORM_ROLE, NO_COLOR and the like",
  },
  {
    flag: "--allow-sys=uid,gid,osRelease,homedir,hostname,statfs",
    reason:
      "whose the output files are; the SDK's User-Agent; where ~/.aws is; whether the engine is " +
      "on this machine, and the room on its disk and the app's",
  },
  {
    // The user's configuration names the programs, so no list can.
    flag: "--allow-run",
    reason:
      "`credential_process` of an AWS profile; Docker's credential helpers; the browser, for " +
      "`local ui --open`",
  },
];

/**
 * On Windows the engine listens on a named pipe, which Deno opens for a program that is allowed
 * everything, and for no other (runtime/permissions/lib.rs, `check_special_file`).
 */
const ON_WINDOWS: readonly Permission[] = [
  { flag: "--allow-all", reason: "the engine's named pipe" },
];

/**
 * Options of `deno compile`. Whatever else would be needed fails; nothing asks the user.
 * @param target default: one that is not Windows.
 */
export function permissionOptions(target?: Target): string[] {
  const permissions = target?.includes("windows") ? ON_WINDOWS : PERMISSIONS;
  return ["--no-prompt", ...permissions.map(({ flag }) => flag)];
}

/** Options of `deno compile` for how it runs. */
export const RUNTIME_OPTIONS = [
  // Types are checked elsewhere, and a bundle has none.
  "--no-check",
  // Deno would keep it under a name that everybody knows in /tmp, and take what it finds there for
  // its own: on a machine of several users, code of any of them.
  "--no-code-cache",
  // Room for what a short command allocates: V8 would begin with 1 MB, and collect it several times.
  "--v8-flags=--min-semi-space-size=4",
] as const;
