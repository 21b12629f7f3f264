import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import type { CreateBody } from "../../../../runtime/docker/engine.ts";
import type { EngineInfo } from "../../../../runtime/docker/engine_info.ts";
import {
  mayHaveOtherFiles,
  requireSeen,
  sharingHint,
} from "../../../../runtime/local/container/unseen.ts";
import { completeApp } from "../../../helpers/app.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { fakeContainers, pathStat } from "../../../helpers/fake_containers.ts";
import { type Answer, clientOf, fakeEngine, pong, refusal } from "../../../helpers/fake_engine.ts";
import { runInProcess } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** An engine on this machine's socket, and what it says of itself. */
function engineOf(info: EngineInfo, more: { address?: string; isPodman?: boolean } = {}) {
  let asked = 0;
  return {
    address: "unix:///var/run/docker.sock",
    isPodman: false,
    inStudio: false,
    ...more,
    info: () => Promise.resolve((asked++, info)),
    get asked() {
      return asked;
    },
  };
}

suite("whether an engine may have other files", () => {
  const here = { os: "linux", host: "me" };
  const [mac, elsewhere] = [{ os: "darwin", host: "me" }, { Name: "colima" }];
  const rows: readonly (readonly [
    name: string,
    engine: ReturnType<typeof engineOf> & { inStudio: boolean },
    expected: boolean,
    where?: typeof here,
    asked?: number,
  ])[] = [
    ["an engine of this Linux machine", engineOf({ Name: "me" }), false, here, 1],
    ["one that does not say where it is", engineOf({}), false, here, 1],
    // https://github.com/devcontainers/features/issues/919: a container with the host's socket.
    ["one behind a socket from elsewhere", engineOf(elsewhere), true, here, 1],
    ["one on another host", engineOf({ Name: "me" }, { address: "tcp://far:2376" }), true],
    ["any engine on macOS", engineOf({ Name: "me" }), true, mac],
    ["Podman on this Linux machine", engineOf(elsewhere, { isPodman: true }), false],
    ["Podman on macOS", engineOf({}, { isPodman: true }), true, mac],
    ["SageMaker Studio's", { ...engineOf(elsewhere), inStudio: true, asked: 0 }, false],
  ];
  for (const [name, engine, expected, where = here, asked = 0] of rows) {
    it(`${expected ? "holds" : "does not hold"} for ${name}`, async () => {
      assertEquals(await mayHaveOtherFiles(engine, where), expected);
      assertEquals(engine.asked, asked);
    });
  }
});

suite("the fix for a directory that an engine does not see", () => {
  const podman = { isPodman: true };
  const tcp = { address: "tcp://far:2376" };
  const rows: readonly (readonly [
    report: string,
    engine: ReturnType<typeof engineOf>,
    expected: RegExp,
  ])[] = [
    [
      "https://github.com/abiosoft/colima/issues/1295",
      engineOf({ Name: "colima", OperatingSystem: "Ubuntu 24.04.1 LTS" }),
      /: colima stop default && colima start default --mount "\$HOME:w" --mount '\/Volumes\/my dev:w'$/,
    ],
    [
      "https://github.com/abiosoft/colima/issues/503",
      engineOf({ Name: "colima-junk" }),
      /: colima stop junk && colima start junk --mount "\$HOME:w" --mount /,
    ],
    [
      "https://github.com/docker/for-win/issues/442",
      engineOf({ Name: "docker-desktop", OperatingSystem: "Docker Desktop" }),
      /^Share \/Volumes\/my dev with Docker Desktop: Settings > Resources > File sharing$/,
    ],
    [
      "https://github.com/rancher-sandbox/docs.rancherdesktop.io/issues/23",
      engineOf({ Name: "lima-rancher-desktop", OperatingSystem: "Alpine Linux v3.19" }),
      /^Add mounts: \[\{location: "\/Volumes\/my dev", writable: true\}\] to .*override\.yaml/,
    ],
    [
      "Rancher Desktop on Windows",
      engineOf({ Name: "pc", OperatingSystem: "Rancher Desktop WSL Distribution" }),
      /restart Rancher Desktop/,
    ],
    [
      "https://github.com/containers/podman/issues/14815",
      engineOf({}, podman),
      /podman machine rm && .* -v "\$HOME:\$HOME" -v '\/Volumes\/my dev:\/Volumes\/my dev'$/,
    ],
    [
      "Podman on another host",
      engineOf({}, { ...podman, ...tcp }),
      /^Run mlcli where the engine runs, or/,
    ],
    [
      "https://github.com/moby/moby/issues/23900",
      engineOf({ Name: "far", OperatingSystem: "CentOS Linux 7" }, tcp),
      /^Run mlcli where the engine runs \(far\), .* dev container .* have \/Volumes\/my dev at/,
    ],
  ];
  for (const [report, engine, expected] of rows) {
    it(`is of its program: ${report}`, async () => {
      assertMatch(await sharingHint(engine, "/Volumes/my dev"), expected);
    });
  }

  it("shares the app's directory for one that lies in the app", async () => {
    const code = "/a b/shop/mlcli_base/local_test/jobs/shop-1/code";
    assertMatch(await sharingHint(engineOf({ Name: "colima" }), code), / --mount '\/a b:w'$/);
  });
});

