/** A disk of its own, which is as full as the test says. */

import { statfs } from "node:fs/promises";

/** What a file takes at least, in bytes: a page of memory. */
export const BLOCK = 4096;

/** What may still be written to a disk. */
export interface Room {
  /** Blocks: each file takes as many as its content needs. An empty one takes none. */
  readonly blocks?: number;
  /** Files, directories and links that may be made, be they empty. */
  readonly files?: number;
}

/** A disk. It is unmounted when it is disposed of; what is in it is gone then. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** From now on there is this room, whatever has been written so far; for what is not named, plenty. */
  leave(room: Room): Promise<void>;
  /** Whether it was left with plenty of room last. */
  readonly isFreed: boolean;
  /** From now on nobody may write to it, root included. */
  protect(): Promise<void>;
}

/** Whether this user can have such a disk: root alone can mount. */
export const MAY_MOUNT = Deno.build.os === "linux" && Deno.uid() === 0;

/** Where it says nothing else, in blocks and in files. */
const PLENTY = 16_384;

/** How often somebody may write between a look at what there is and the limit. */
const ATTEMPTS = 20;

/** Mounts one: the engine on this machine sees it, too. */
export async function smallDisk(): Promise<SmallDisk> {
  const mount = await Deno.makeTempDir({ prefix: "mlcli-test-disk-" });
  const options = `size=${PLENTY * BLOCK},nr_inodes=${PLENTY}`;
  await run("mount", "-t", "tmpfs", "-o", options, "tmpfs", mount);
  const path = `${mount}/disk`;
  await Deno.mkdir(path);
  // The least that tmpfs takes as a limit is a block; 0 means that there is none.
  await Deno.writeTextFile(`${mount}/block`, "x");
  let isFreed = false;
  // A late call must not fill what has been freed meanwhile: they take their turns.
  let turn: Promise<void> = Promise.resolve();
  const remount = async ({ blocks = PLENTY, files = PLENTY }: Room): Promise<void> => {
    for (let attempt = 1;; attempt++) {
      const now = await statfs(path);
      const size = (now.blocks - now.bfree + blocks) * BLOCK;
      const limits = `size=${size},nr_inodes=${now.files - now.ffree + files}`;
      try {
        return await run("mount", "-o", `remount,${limits}`, mount);
      } catch (error) {
        // Less than there is by now is no limit: somebody writes at this moment.
        if (attempt === ATTEMPTS) throw error;
      }
    }
  };
  return {
    path,
    get isFreed() {
      return isFreed;
    },
    leave(room) {
      isFreed = (room.blocks ?? PLENTY) === PLENTY && (room.files ?? PLENTY) === PLENTY;
      const next = turn.then(() => remount(room));
      turn = next.catch(() => {});
      return next;
    },
    protect: () => run("mount", "-o", "remount,ro", mount),
    async [Symbol.asyncDispose]() {
      // A container that ends at this moment may still have it.
      await run("umount", "--lazy", mount);
      await Deno.remove(mount);
    },
  };
}

/** Has a directory show what is on a disk, until it is disposed of. */
export async function mounted(disk: SmallDisk, directory: string): Promise<AsyncDisposable> {
  await run("mount", "--bind", disk.path, directory);
  return { [Symbol.asyncDispose]: () => run("umount", "--lazy", directory) };
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(program, { args: [...args] }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}
