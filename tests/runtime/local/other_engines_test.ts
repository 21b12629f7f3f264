import { assertEquals } from "@std/assert";
import { completeApp } from "../../helpers/app.ts";
import { fakeContainers, type Play } from "../../helpers/fake_containers.ts";
import { refusal } from "../../helpers/fake_engine.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

interface Run extends ProgramResult {
  /** `UsernsMode` and the security options of each container that was created. */
  readonly protection: readonly unknown[];
  readonly left: readonly string[];
}

async function on(
  info: Readonly<Record<string, unknown>>,
  args: readonly string[],
  { caller, ...play }: Play & { readonly caller?: { uid: number; gid: number } } = {},
): Promise<Run> {
  await using app = await completeApp();
  await using engine = await fakeContainers({
    onInput: () => {},
    ...play,
    answers: { "GET /info": () => Response.json(info), ...play.answers },
  });
  const result = besidesRun(
    await runInProcess(["local", ...args], { cwd: app.directory, engine, caller }),
  );
  return {
    ...result,
    protection: engine.created.map(({ HostConfig: { UsernsMode, SecurityOpt } }) => [
      UsernsMode,
      SecurityOpt,
    ]),
    left: [...engine.left],
  };
}

const SELINUX = { SecurityOptions: ["name=seccomp,profile=builtin", "name=selinux"] };
const USERNS = { SecurityOptions: ["name=seccomp,profile=default", "name=userns"] };
const NO_LIMITS = {
  SecurityOptions: ["name=rootless"],
  MemoryLimit: false,
  CpuCfsQuota: false,
};
const CONFINED = "no-new-privileges";

suite("on an engine with more protection than most", () => {
  const commands = [["train"], ["process", "-f", "p.py"], ["shell", "--", "true"]];
  for (const args of commands) {
    it(`local ${args[0]} runs without SELinux's label where there is SELinux`, async () => {
      const { code, stderr, protection } = await on(SELINUX, args);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertEquals(protection, [[undefined, [CONFINED, "label=disable"]]]);
    });

    it(`local ${args[0]} runs outside of the engine's user namespace`, async () => {
      const { code, stderr, protection } = await on(USERNS, args);
      assertEquals({ code, stderr }, { code: 0, stderr: "" });
      assertEquals(protection, [["host", [CONFINED]]]);
    });
  }

  it("nothing is different where the engine names neither", async () => {
    const { code, protection } = await on({ SecurityOptions: ["name=apparmor"] }, ["train"]);
    assertEquals([code, protection], [0, [[undefined, [CONFINED]]]]);
  });

  it("Podman is not asked, and is told to use no label", async () => {
    const answers = { "GET /info": () => refusal(500, "It takes long.") };
    const { code, protection } = await on({}, ["train"], { isPodman: true, answers });
    assertEquals([code, protection], [0, [[undefined, [CONFINED, "label=disable"]]]]);
  });
});

suite("on an engine that cannot limit what a run takes", () => {
  const PODMAN = { Rootless: true, CgroupVersion: "1", MemoryLimit: true, CpuCfsQuota: true };
  for (
    const [title, info, isPodman] of [
      ["rootless Docker without cgroups", NO_LIMITS, false],
      ["rootless Podman with cgroup v1", PODMAN, true],
    ] as const
  ) {
    for (
      const [option, value, what] of [["--memory", "200m", "memory"], ["--cpus", "1", "CPUs"]]
    ) {
      it(`${option} is refused, and not ignored: ${title}`, async () => {
        const { code, stderr, protection, left } = await on(info, ["train", option!, value!], {
          isPodman,
        });
        assertEquals([code, protection, left], [1, [], []]);
        const [error, hint] = stderr.split("\n").slice(-3);
        assertEquals(error, `error: The Docker Engine cannot limit ${what}`);
        assertEquals(hint?.startsWith(`hint: Remove ${option}.`), true, hint);
      });
    }

    it(`a run without limits runs: ${title}`, async () => {
      assertEquals((await on(info, ["train"], { isPodman })).code, 0);
    });
  }

  it("a port below 1024 is said to be too low, where only root may have one", async () => {
    const { code, stderr, left } = await on(NO_LIMITS, ["deploy", "--port", "80"], {
      answers: {
        "POST /containers/ID/start": () =>
          refusal(
            500,
            "driver failed programming external connectivity: Error starting userland proxy: " +
              "cannot expose privileged port 80, you can add 'net.ipv4.ip_unprivileged_port_start" +
              "=80' to /etc/sysctl.conf (currently 1024): bind: permission denied",
          ),
      },
    });
    assertEquals([code, left], [1, []]);
    assertEquals(
      stderr.split("\n")[0],
      "error: The Docker Engine is rootless, so it cannot publish port 80",
    );
  });
});

suite("on a rootless engine of another user", () => {
  for (
    const reason of [
      'invalid mount config for type "bind": stat /home/me/app: permission denied',
      "make cli opts(): making volume mountpoint for volume /home/me/app: mkdir /home/me/app: " +
      "permission denied",
    ]
  ) {
    it(`a directory that this user may not reach is said to be one: ${reason}`, async () => {
      const { code, stderr, left } = await on({ SecurityOptions: ["name=rootless"] }, ["train"], {
        answers: { "POST /containers/create": () => refusal(400, reason) },
      });
      assertEquals([code, left], [1, []]);
      const [error, quote, hint] = stderr.split("\n");
      assertEquals(
        [error, quote],
        [
          "error: The Docker Engine has no permission to read a directory of the app",
          `  ${reason}`,
        ],
      );
      assertEquals(hint?.startsWith("hint: Set DOCKER_HOST to your own engine, or "), true);
    });
  }
});