/** The body of a container with directories, by their targets. */
function bodyWith(mounts: Readonly<Record<string, string>>): CreateBody {
  const Mounts = Object.entries(mounts).map(([Target, Source]) =>
    ({ Type: "bind", Source, Target, ReadOnly: true }) as const
  );
  return { Image: "i", Cmd: [], Labels: {}, HostConfig: { AutoRemove: true, Mounts } };
}

suite("a mount is checked by a file in it", () => {
  /** The paths that are asked for, and the error's message. */
  async function checked(
    mounts: Readonly<Record<string, string>>,
    answer: Answer = () => refusal(404, "Could not find the file in container"),
  ): Promise<{ readonly asked: readonly string[]; readonly message: string | undefined }> {
    await using fake = await fakeEngine({
      "GET /_ping": () => pong("1.44"),
      "GET /info": () => Response.json({ Name: "elsewhere" }),
      "HEAD /containers/c/archive": answer,
    });
    using engine = await clientOf(fake);
    const error = await requireSeen(engine, "c", bodyWith(mounts)).catch((error) => error);
    const asked = fake.calls.filter(({ call }) => call.startsWith("HEAD"));
    return { asked: asked.map(({ query }) => query["path"]!), message: error?.message };
  }

  const unseen = (path: string) => `The Docker Engine does not see ${path}`;

  it("which the container does not have", async () => {
    await using directory = await makeDirectory({ "a/b/c.csv": "1" });
    const { path } = directory;
    assertEquals(await checked({ "/data": path }), {
      asked: ["/data/a/b/c.csv"],
      message: unseen(path),
    });
  });

  it("which the container has", async () => {
    await using directory = await makeDirectory({ "c.csv": "1" });
    const { asked, message } = await checked({ "/data": directory.path }, () => pathStat(false));
    assertEquals({ asked, message }, { asked: ["/data/c.csv"], message: undefined });
  });

  it("and if it is a file, by itself: it may be a directory there", async () => {
    // https://github.com/abiosoft/colima/issues/830, and #838
    await using directory = await makeDirectory({ "pip.conf": "1" });
    const source = join(directory.path, "pip.conf");
    assertEquals(await checked({ "/etc/pip.conf": source }, () => pathStat(true)), {
      asked: ["/etc/pip.conf"],
      message: unseen(directory.path),
    });
  });

  it("that no other mount hides", async () => {
    await using directory = await makeDirectory({ "in/data/x": "1", "other/y": "1" });
    const [input, other] = ["in", "other"].map((name) => join(directory.path, name)) as [
      string,
      string,
    ];
    const { asked } = await checked({ "/in": input, "/in/data": other }, () => pathStat(false));
    assertEquals(asked, ["/in/data/y"]);
  });

  it("that is no link, and has a name that all file systems write alike", async () => {
    await using directory = await makeDirectory({ "ü.csv": "1", "empty/": "" });
    await Deno.symlink("ü.csv", join(directory.path, "a.csv"));
    assertEquals(await checked({ "/data": directory.path }), { asked: [], message: undefined });
  });

  it("among the first 300 entries", async () => {
    const names = Array.from({ length: 301 }, (_, number) => `d${number}/a.csv`);
    await using directory = await makeDirectory(
      Object.fromEntries(names.map((name) => [name, ""])),
    );
    assertEquals((await checked({ "/data": directory.path })).asked, []);
  });

  it("and passes if that file is removed meanwhile", async () => {
    await using directory = await makeDirectory({ "c.csv": "1" });
    const { message } = await checked({ "/data": directory.path }, async () => {
      await Deno.remove(join(directory.path, "c.csv"));
      return refusal(404, "Could not find the file");
    });
    assertEquals(message, undefined);
  });

  it("and passes if the engine refuses to say", async () => {
    await using directory = await makeDirectory({ "c.csv": "1" });
    const answer = () => refusal(403, "a filter allows no archives");
    assertEquals((await checked({ "/data": directory.path }, answer)).message, undefined);
  });

  it("and fails if the engine goes away", async () => {
    await using directory = await makeDirectory({ "c.csv": "1" });
    const { message } = await checked(
      { "/data": directory.path },
      () => new Response("", { status: 302 }),
    );
    assertMatch(message!, /Unexpected response from the Docker Engine/);
  });
});

