import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { type Change, Watch } from "../../../../runtime/local/watch/changes.ts";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { fakeClock } from "../../../helpers/fake_context.ts";
import { replaced } from "../../../helpers/replaced.ts";
import { it, suite } from "../../../helpers/suite.ts";

const LATER = new Date("2030-01-01T00:00:00Z");

/** A directory with code and a model, and a watch of both on a clock that takes no time. */
async function watched(
  change: (directory: TestDirectory, path: (inside: string) => string) => Promise<void> | void,
): Promise<Change> {
  await using directory = await makeDirectory({ "code/serve": "a", "model/m": "1" });
  const path = (inside: string): string => join(directory.path, inside);
  const boundary = directory.path;
  const watch = new Watch(
    [
      { path: path("code"), shown: "prediction", boundary },
      { path: path("common"), shown: "common", boundary },
      { path: path("model"), shown: "model", boundary, words: "model trained", needsFile: true },
    ],
    [directory.path],
    fakeClock(),
  );
  const look = await watch.look();
  await change(directory, path);
  return await watch.change(look, AbortSignal.timeout(20_000));
}

/** A clock on which the time between two looks never passes. */
function standingClock() {
  const clock = fakeClock();
  const { promise: waiting, resolve } = Promise.withResolvers<void>();
  const pause: typeof clock.pause = (milliseconds, signal) => {
    if (milliseconds < 1_000) return clock.pause(milliseconds, signal);
    resolve();
    return new Promise((_, reject) => {
      const stop = (): void => reject(signal.reason);
      if (signal.aborted) return stop();
      signal.addEventListener("abort", stop);
    });
  };
  return { clock: { ...clock, pause }, waiting };
}

async function write(path: string, content: string): Promise<void> {
  await Deno.writeTextFile(path, content);
  await Deno.utime(path, LATER, LATER);
}

suite("a watch notices", () => {
  const rows: readonly (readonly [
    title: string,
    change: Parameters<typeof watched>[0],
    words: string,
  ])[] = [
    ["an edit", (_, path) => write(path("code/serve"), "b"), "prediction/serve edited"],
    [
      "several files at once, and the first three by name",
      async (_, path) => {
        for (const name of ["a", "b", "c", "d"]) await write(path(`code/${name}`), "");
      },
      "prediction/a, prediction/b, prediction/c and 1 more edited",
    ],
    [
      "a name that would change the terminal, and leaves that out",
      (_, path) => write(path("code/\x1b[31m\nred"), ""),
      "prediction/?[31m?red edited",
    ],
    [
      "a directory that was not there",
      (directory) => directory.write({ "common/features.py": "" }),
      "common/features.py edited",
    ],
    [
      "a model that takes the place of another",
      async (directory, path) => {
        await directory.write({ "new/m": "22" });
        await Deno.rename(path("model"), path("old"));
        await Deno.rename(path("new"), path("model"));
      },
      "model trained",
    ],
    [
      "code and a model together",
      async (_, path) => {
        await write(path("code/serve"), "b");
        await write(path("model/m"), "2");
      },
      "prediction/serve edited, model trained",
    ],
    [
      "nothing where a model is empty for a moment",
      async (_, path) => {
        await Deno.remove(path("model/m"));
        await write(path("code/serve"), "b");
      },
      "prediction/serve edited",
    ],
  ];
  for (const [title, change, words] of rows) {
    it(title, async () => assertEquals((await watched(change)).words, words));
  }

  it("what comes while it waits", async () => {
    await using directory = await makeDirectory({ "code/serve": "a" });
    const path = join(directory.path, "code");
    // What the system tells is not needed: this clock looks again at once.
    const watch = new Watch([{ path, shown: "code", boundary: path }], [], fakeClock());
    const change = watch.change(await watch.look(), AbortSignal.timeout(20_000));
    await write(join(path, "serve"), "b");
    assertEquals((await change).words, "code/serve edited");
  });

  it("what the system tells of at once, though its clock stands still", async () => {
    await using directory = await makeDirectory({ "code/lib/x.py": "" });
    const path = join(directory.path, "code");
    const { clock, waiting } = standingClock();
    // Of one that is not there, the system tells nothing; of the others it does.
    const missing = join(directory.path, "common");
    const folders = [{ path, shown: "code" }, { path: missing, shown: "common" }]
      .map((folder) => ({ ...folder, boundary: directory.path }));
    const watch = new Watch(folders, [directory.path], clock);
    const change = watch.change(await watch.look(), AbortSignal.timeout(20_000));
    await waiting;
    await write(join(path, "lib/x.py"), "b");
    assertEquals((await change).words, "code/lib/x.py edited");
  });

  it("what no system tells of, and asks it for no directory behind a link", async () => {
    await using directory = await makeDirectory({ "code/lib/x.py": "a", "disk/deep/x": "" });
    const path = join(directory.path, "code");
    await Deno.symlink("../disk", join(path, "link"));
    const asked: unknown[] = [];
    using _watched = replaced(Deno, {
      watchFs: (...all: unknown[]) => {
        asked.push(all);
        throw new Error("No space left on device");
      },
    });
    const watch = new Watch(
      [{ path, shown: "code", boundary: path }],
      [directory.path],
      fakeClock(),
    );
    const look = await watch.look();
    await write(join(path, "lib/x.py"), "b");
    const { words } = await watch.change(look, AbortSignal.timeout(20_000));
    assertEquals(words, "code/lib/x.py edited");
    // With all below a directory, Deno follows each link: one to / may take minutes.
    assertEquals(asked, [[[directory.path, path, join(path, "lib")], { recursive: false }]]);
  });

  it("that nobody waits any more", async () => {
    await using directory = await makeDirectory();
    const watch = new Watch(
      [{ path: directory.path, shown: "x", boundary: directory.path }],
      [],
      fakeClock(),
    );
    const over = new AbortController();
    const change = watch.change(await watch.look(), over.signal);
    over.abort(new Error("enough"));
    await assertRejects(() => change, Error, "enough");
  });
});
