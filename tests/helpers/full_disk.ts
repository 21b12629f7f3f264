import { assertEquals, assertMatch } from "@std/assert";
import type { ProgramResult } from "./program.ts";
import type { Room, SmallDisk } from "./small_disk.ts";
import { isInSample } from "./sweep.ts";

/** What there is room for, and from when on. */
export interface Moment {
  /** `room for 3 files` */
  readonly title: string;
  readonly room: Room;
  /** Number of the call after which there is no more room than that; 0 is before the command. */
  readonly call: number;
}

/** How far to sweep: behind it, the command has all that it needs. */
export interface Extent {
  readonly blocks: number;
  readonly files: number;
  readonly calls?: number;
}

/**
 * The moments of a sweep: each block and each file that a command needs is once the first for which
 * there is no room, and at each of its calls of another program both run out.
 *
 * @param share one moment of so many is tried by day.
 */
export function moments({ blocks, files, calls = 0 }: Extent, share?: number): readonly Moment[] {
  const all = [
    ...numbers(blocks).map((room) => ({ room: { blocks: room }, call: 0 })),
    ...numbers(files).map((room) => ({ room: { files: room }, call: 0 })),
    ...numbers(calls).flatMap((call) => [
      { room: { blocks: 0 }, call: call + 1 },
      { room: { files: 0 }, call: call + 1 },
    ]),
  ];
  return all.filter((_, row) => isInSample(row, share)).map(({ room, call }) => ({
    title: `${titleOf(room)}${call === 0 ? "" : `, from call ${call} on`}`,
    room,
    call,
  }));
}

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, number) => number);
}

function titleOf(room: Room): string {
  const [[what, count] = ["all", 0]] = Object.entries(room);
  return `room for ${count} ${what}`;
}

/** What makes a disk as full as a moment says, at its call; to be told of each call. */
export function filling(disk: SmallDisk, { room, call }: Moment): () => Promise<void> {
  let calls = 0;
  return async () => {
    // What was to be filled has ended where there is room again.
    if (++calls === call && !disk.isFreed) await disk.leave(room);
  };
}

/** What a command says that had no room: which file it is about, why, what to do; and no defect. */
export function assertSaysNoRoom({ code, stdout, stderr }: ProgramResult, disk: SmallDisk): void {
  assertEquals([code, stdout], [1, ""], stderr);
  assertMatch(stderr, /^error: [^]*: No space left on device$/m);
  assertMatch(stderr, /^hint: [^]*\b(room|space|full)\b/m);
  assertPlain(stderr, disk);
}

/** That words are the user's: no numbers of the system, no path that nobody typed, no defect. */
export function assertPlain(stderr: string, disk: SmallDisk): void {
  assertEquals(/\(os error|defect|--debug/.exec(stderr), null, stderr);
  assertEquals(stderr.includes(disk.path), false, stderr);
}
