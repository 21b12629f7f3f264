import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { it, suite } from "../helpers/suite.ts";

const SCRIPT = fromFileUrl(new URL("../../scripts/install.sh", import.meta.url));

/** What the release holds in place of the binary. */
const PROGRAM = '#!/bin/sh\necho "mlcli 9.9.9 ($1)"\n';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** What is in the directory afterwards. */
  readonly installed: readonly string[];
  /** Paths that were asked for. */
  readonly requests: readonly string[];
}

interface Before {
  /** The program that is installed already. */
  readonly before?: string;
  /** The program that the release has. */
  readonly served?: string;
}

/** Runs the script against a server with this SHA256SUMS. */
async function install(
  sums: string,
  env: Readonly<Record<string, string>> = {},
  { before, served = PROGRAM }: Before = {},
): Promise<Run> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-test-install-" });
  const requests: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname } = new URL(request.url);
    requests.push(pathname);
    return new Response(pathname.endsWith("/SHA256SUMS") ? sums : served);
  });
  try {
    const home = `${directory}/bin`;
    if (before !== undefined) {
      await Deno.mkdir(home);
      await Deno.writeTextFile(`${home}/mlcli`, before, { mode: 0o755 });
    }
    const { code, stdout, stderr } = await new Deno.Command("sh", {
      args: [SCRIPT],
      env: {
        MLCLI_RELEASES: `http://127.0.0.1:${server.addr.port}/releases`,
        MLCLI_INSTALL: home,
        NO_PROXY: "127.0.0.1",
        no_proxy: "127.0.0.1",
        ...env,
      },
      stdin: "null",
      signal: AbortSignal.timeout(30_000),
    }).output();
    const installed: string[] = [];
    const exists = await Deno.stat(home).then(() => true, () => false);
    for (const { name } of exists ? Deno.readDirSync(home) : []) {
      installed.push(`${name}: ${await Deno.readTextFile(`${home}/${name}`)}`);
    }
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    return { code, stdout: text(stdout), stderr: text(stderr), installed, requests };
  } finally {
    await server.shutdown();
    await Deno.remove(directory, { recursive: true });
  }
}

async function sumsOf(content: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(content));
  const name = `mlcli-${Deno.build.target}`;
  return `${"0".repeat(64)}  other-${name}\n${new Uint8Array(digest).toHex()}  ${name}\n`;
}

// Windows has install.ps1.
if (Deno.build.os !== "windows") {
  suite("install.sh", () => {
    it("installs what has the right checksum", async () => {
      const { code, stdout, stderr, installed, requests } = await install(await sumsOf(PROGRAM));
      assertEquals([code, stderr], [0, ""]);
      assertMatch(stdout, /^Installed mlcli 9\.9\.9 \(--version\) as .*\/bin\/mlcli\n/);
      assertMatch(stdout, /Add it to your PATH: export PATH=".*\/bin:\$PATH"\n$/);
      assertEquals(installed, [`mlcli: ${PROGRAM}`]);
      assertEquals(requests, [
        "/releases/latest/download/SHA256SUMS",
        `/releases/latest/download/mlcli-${Deno.build.target}`,
      ]);
    });

    it("takes the version that is asked for, in place of the one that is there", async () => {
      const sums = await sumsOf(PROGRAM);
      const { code, installed, requests } = await install(sums, { MLCLI_VERSION: "1.2.3" }, {
        before: "old",
      });
      assertEquals(code, 0);
      assertEquals(installed, [`mlcli: ${PROGRAM}`]);
      assertEquals(requests[0], "/releases/download/v1.2.3/SHA256SUMS");
    });

    it("installs nothing when the checksum is wrong, and leaves what is there", async () => {
      const sums = await sumsOf("another program");
      const { code, stdout, stderr, installed } = await install(sums, {}, { before: "old" });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(
        stderr,
        /^error: The checksum of mlcli-\S+ is wrong: [0-9a-f]{64}, not [0-9a-f]{64}\n/,
      );
      assertStringIncludes(stderr, "hint: Nothing was installed.");
      assertEquals(installed, ["mlcli: old"]);
    });

    it("downloads nothing that the release does not name", async () => {
      const { code, stderr, installed, requests } = await install(`${"0".repeat(64)}  other\n`);
      assertEquals(code, 1);
      assertMatch(stderr, /^error: \S+\/SHA256SUMS does not name mlcli-/);
      assertEquals([installed, requests.length], [[], 1]);
    });

    it("says what cannot be downloaded", async () => {
      // Nobody listens on port 1.
      const { code, stderr } = await install("", { MLCLI_RELEASES: "http://127.0.0.1:1" });
      assertEquals(code, 1);
      assertStringIncludes(stderr, "error: Cannot download http://127.0.0.1:1/latest/download/");
    });

    it("leaves the program that is there when the new one does not run", async () => {
      const served = "#!/bin/sh\nexit 1\n";
      const sums = await sumsOf(served);
      const { code, stdout, stderr, installed } = await install(sums, {}, {
        before: "old",
        served,
      });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, /^error: mlcli-\S+ does not run on this machine\nhint: Nothing was inst/);
      assertEquals(installed, ["mlcli: old"]);
    });

    it("puts nothing into a directory that has the program's name", async () => {
      const directory = await Deno.makeTempDir({ prefix: "mlcli-test-install-" });
      await Deno.mkdir(`${directory}/mlcli`);
      const { code, stderr, requests } = await install("", { MLCLI_INSTALL: directory });
      assertEquals([code, requests], [1, []]);
      assertStringIncludes(stderr, `error: ${directory}/mlcli is a directory\n`);
      assertEquals([...Deno.readDirSync(`${directory}/mlcli`)], []);
      await Deno.remove(directory, { recursive: true });
    });

    it("asks for a directory where there is no home", async () => {
      const { code, stderr } = await install("", { HOME: "", MLCLI_INSTALL: "" });
      assertEquals(code, 1);
      assertStringIncludes(stderr, "error: Neither HOME nor MLCLI_INSTALL is set\n");
    });

    it("finds its directory in PATH, with a slash at its end or without", async () => {
      const directory = await Deno.makeTempDir({ prefix: "mlcli-test-install-" });
      const { code, stdout } = await install(await sumsOf(PROGRAM), {
        MLCLI_INSTALL: `${directory}/`,
        PATH: `${Deno.env.get("PATH")}:${directory}`,
      });
      assertEquals(code, 0);
      assertEquals(stdout, `Installed mlcli 9.9.9 (--version) as ${directory}/mlcli\n`);
      await Deno.remove(directory, { recursive: true });
    });
  });
}
