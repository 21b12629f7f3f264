/**
 * Gives the caller what a container wrote. Containers run as the image says, as on the platform,
 * which is mostly root; on a rootful engine on Linux, root's files stay behind.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Caller } from "../context.ts";
import { type Engine, isRootless } from "../docker/engine.ts";
import { messageOf, MlcliError } from "../errors.ts";
import type { Output } from "../streams.ts";
import { deadlineIn } from "./abort.ts";
import { ownershipPlan } from "./plan.ts";
import { runToEnd } from "./run.ts";

/** How long changing the owner may take, in seconds. */
const TIMEOUT = 120;

/**
 * Changes the owner of what is not the caller's below the directories.
 *
 * Only where there is such a thing: root (and Windows, and Docker Desktop's file sharing) has
 * nothing to change. A container does it, since only root may.
 *
 * @param image any image with `chown`; the one that wrote the files is at hand.
 * @throws MlcliError of kind `engine` when it cannot be done, with the command that does it.
 */
export async function handToCaller(
  engine: Engine,
  image: string,
  directories: readonly string[],
  caller: Caller | undefined,
): Promise<void> {
  if (caller === undefined || caller.uid === 0) return;
  const foreign: string[] = [];
  for (const directory of directories) {
    if (await holdsForeign(directory, caller)) foreign.push(directory);
  }
  if (foreign.length === 0) return;
  // In a rootless engine, root in the container is the caller outside.
  const owner = isRootless(await engine.info()) ? "0:0" : `${caller.uid}:${caller.gid}`;
  try {
    await changeOwner(engine, image, foreign, owner);
  } catch (cause) {
    throw new MlcliError(
      "engine",
      `Some files in ${foreign.join(", ")} belong to another user: ${messageOf(cause)}`,
      {
        hint: `sudo chown -hR ${caller.uid}:${caller.gid} ${
          foreign.map((path) => `'${path}'`).join(" ")
        }`,
        cause,
      },
    );
  }
}

async function changeOwner(
  engine: Engine,
  image: string,
  directories: readonly string[],
  owner: string,
): Promise<void> {
  const body = ownershipPlan(image, directories, owner);
  const name = `mlcli-chown-${crypto.randomUUID().slice(0, 8)}`;
  using deadline = deadlineIn(TIMEOUT);
  const { status } = await runToEnd(engine, name, body, {
    out: NOWHERE,
    err: NOWHERE,
    interruption: { signal: deadline.signal, force: deadline.signal },
  });
  if (status !== 0) throw new Error(`chown ended with exit status ${status}`);
}

/** What chown has to say, its exit status says, too. */
const NOWHERE: Output = {
  isTerminal: false,
  colour: false,
  columns: 80,
  write: () => Promise.resolve(),
  print: () => {},
};

/** Whether anything below a directory belongs to another user, or cannot be looked at. */
async function holdsForeign(directory: string, caller: Caller): Promise<boolean> {
  try {
    for await (const entry of Deno.readDir(directory)) {
      const path = join(directory, entry.name);
      // -1: gone since it was listed, as something else is at work there.
      const uid = await Deno.lstat(path).then((info) => info.uid, () => -1);
      if (uid !== caller.uid && uid !== -1) return true;
      if (entry.isDirectory && await holdsForeign(path, caller)) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    if (error instanceof Deno.errors.PermissionDenied) return true;
    throw error;
  }
}
