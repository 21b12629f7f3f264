import {
  appOn,
  assertModel,
  assertRecords,
  NEW,
  OLD,
  writesModel,
} from "../../helpers/app_on_disk.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { assertPlain, assertSaysNoRoom, filling, moments } from "../../helpers/full_disk.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import { MAY_MOUNT, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";
import { assertEquals, assertMatch } from "@std/assert";

// Root alone can mount a disk.
if (MAY_MOUNT) {
  suite("local train on a full disk keeps a whole model, and trains when there is room", () => {
    const data = "mlcli_base/local_test/test_dir/input/data/training";
    for (const options of [[], ["--strict"], ["--checkpoints"], ["--input", `other=APP/${data}`]]) {
      for (const moment of moments({ blocks: 13, files: 28, calls: 8 })) {
        it([...options.slice(0, 1), moment.title].join(" "), async () => {
          await using disk = await smallDisk();
          await using app = await appOn(disk);
          await using engine = await fakeContainers({
            program: writesModel,
            before: filling(disk, moment),
          });
          const line = ["local", "train", ...options.map((word) => word.replace("APP", app.name))];
          const train = () => runInProcess(line, { cwd: app.directory, engine });
          if (moment.call === 0) await disk.leave(moment.room);
          const result = await train();
          assertPlain(result.stderr, disk);
          assertEquals(engine.left, []);
          if (result.code === 0) await assertModel(app, NEW);
          else {
            await assertModel(app, OLD);
            if (engine.created.length === 0) assertSaysNoRoom(result, disk);
            assertMatch(result.stderr, /^hint: [^]*\b(room|space|full)\b/m);
          }
          await assertRecords(app);

          await disk.leave({});
          assertEquals(await train(), { code: 0, stdout: "loss=1\n", stderr: "" });
          await assertModel(app, NEW);
          await assertRecords(app);
        });
      }
    }
  });

  suite("local process on a full disk says so, and runs when there is room", () => {
    for (const moment of moments({ blocks: 8, files: 14, calls: 6 })) {
      it(moment.title, async () => {
        await using disk = await smallDisk();
        await using app = await appOn(disk);
        await using engine = await fakeContainers({
          program: ({ out, end }) => (out("done\n"), end(0)),
          before: filling(disk, moment),
        });
        if (moment.call === 0) await disk.leave(moment.room);
        const run = () =>
          runInProcess(["local", "process", "--file", "p.py"], { cwd: app.directory, engine });
        const result = await run();
        assertPlain(result.stderr, disk);
        assertEquals(engine.left, []);
        if (result.code !== 0) assertSaysNoRoom(result, disk);
        await assertModel(app, OLD);
        await assertRecords(app);
        await disk.leave({});
        assertEquals(await run(), { code: 0, stdout: "done\n", stderr: "" });
        await assertModel(app, OLD);
        await assertRecords(app);
      });
    }
  });

  suite("local train --watch on a full disk", () => {
    it("says so, and trains after the next edit for which there is room", async () => {
      await using disk = await smallDisk();
      await using app = await appOn(disk);
      const keys = new Keys();
      await using engine = await fakeContainers({
        program: (container) => {
          keys.press();
          writesModel(container);
        },
      });
      await disk.leave({ files: 0 });
      let said = "";
      const { code, stderr } = await runInProcess(["local", "train", "--watch"], {
        cwd: app.directory,
        engine,
        keys,
        onMessage(text) {
          said += text;
          if (!text.includes("not trained; watching")) return;
          void disk.leave({}).then(() => app.write(app.path("training/training.py"), "better"));
        },
      });
      assertEquals(code, 130, said);
      assertPlain(stderr, disk);
      assertMatch(
        stderr,
        /^error: Cannot create .*: No space left on device\nhint: The disk is full/m,
      );
      assertEquals(engine.created.length, 1);
      assertEquals(engine.left, []);
    });
  });
}
