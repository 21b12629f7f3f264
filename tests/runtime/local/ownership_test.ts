import { assertEquals, assertMatch } from "@std/assert";
import type { Host } from "../../../runtime/local/jobs.ts";
import { giveToCaller, ownersBefore } from "../../../runtime/local/ownership.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { type FakeContainer, fakeContainers, type Play } from "../../helpers/fake_containers.ts";
import { clientOf } from "../../helpers/fake_engine.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Nobody of this machine. */
const CALLER = { uid: 54_321, gid: 54_322 };
const OWNER = `${CALLER.uid}:${CALLER.gid}`;

interface Run extends ProgramResult {
  /** The containers that changed owners. */
  readonly chowns: readonly FakeContainer["body"][];
  readonly uidOf: (path: string) => Promise<number | null>;
  readonly left: readonly string[];
}

/** Does what chown does, with the paths of the container. */
async function chown({ body: { Cmd, HostConfig }, end }: FakeContainer): Promise<void> {
  const [, owner, , ...paths] = Cmd;
  const [uid, gid] = owner!.split(":").map(Number);
  for (const path of paths) {
    const mount = HostConfig.Mounts.find(({ Target }) =>
      path === Target || path.startsWith(`${Target}/`)
    )!;
    await Deno.chown(mount.Source + path.slice(mount.Target.length), uid!, gid!);
  }
  end(0);
}

/** Trains as somebody who is not root; the run writes to output/data. */
async function trainAs(
  caller: typeof CALLER | undefined,
  { program = chown, status = 0, during = () => Promise.resolve(), ...play }: Play & {
    readonly status?: number;
    /** What else the run does. */
    readonly during?: (app: TestApp) => Promise<void>;
  },
  check: (run: Run) => Promise<void> | void,
): Promise<void> {
  await using app: TestApp = await completeApp();
  if (caller?.uid === CALLER.uid) await Deno.chown(app.testPath(), caller.uid, caller.gid);
  const chowns: FakeContainer["body"][] = [];
  await using engine = await fakeContainers({
    ...play,
    program: async (container) => {
      if (container.name.startsWith("mlcli-chown-")) {
        chowns.push(container.body);
        return await program(container);
      }
      const written = app.testPath("output/data/new");
      await Deno.writeTextFile(written, "");
      // What an image's own user wrote.
      if (caller?.uid !== CALLER.uid) await Deno.chown(written, 54_399, 54_399);
      await during(app);
      container.end(status);
    },
  });
  const result = besidesRun(
    await runInProcess(["local", "train"], {
      cwd: app.directory,
      engine,
      caller,
      keys: new Keys(),
    }),
  );
  await check({
    ...result,
    chowns,
    uidOf: async (path) => (await Deno.lstat(app.testPath(path))).uid,
    left: [...engine.left],
  });
}

