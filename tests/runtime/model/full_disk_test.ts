import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import type { Paths } from "../../../runtime/app/paths.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { moveTree } from "../../../runtime/files.ts";
import { Messages } from "../../../runtime/messages.ts";
import { modelOfRun } from "../../../runtime/model/runs.ts";
import { finishMove, settleModel } from "../../../runtime/model/versions.ts";
import { NOWHERE } from "../../../runtime/streams.ts";
import { appObject } from "../../helpers/app_object.ts";
import { contentOf, makeDirectory, namesIn } from "../../helpers/directory.ts";
import { moments } from "../../helpers/full_disk.ts";
import { replaced } from "../../helpers/replaced.ts";
import { MAY_MOUNT, mounted, type SmallDisk, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";

const RUN = "demo-2026-03-01-10-00-00-000";
const LARGE = "x".repeat(5_000);
const OLD = { ".gitkeep": "kept\n", "deep/": "", "deep/a": LARGE, old: "old\n" };
const NEW = { ".gitkeep": "kept\n", "deep/": "", "deep/a": LARGE, new: "new\n" };

const HOST = { messages: new Messages(NOWHERE) };

/** An app whose model/ is on its own disk. */
interface Place extends AsyncDisposable {
  readonly layout: Paths;
  /** Directories of the app and of its model. */
  readonly disks: { readonly app: SmallDisk; readonly model: SmallDisk };
  readonly folder: string;
}

async function place(written: Readonly<Record<string, string>>): Promise<Place> {
  await using stack = new AsyncDisposableStack();
  const disks = { app: stack.use(await smallDisk()), model: stack.use(await smallDisk()) };
  const layout = appObject(disks.app.path, "demo").paths;
  const folder = modelOfRun(layout, RUN);
  const write = async (directory: string, files: Readonly<Record<string, string>>) => {
    for (const [name, content] of Object.entries(files)) {
      const path = join(directory, name);
      if (name.endsWith("/")) await Deno.mkdir(path);
      else await Deno.writeTextFile(path, content);
    }
  };
  await Deno.mkdir(folder, { recursive: true });
  await Deno.mkdir(layout.model, { recursive: true });
  stack.use(await mounted(disks.model, layout.model));
  await write(disks.model.path, OLD);
  await write(folder, written);
  const all = stack.move();
  return { layout, disks, folder, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

// Root alone can mount a disk.
if (MAY_MOUNT) {
  suite("a model/ on a disk of its own that is full keeps a whole model", () => {
    for (const { title, room } of moments({ blocks: 4, files: 6 }, 3)) {
      it(title, async () => {
        const { ".gitkeep": _, ...written } = NEW;
        await using at = await place(written);
        const { layout, disks, folder } = at;
        await disks.model.leave(room);
        const settle = () => settleModel(layout, RUN, "succeeded", HOST);
        const error = await settle().then(() => undefined, (error) => error);
        if (error === undefined) {
          assertEquals(await contentOf(disks.model.path), NEW);
        } else {
          assertMatch(
            error.message,
            /^Cannot move the model from .*: No space left on device$/,
          );
          assertMatch(
            error.hint,
            /^Fix the cause .* Until then, serve the model: mlcli local deploy --run /,
          );
          // Nothing is in model/ that a server would get, or an archive.
          assertEquals(await contentOf(disks.model.path), OLD);
          assertEquals(await contentOf(folder), NEW);
          await disks.model.leave({});
          await settle();
          assertEquals(await contentOf(disks.model.path), NEW);
        }
        assertEquals(await namesIn(layout.testDirectory), ["model"]);
      });
    }
  });

  suite("an earlier model for which the disk has no room outside of model/", () => {
    it("stays in there, is named, and goes with the next command", async () => {
      await using at = await place({});
      const { layout, disks } = at;
      await disks.app.leave({ blocks: 1 });
      const settle = () => settleModel(layout, RUN, "succeeded", HOST);
      const { message, hint } = await assertRejects(settle, MlcliError);
      assertMatch(
        message,
        /^Cannot move the earlier model out of .*model: No space left/,
      );
      assertMatch(hint!, /^Fix the cause .*, then run any local mlcli command/);
      const { ".gitkeep": _, ...earlier } = OLD;
      const inside = Object.fromEntries(
        Object.entries(earlier).map(([name, text]) => [`.mlcli-replaced/${name}`, text]),
      );
      const now = { ".gitkeep": "kept\n", ".mlcli-replaced/": "", ...inside };
      assertEquals(await contentOf(disks.model.path), now);
      // What cannot be done yet is in nobody's way.
      await finishMove(layout, HOST);
      assertEquals(await contentOf(disks.model.path), now);
      await disks.app.leave({});
      await finishMove(layout, HOST);
      assertEquals(await contentOf(disks.model.path), { ".gitkeep": "kept\n" });
      const [kept] = (await namesIn(layout.jobs)).filter((name) => name.startsWith("kept-"));
      assertEquals(await contentOf(modelOfRun(layout, kept!)), earlier);
    });
  });

  suite("a model that is moved to another disk", () => {
    it("is not taken away before that has taken all of it", async () => {
      await using here = await makeDirectory({ "model/a": "1", "model/b": "2" });
      await using there = await smallDisk();
      const quota = Object.assign(new Error("Disk quota exceeded (os error 122)"), {
        code: "EDQUOT",
      });
      // What the server of a network's disk says when it is asked to keep what was written.
      {
        using _full = replaced(Deno.FsFile.prototype, { syncData: () => Promise.reject(quota) });
        await assertRejects(
          () => moveTree(join(here.path, "model"), join(there.path, "model")),
          Error,
          "Disk quota exceeded",
        );
      }
      assertEquals(await contentOf(join(here.path, "model")), { a: "1", b: "2" });
      assertEquals(await namesIn(there.path), []);
      await moveTree(join(here.path, "model"), join(there.path, "model"));
      assertEquals(await contentOf(there.path), { "model/": "", "model/a": "1", "model/b": "2" });
      assertEquals(await namesIn(here.path), []);
    });

    it("is a link there, too, if it is one", async () => {
      await using here = await makeDirectory();
      await using there = await smallDisk();
      await Deno.symlink("/etc", join(here.path, "link"));
      await moveTree(join(here.path, "link"), join(there.path, "link"));
      assertEquals(await Deno.readLink(join(there.path, "link")), "/etc");
      assertEquals(await namesIn(here.path), []);
    });
  });
}
