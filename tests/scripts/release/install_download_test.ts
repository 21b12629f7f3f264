import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { CLIENTS, INSTALL_SCRIPT, pathWith, runScript } from "../../helpers/install_script.ts";
import { type RawHandler, rawServer, say } from "../../helpers/raw_server.ts";
import { sha256 } from "../../helpers/sigv4.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What the release holds in place of the binary: long enough to be cut off anywhere. */
const PROGRAM = `#!/bin/sh\necho mlcli 9.9.9\nexit\n${"# padding\n".repeat(20_000)}`;
const FILE = `mlcli-${Deno.build.target}`;

const SUMS = () => `${sha256(PROGRAM)}  ${FILE}\n`;

/** A whole answer. */
function whole(body: string): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
}

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Programs in the directory afterwards, and what they are. */
  readonly installed: Readonly<Record<string, string>>;
  /** What is left in the directory for temporary files. */
  readonly left: readonly string[];
  readonly calls: readonly string[];
}

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** Which of curl and wget is there; default: both. */
  readonly client?: string;
  /** Gets the running script. */
  readonly onStart?: (script: Deno.ChildProcess) => void;
}

/** Runs the script where `mlcli` is installed already, against a server that answers as told. */
async function install(
  answers: { readonly sums: string | RawHandler; readonly program: string | RawHandler },
  { env = {}, client, onStart }: Options = {},
): Promise<Run> {
  await using directory = await makeDirectory({ "bin/mlcli": "old", "tmp/": "" });
  await using server = rawServer(async (connection, request) => {
    const answer = request.call.endsWith("/SHA256SUMS") ? answers.sums : answers.program;
    if (typeof answer === "string") await say(connection, answer);
    else await answer(connection, request);
  });
  const result = await runScript(INSTALL_SCRIPT, {
    MLCLI_RELEASES: `http://127.0.0.1:${server.port}/releases`,
    MLCLI_INSTALL: `${directory.path}/bin`,
    TMPDIR: `${directory.path}/tmp`,
    ...(client ? { PATH: await pathWith(client, `${directory.path}/path`) } : {}),
    ...env,
  }, { onStart });
  const installed: Record<string, string> = {};
  for (const { name } of Deno.readDirSync(`${directory.path}/bin`)) {
    installed[name] = await Deno.readTextFile(`${directory.path}/bin/${name}`);
  }
  return {
    ...result,
    installed,
    left: await namesIn(`${directory.path}/tmp`),
    calls: [...server.calls],
  };
}

/** Nothing was installed, what was there is there, and nothing is left. */
function assertUntouched({ code, stdout, installed, left }: Run, status = 1): void {
  assertEquals({ code, stdout, installed, left }, {
    code: status,
    stdout: "",
    installed: { mlcli: "old" },
    left: [],
  });
}

// Windows has install.ps1.
if (Deno.build.os !== "windows") {
  suite("install.sh: what it takes from a release", () => {
    it("takes the checksum of the program, not that of a file with a like name", async () => {
      const others = ["", "x-"].flatMap((before) =>
        ["", ".sig", ".sha256", ".sig.old"].map((after) => `${before}${FILE}${after}`)
      ).filter((name) => name !== FILE);
      const lines = others.map((name, index) => `${String(index).repeat(64)}  ${name}\n`);
      const own = SUMS();
      for (const sums of [[...lines, own], [own, ...lines], [...lines, own, ...lines]]) {
        const run = await install({ sums: whole(sums.join("")), program: whole(PROGRAM) });
        assertEquals([run.code, run.stderr], [0, ""]);
        assertEquals(run.installed, { mlcli: PROGRAM });
        assertEquals(run.left, []);
      }
    });

    it("takes no file whose own checksum is missing, though its signature has one", async () => {
      const sums = `${sha256(PROGRAM)}  ${FILE}.sig\n${sha256("")}  ${FILE}s\n`;
      const run = await install({ sums: whole(sums), program: whole(PROGRAM) });
      assertUntouched(run);
      assertMatch(run.stderr, /^error: \S+\/SHA256SUMS does not contain mlcli-/);
      assertEquals(run.calls.length, 1);
    });

    for (const version of ["1.2.3", "v1.2.3"]) {
      it(`takes the version ${version}`, async () => {
        const answers = { sums: whole(SUMS()), program: whole(PROGRAM) };
        const run = await install(answers, { env: { MLCLI_VERSION: version } });
        assertEquals([run.code, run.stderr], [0, ""]);
        assertEquals(run.calls, [
          "GET /releases/download/v1.2.3/SHA256SUMS",
          `GET /releases/download/v1.2.3/${FILE}`,
        ]);
      });
    }
  });

  suite("install.sh: a download that breaks off", () => {
    const half = PROGRAM.slice(0, PROGRAM.length / 2);

    for (const client of CLIENTS) {
      it(`is said where its length was announced, with ${client}`, async () => {
        const program = whole(PROGRAM).slice(0, -half.length);
        const run = await install({ sums: whole(SUMS()), program }, { client });
        assertUntouched(run);
        assertMatch(run.stderr, /^error: Cannot download http:\S+\/mlcli-\S+$/m);
      });

      it(`has the wrong checksum where it was not, with ${client}`, async () => {
        const program = `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${half}`;
        const run = await install({ sums: whole(SUMS()), program }, { client });
        assertUntouched(run);
        assertMatch(run.stderr, /^error: The checksum of mlcli-\S+ is wrong: /);
        assertStringIncludes(run.stderr, `${sha256(half)}, not ${sha256(PROGRAM)}`);
        assertStringIncludes(run.stderr, "hint: Nothing was installed.");
      });

      it(`of the checksums is said, too, with ${client}`, async () => {
        const sums = `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${(SUMS()).slice(0, -4)}`;
        const run = await install({ sums, program: whole(PROGRAM) }, { client });
        assertUntouched(run);
        assertMatch(run.stderr, /^error: \S+\/SHA256SUMS does not contain mlcli-/);
        assertEquals(run.calls.length, 1);
      });
    }

    it("by a signal leaves nothing", async () => {
      const asked = Promise.withResolvers<void>();
      const signalled = Promise.withResolvers<void>();
      const run = await install({
        sums: whole(SUMS()),
        program: async (connection) => {
          await say(connection, whole(PROGRAM).slice(0, -half.length));
          asked.resolve();
          // The shell hears of the signal once the download, which has none, has ended.
          await signalled.promise;
        },
      }, {
        onStart: (script) => {
          asked.promise.then(() => script.kill("SIGTERM")).finally(signalled.resolve);
          script.status.then(() => asked.resolve());
        },
      });
      assertUntouched(run, 143);
    });
  });
}