// Root alone can play what a container does, and has files that are not the caller's.
if (Deno.uid() === 0) {
  suite("what a run wrote", () => {
    it("is given to the caller by a container that may do nothing else", () =>
      trainAs(CALLER, {}, async ({ code, stderr, chowns, uidOf, left }) => {
        assertEquals({ code, stderr, left }, { code: 0, stderr: "", left: [] });
        assertEquals(await uidOf("output/data/new"), CALLER.uid);
        // The model, too, where it is put in its place.
        assertEquals(await uidOf("model/m"), CALLER.uid);
        // What was there before stays with whom it was.
        assertEquals(await uidOf("output/data"), 0);
        assertEquals(await uidOf("output"), 0);
        const [body, ...more] = chowns;
        assertEquals(more, []);
        const { Mounts, ...config } = body!.HostConfig;
        assertEquals([body!.Entrypoint, body!.User], [["chown"], "0:0"]);
        // None of the image's labels, which may say that it is one of mlcli's.
        assertEquals([body!.Labels["mlcli.app"], body!.Labels["mlcli.role"]], ["", ""]);
        assertEquals(body!.Cmd.slice(0, 3), ["-h", OWNER, "--"]);
        assertEquals(body!.Cmd.slice(3).filter((path) => path.endsWith("/new")).length, 1);
        assertEquals(
          Mounts.map(({ Target, ReadOnly }) => [Target, ReadOnly]),
          Mounts.map((_, index) => [`/mlcli/${index}`, false]),
        );
        assertEquals(config, {
          AutoRemove: true,
          LogConfig: { Type: "none" },
          NetworkMode: "none",
          CapDrop: ["ALL"],
          CapAdd: ["CHOWN", "DAC_OVERRIDE", "FOWNER"],
          SecurityOpt: ["no-new-privileges"],
          PidsLimit: 32_768,
        });
      }));

    it("is given to the caller after a failure, too", () =>
      trainAs(CALLER, { status: 3 }, async ({ code, uidOf }) => {
        assertEquals([code, await uidOf("output/data/new")], [3, CALLER.uid]);
      }));

    for (const caller of [undefined, { uid: 0, gid: 0 }]) {
      it(`stays as it is for ${caller ? "root" : "a caller on Windows"}`, () =>
        trainAs(caller, {}, ({ code, stderr, chowns }) => {
          assertEquals({ code, stderr, chowns }, { code: 0, stderr: "", chowns: [] });
        }));
    }

    for (
      const [title, info] of [
        ["a rootless engine", { SecurityOptions: ["name=rootless"] }],
        ["rootless Podman 4.3", { SecurityOptions: ["name=seccomp"], Rootless: true }],
      ] as const
    ) {
      it(`is given to root of the container on ${title}`, () =>
        trainAs(CALLER, {
          program: ({ end }) => end(0),
          answers: { "GET /info": () => Response.json(info) },
        }, ({ chowns }) => {
          assertEquals(chowns[0]!.Cmd[1], "0:0");
        }));
    }

    it("is given to the caller by the machine's root where the engine has users of its own", () =>
      trainAs(CALLER, {
        answers: { "GET /info": () => Response.json({ SecurityOptions: ["name=userns"] }) },
      }, async ({ chowns, uidOf }) => {
        assertEquals(await uidOf("output/data/new"), CALLER.uid);
        assertEquals(chowns.map(({ HostConfig }) => HostConfig.UsernsMode), ["host"]);
      }));

    for (
      const [title, during] of [
        ["is another one", async (app: TestApp) => {
          await Deno.rename(app.testPath("output"), app.testPath("moved"));
          await Deno.mkdir(app.testPath("output"));
        }],
        ["is a link", async (app: TestApp) => {
          await Deno.rename(app.testPath("output"), app.testPath("moved"));
          await Deno.symlink("moved", app.testPath("output"));
        }],
        // The same directory, by way of a link that leads wherever somebody wants it to.
        ["lies behind a link", async (app: TestApp) => {
          await Deno.rename(app.testPath(), app.path("local_test/moved"));
          await Deno.symlink("moved", app.testPath());
        }],
      ] as const
    ) {
      it(`keeps its owner where its directory ${title} since the run began`, () =>
        trainAs(CALLER, { during }, ({ code, stderr, chowns }) => {
          assertEquals([code, chowns], [0, []]);
          assertMatch(
            stderr,
            /^warning: \S+\/(output|jobs\/\S+\/model) was replaced during the run, so mlcli kept the owner of its files\n/,
          );
        }));
    }

    it("files lose setuid if root ran the container, unless they had it before", async () => {
      await using directory = await makeDirectory({ sh: "" });
      const asked: (readonly string[])[] = [];
      await using engine = await fakeContainers({
        program: ({ body, end }) => {
          asked.push([...body.Entrypoint!, ...body.Cmd]);
          end(0);
        },
      });
      using connected = await clientOf(engine);
      const host = fakeContext({ engine: () => Promise.resolve(connected) });
      const owners = (await ownersBefore([directory.path], { uid: 0, gid: 0 }))!;
      await Deno.chmod(`${directory.path}/sh`, 0o4755);
      // The run began when the file changed, by the clock of files.
      const before = {
        ...owners,
        start: (await Deno.stat(`${directory.path}/sh`)).ctime!.getTime(),
      };
      const [warning] = await giveToCaller("image", before, host);
      assertMatch(
        warning!.message,
        /^The run created programs that run with another user's rights.*\/sh/,
      );
      // As if the run had begun some seconds later.
      assertEquals(
        await giveToCaller("image", { ...before, start: before.start + 5_000 }, host),
        [],
      );
      // With very many files, mlcli skips the search for root, because a run must not wait for it.
      for (let n = 0; n < 10_000; n++) Deno.writeTextFileSync(`${directory.path}/${n}`, "");
      const [unseen] = await giveToCaller("image", before, host);
      assertMatch(unseen!.message, /^Cannot check for setuid programs in .*too many files/);
      assertEquals(asked, [["chmod", "ug-s", "--", "/mlcli/0/sh"]]);
    });

    it("mlcli shows the number of files while it gives them to the caller", async () => {
      await using directory = await makeDirectory();
      await Deno.chown(directory.path, CALLER.uid, CALLER.gid);
      await using engine = await fakeContainers({
        program: async ({ end }) => {
          for (const name of ["a", "b", "c"]) {
            await Deno.chown(`${directory.path}/${name}`, CALLER.uid, CALLER.gid);
          }
          end(0);
        },
      });
      using connected = await clientOf(engine);
      const texts: string[] = [];
      const host: Host = {
        ...fakeContext({ engine: () => Promise.resolve(connected) }),
        waiting: {
          async during(text, work) {
            texts.push(text());
            const result = await work;
            texts.push(text());
            return result;
          },
        },
      };
      const owners = await ownersBefore([directory.path], CALLER);
      for (const name of ["a", "b", "c"]) {
        await Deno.writeTextFile(`${directory.path}/${name}`, "");
      }
      assertEquals(await giveToCaller("image", owners, host), []);
      assertEquals(texts, ["Checking the run's files", "Changing the owner of 3 files to you"]);
      assertEquals((await Deno.lstat(`${directory.path}/c`)).uid, CALLER.uid);
    });

    for (
      const [title, program, words] of [
        ["fails", ({ end }: FakeContainer) => end(1), /: chown exited with code 1\n/],
        ["does nothing", ({ end }: FakeContainer) => end(0), /: chown had no effect\n/],
      ] as const
    ) {
      it(`is only warned of where chown ${title}`, () =>
        trainAs(CALLER, { program, status: 3 }, ({ code, stderr, left, chowns }) => {
          assertEquals([code, left, chowns.length], [3, [], 1]);
          assertMatch(stderr, /^warning: Cannot change the owner of \S+/);
          assertMatch(stderr, words);
          assertMatch(stderr, new RegExp(`^hint: .*sudo chown -hR ${OWNER} \\S+`, "m"));
          assertMatch(stderr, /^error: Training failed: exit code 3$/m);
        }));
    }
  });
}
