import { assertEquals, assertMatch } from "@std/assert";
import { idOf } from "../../../runtime/files.ts";
import { completeApp } from "../../helpers/app.ts";
import {
  appOn,
  assertModel,
  assertRecords,
  NEW,
  OLD,
  sourceOf,
  WEIGHTS,
  writesModel,
} from "../../helpers/app_on_disk.ts";
import { contentOf, namesIn } from "../../helpers/directory.ts";
import { fakeContainers, portOf } from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { fakeInput } from "../../helpers/fake_keyboard.ts";
import { assertPlain, assertSaysNoRoom, filling, moments } from "../../helpers/full_disk.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import { besidesRun, leaveRun } from "../../helpers/runs.ts";
import { MAY_MOUNT, smallDisk } from "../../helpers/small_disk.ts";
import { it, suite } from "../../helpers/suite.ts";
import { tarGz } from "../../helpers/tar.ts";

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
          const train = async () =>
            besidesRun(await runInProcess(line, { cwd: app.directory, engine }));
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
          if (!text.includes("training failed; watching")) return;
          void disk.leave({}).then(() => app.write(app.path("training/training.py"), "better"));
        },
      });
      assertEquals(code, 130, said);
      assertPlain(stderr, disk);
      assertMatch(
        stderr,
        /^error: Cannot create .*: No space left on device\nhint: Free some disk space/m,
      );
      assertEquals(engine.created.length, 1);
      assertEquals(engine.left, []);
    });
  });
}

suite("an engine that has no room for a container is told from the app's disk by", () => {
  // Docker 20.10 on a full data root.
  const words =
    "write /var/lib/docker/containers/0123/.tmp-hostconfig.json3332190218: no space left " +
    "on device";
  for (
    const args of [
      ["train"],
      ["process", "--file", "p.py"],
      ["deploy", "--port", "0"],
      ["shell", "--", "true"],
    ]
  ) {
    for (const call of ["POST /containers/create", "POST /containers/ID/start"]) {
      it(`local ${args[0]}, at ${call}`, async () => {
        await using app = await completeApp();
        await using engine = await fakeContainers({
          onInput: () => {},
          answers: { [call]: () => refusal(500, words) },
        });
        const { code, stdout, stderr } = await runInProcess(["local", ...args], {
          cwd: app.directory,
          engine,
          input: fakeInput([]),
        });
        assertEquals([code, stdout, engine.left], [1, "", []], stderr);
        assertMatch(stderr, /^error: .*: no space left on device\nhint: [^]*docker system prune/m);
        assertEquals(await contentOf(app.testPath("model")), { m: "" });
      });
    }
  }
});

// Root alone can mount a disk.
if (MAY_MOUNT) {
  suite("a training that went on when mlcli was killed, where the disk is full now", () => {
    it("is adopted, and its model is served", async () => {
      await using disk = await smallDisk();
      await using app = await appOn(disk);
      const run = `mlcli-${app.name}-train-0badcafe`;
      const left = await leaveRun(app, { container: run, outcome: null });
      await app.write(`${left}/model/new/weights`, WEIGHTS);
      await app.write(`${left}/../before/job.json`, "{}");
      await app.write(
        `${left}/../.current.json`,
        JSON.stringify({ of: "before", id: await idOf(app.testPath("model")) }),
      );
      await using servers = new AsyncDisposableStack();
      let served: unknown;
      await using engine = await fakeContainers({
        containers: [{
          Id: "killed",
          Names: [`/${run}`],
          State: "exited",
          Labels: { "mlcli.app": app.name, "mlcli.role": "train", "mlcli.port": "" },
        }],
        answers: { "POST /containers/killed/wait": () => Response.json({ StatusCode: 0 }) },
        async program(container) {
          served = await contentOf(sourceOf(container, "/opt/ml/model"));
          servers.use(pingServer(portOf(container.body)));
        },
      });
      await disk.leave({ blocks: 0, files: 0 });
      const { code, stderr } = await runInProcess(["local", "deploy", "--port", "0"], {
        cwd: app.directory,
        engine,
      });
      assertEquals([code, served], [0, NEW], stderr);
      assertMatch(stderr, /^note: Training continued after mlcli was killed, .* its model is in /);
      assertEquals(await namesIn(app.testPath()), ["input", "model"]);
    });
  });

  suite("local shell on a full disk says so, and leaves nothing", () => {
    for (const role of ["train", "process", "serve"]) {
      for (const { title, room } of moments({ blocks: 8, files: 16 })) {
        it(`as ${role}: ${title}`, async () => {
          await using disk = await smallDisk();
          await using app = await appOn(disk);
          await using engine = await fakeContainers({ onInput: () => {} });
          const shell = () =>
            runInProcess(["local", "shell", role, "--", "true"], {
              cwd: app.directory,
              engine,
              input: fakeInput([]),
            });
          await disk.leave(room);
          const result = await shell();
          assertPlain(result.stderr, disk);
          if (result.code !== 0) assertSaysNoRoom(result, disk);
          assertEquals(engine.left, []);
          await assertModel(app, OLD);
          await disk.leave({});
          assertEquals((await shell()).code, 0);
          await assertModel(app, OLD);
        });
      }
    }
  });

  suite("local deploy on a full disk", () => {
    it("serves the model that is there", async () => {
      await using disk = await smallDisk();
      await using app = await appOn(disk);
      await using servers = new AsyncDisposableStack();
      await using engine = await fakeContainers({
        program: (container) => void servers.use(pingServer(portOf(container.body))),
      });
      await disk.leave({ blocks: 0, files: 0 });
      const { code, stderr } = await runInProcess(["local", "deploy", "--port", "0"], {
        cwd: app.directory,
        engine,
      });
      assertEquals([code, stderr, engine.left.length], [0, "", 1]);
      await assertModel(app, OLD);
    });

    const archive = tarGz([{ name: "weights", content: WEIGHTS }, { name: "code/i.py" }]);
    for (const moment of moments({ blocks: 3, files: 5, calls: 4 })) {
      it(`serves an archive only where all of it has room: ${moment.title}`, async () => {
        await using disk = await smallDisk();
        await using app = await appOn(disk);
        await app.write(app.testPath("model/model.tar.gz"), await archive);
        await Deno.remove(app.testPath("model/m"));
        await using servers = new AsyncDisposableStack();
        let served: unknown;
        await using engine = await fakeContainers({
          before: filling(disk, moment),
          async program(container) {
            served = await contentOf(sourceOf(container, "/opt/ml/model"));
            servers.use(pingServer(portOf(container.body)));
          },
        });
        if (moment.call === 0) await disk.leave(moment.room);
        const deploy = () =>
          runInProcess(["local", "deploy", "--port", "0"], { cwd: app.directory, engine });
        const result = await deploy();
        const whole = { "code/": "", "code/i.py": "", weights: WEIGHTS };
        if (result.code === 0) assertEquals(served, whole);
        else {
          assertSaysNoRoom(result, disk);
          assertEquals([engine.left, await namesIn(app.testPath())], [[], ["input", "model"]]);
          await disk.leave({});
          assertEquals((await deploy()).code, 0);
          assertEquals(served, whole);
        }
      });
    }
  });
}
