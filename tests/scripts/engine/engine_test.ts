import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { basename } from "@std/path";
import { MlcliError } from "../../../runtime/errors.ts";
import { type Daemon, startDaemon } from "../../../scripts/engine/engine.ts";
import { removeTreeIfThere } from "../../../runtime/files.ts";
import { pause } from "../../../scripts/script.ts";
import { afterEach, beforeEach, it, suite } from "../../helpers/suite.ts";

const never = new AbortController().signal;

/** A daemon in the least: answers `/_ping` on the socket in its argument, until it is killed. */
const FAKE_DAEMON = `
  Deno.writeTextFileSync(Deno.args[1], String(Deno.pid));
  Deno.serve({ path: Deno.args[0] }, () =>
    new Response("OK", { headers: { "Api-Version": "1.41" } }));
`;

suite("Starting a daemon", () => {
  let directory = "";
  beforeEach(async () => {
    directory = await Deno.makeTempDir({ prefix: "mlcli-test-" });
  });
  afterEach(() => removeTreeIfThere(directory));

  function daemon(command: readonly string[], timeout: number): Daemon {
    const host = `unix://${directory}/docker.sock`;
    return {
      command,
      env: (name) => name === "DOCKER_HOST" ? host : undefined,
      pidFile: { path: `${directory}/docker.pid`, program: basename(Deno.execPath()) },
      otherPidFiles: [{ path: `${directory}/containerd.pid`, program: "containerd" }],
      log: `${directory}/dockerd.log`,
      timeout,
    };
  }

  async function fakeDaemon(): Promise<Daemon> {
    const script = `${directory}/daemon.ts`;
    await Deno.writeTextFile(script, FAKE_DAEMON);
    const paths = [`${directory}/docker.sock`, `${directory}/docker.pid`];
    return daemon([Deno.execPath(), "run", "-A", "--no-config", script, ...paths], 30_000);
  }

  async function pidOf({ pidFile }: Daemon): Promise<number> {
    return Number(await Deno.readTextFile(pidFile.path));
  }

  async function gone(pid: number): Promise<void> {
    for (let attempt = 0; attempt < 1_000; attempt++) {
      if (!await Deno.stat(`/proc/${pid}`).catch(() => undefined)) return;
      await pause(10);
    }
    throw new Error(`Process ${pid} does not end`);
  }

  it("waits until it answers, and finds it again without a second one", async () => {
    const fake = await fakeDaemon();
    (await startDaemon(fake, never)).close();
    const pid = await pidOf(fake);
    try {
      (await startDaemon(fake, never)).close();
      assertEquals(await pidOf(fake), pid);
      const status = await Deno.readTextFile(`/proc/${pid}/stat`);
      // Field 6, the session: its own, so that Ctrl-C in this terminal does not reach it.
      assertEquals(Number(status.slice(status.lastIndexOf(")")).split(" ")[4]), pid);
    } finally {
      Deno.kill(pid, "SIGKILL");
      await gone(pid);
    }
  });

  it("is not misled by process ids from before a restart that others have now", async () => {
    const fake = await fakeDaemon();
    // As dockerd, which does not start then.
    const refusing = {
      ...fake,
      command: ["sh", "-c", 'cat "$0"/*.pid && exit 1; exec "$@"', directory, ...fake.command],
    };
    for (const { path } of [fake.pidFile, ...fake.otherPidFiles]) {
      await Deno.writeTextFile(path, "1");
    }
    (await startDaemon(refusing, never)).close();
    const pid = await pidOf(fake);
    Deno.kill(pid, "SIGKILL");
    await gone(pid);
  });

  it("quotes the log of one that ends", async () => {
    const broken = daemon(["sh", "-c", "echo no iptables here >&2; exit 3"], 30_000);
    const error = await assertRejects(() => startDaemon(broken, never), MlcliError);
    assertEquals(error.message, "sh ended with 3");
    assertEquals(error.quote, "no iptables here");
    assertStringIncludes(error.hint ?? "", broken.log);
  });

  it("gives up on one that does not answer, and ends it", async () => {
    const silent = daemon(["sleep", "60"], 100);
    const error = await assertRejects(() => startDaemon(silent, never), MlcliError);
    assert(error.message.startsWith("sleep does not answer after 100 ms"), error.message);
  });

  it("stops waiting when it is interrupted", async () => {
    const signal = AbortSignal.abort(new Error("Interrupted"));
    await assertRejects(
      () => startDaemon(daemon(["sleep", "60"], 30_000), signal),
      Error,
      "Interr",
    );
  });
});