suite("a command on an engine with other files", () => {
  const HEAD = "HEAD /containers/ID/archive";
  const [TRAIN, PROCESS, SHELL] = [["train"], ["process", "-f", "p.py"], ["shell", "--", "true"]];
  for (const args of [TRAIN, PROCESS, SHELL, ["deploy", "--port", "0"]]) {
    it(`ends with the fix, and without a container: local ${args![0]}`, async () => {
      await using app = await completeApp();
      await using engine = await fakeContainers({
        onInput: () => {},
        answers: {
          "GET /info": () => Response.json({ Name: "colima" }),
          [HEAD]: () => refusal(404, "Could not find the file"),
        },
      });
      const { code, stderr } = await runInProcess(["local", ...args!], {
        cwd: app.directory,
        engine,
      });
      assertEquals(code, 1);
      assertMatch(
        stderr,
        /^error: The Docker Engine does not see \/.*\nhint: Restart Colima with this .*\n$/m,
      );
      // Not for the start, and not since the server lacks something: the image is not to blame.
      assertEquals(stderr.includes("mlcli build"), false);
      assertEquals(engine.course.includes("POST /containers/ID/start"), false);
      assertEquals([engine.callsOf("DELETE /containers/ID").length, engine.left], [1, []]);
    });
  }

  for (const args of [TRAIN, PROCESS, SHELL]) {
    it(`asks nothing more of an engine on this machine: local ${args![0]}`, async () => {
      const courses: string[][] = [];
      for (const Name of [undefined, Deno.hostname(), "elsewhere"]) {
        await using app = await completeApp();
        await using engine = await fakeContainers({
          onInput: () => {},
          answers: { "GET /info": () => Response.json({ Name }) },
        });
        const { code } = await runInProcess(["local", ...args!], { cwd: app.directory, engine });
        assertEquals(code, 0);
        courses.push(engine.course.toSorted());
      }
      const [first, here, elsewhere] = courses;
      assertEquals(here, first);
      assertEquals(elsewhere!.filter((call) => call !== HEAD), first);
      assertEquals(elsewhere!.includes(HEAD), true);
    });
  }
});

suite("an engine that refuses a directory", () => {
  const DESKTOP = { OperatingSystem: "Docker Desktop", Name: "docker-desktop" };
  const rows: readonly (readonly [
    report: string,
    info: EngineInfo,
    words: string,
    expected: RegExp,
    call?: string,
  ])[] = [
    [
      "https://github.com/docker/for-mac/issues/3258",
      DESKTOP,
      "Mounts denied: \nThe path /private/x y is not shared from the host and is not known to Docker.\n",
      /^error: The Docker Engine does not see \/private\/x y\n {2}Mounts denied: *\n.*\nhint: Share \/private\/x y with/m,
    ],
    [
      "https://github.com/crate/docker-crate/issues/212",
      DESKTOP,
      "Mounts denied: \nThe path /data is not shared from the host and is not known to Docker.",
      /^error: The Docker Engine does not see \/data\n/m,
      "POST /containers/ID/start",
    ],
    [
      "https://github.com/MicrosoftDocs/vscodespaces/issues/433",
      { Name: "far" },
      'invalid mount config for type "bind": bind source path does not exist: /home/vsonline/w',
      /^error: The Docker Engine does not see \/home\/vsonline\/w\n {2}.*\nhint: Run mlcli where the engine runs \(far\), /m,
    ],
    [
      "https://github.com/containers/podman/issues/14815",
      { Name: "colima" },
      "statfs /private/tmp: no such file or directory",
      /^error: The Docker Engine does not see \/private\/tmp\n {2}statfs .*\nhint: Restart Colima/m,
    ],
  ];
  for (const [report, info, words, expected, call = "POST /containers/create"] of rows) {
    it(`says which, and the fix: ${report}`, async () => {
      await using app = await completeApp();
      await using engine = await fakeContainers({
        answers: { "GET /info": () => Response.json(info), [call]: () => refusal(400, words) },
      });
      const { code, stderr } = await runInProcess(["local", "train"], {
        cwd: app.directory,
        engine,
      });
      assertMatch(stderr, expected);
      assertEquals([code, engine.left], [1, []]);
    });
  }
});
