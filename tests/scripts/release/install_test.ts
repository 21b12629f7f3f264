import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { addressOf, stamped } from "../../../scripts/release/stamp.ts";
import { makeCertificate } from "../../helpers/certificate.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { CLIENTS, INSTALL_SCRIPT, pathWith, runScript } from "../../helpers/install_script.ts";
import { sha256 } from "../../helpers/sigv4.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What the release holds in place of the binary. */
const PROGRAM = '#!/bin/sh\necho "mlcli 9.9.9 ($1)"\necho "Installed as $0"\n';

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
  /** A copy of the script that is run instead. */
  readonly script?: string;
  /** Prepares the directory of the program; gets its parent. */
  readonly prepare?: (parent: string) => Promise<void>;
  /** Looks at what is there afterwards; gets the parent of the program's directory. */
  readonly inspect?: (parent: string) => Promise<void>;
}

/** Runs the script against a server with this SHA256SUMS. */
async function install(
  sums: string,
  env: Readonly<Record<string, string>> = {},
  { before, served = PROGRAM, script = INSTALL_SCRIPT, prepare, inspect }: Before = {},
): Promise<Run> {
  await using parent = await makeDirectory();
  const directory = parent.path;
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
    await prepare?.(directory);
    const result = await runScript(script, {
      MLCLI_RELEASES: `http://127.0.0.1:${server.addr.port}/releases`,
      MLCLI_INSTALL: home,
      ...env,
    }, { cwd: directory });
    await inspect?.(directory);
    const installed: string[] = [];
    const exists = await Deno.stat(home).then(() => true, () => false);
    for (const { name } of exists ? Deno.readDirSync(home) : []) {
      installed.push(`${name}: ${await Deno.readTextFile(`${home}/${name}`)}`);
    }
    return { ...result, installed, requests };
  } finally {
    await server.shutdown();
  }
}

/** What `ldd --version` says on musl, in reports. */
const MUSL: Readonly<Record<string, string>> = {
  // https://github.com/sgerrand/alpine-pkg-glibc/issues/172
  "Alpine 3.15":
    "musl libc (x86_64)\nVersion 1.1.24\nDynamic Program Loader\nUsage: /lib/ld-musl-x86_64.so.1 [options] [--] pathname",
  // https://github.com/denoland/deno/issues/31143
  "Alpine on arm64": "musl libc (aarch64)\nVersion 1.2.5\nDynamic Program Loader",
};

/** What `wget --version` says in BusyBox, in reports. */
const BUSYBOX: Readonly<Record<string, string>> = {
  // https://github.com/rust-lang/rustup/pull/2885
  "Alpine 3.14": "wget: unrecognized option: V\nBusyBox v1.33.1 () multi-call binary.",
  // https://github.com/rbenv/ruby-build/issues/2301
  "Alpine 3.18":
    "wget: unrecognized option: version\nBusyBox v1.36.1 (2023-07-27 17:12:24 UTC) multi-call binary.",
  // https://packages.debian.org/bookworm/busybox
  "Debian 12":
    'wget: unrecognized option "--version"\nBusyBox v1.35.0 (Debian 1:1.35.0-4+deb12u1+b1) multi-call binary.',
};

/** Adds a script of the shell to a directory for PATH. */
async function addTool(directory: string, name: string, script: string): Promise<void> {
  await Deno.writeTextFile(`${directory}/${name}`, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** The PATH with a directory before all others. */
function pathOf(directory: string): Readonly<Record<string, string>> {
  return { PATH: `${directory}:${Deno.env.get("PATH")}` };
}

function sumsOf(content: string): string {
  const name = `mlcli-${Deno.build.target}`;
  return `${"0".repeat(64)}  other-${name}\n${sha256(content)}  ${name}\n`;
}

// Windows has install.ps1.
if (Deno.build.os !== "windows") {
  suite("install.sh", () => {
    it("installs what has the right checksum", async () => {
      const { code, stdout, stderr, installed, requests } = await install(sumsOf(PROGRAM));
      assertEquals([code, stderr], [0, ""]);
      assertMatch(stdout, /^Installed mlcli 9\.9\.9 \(--version\) as .*\/bin\/mlcli\n/);
      assertMatch(stdout, /Add it to your PATH: export PATH=".*\/bin:\$PATH"\n$/);
      assertEquals(installed, [`mlcli: ${PROGRAM}`]);
      assertEquals(requests, [
        "/releases/latest/download/SHA256SUMS",
        `/releases/latest/download/mlcli-${Deno.build.target}`,
      ]);
    });

    it("says what cannot be downloaded", async () => {
      // Nobody listens on port 1.
      const { code, stderr } = await install("", { MLCLI_RELEASES: "http://127.0.0.1:1" });
      assertEquals(code, 1);
      assertStringIncludes(stderr, "error: Cannot download http://127.0.0.1:1/latest/download/");
    });

    it("leaves the program that is there when the new one does not run", async () => {
      const served = "#!/bin/sh\nexit 1\n";
      const sums = sumsOf(served);
      const { code, stdout, stderr, installed } = await install(sums, {}, {
        before: "old",
        served,
      });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(
        stderr,
        /^error: mlcli-\S+ does not run on this machine\nhint: Nothing was installed\. On Linux, mlcli needs glibc 2\.27 or later\.\n/,
      );
      assertEquals(installed, ["mlcli: old"]);
    });

    if (Deno.build.os === "linux") {
      for (const [title, text] of Object.entries(MUSL)) {
        it(`asks for glibc on ${title}, and downloads nothing`, async () => {
          await using tools = await makeDirectory({ "lib64/": "" });
          await addTool(tools.path, "ldd", `echo '${text}' >&2; exit 1`);
          const script = `${tools.path}/install.sh`;
          const own = (await Deno.readTextFile(INSTALL_SCRIPT)).replaceAll(
            " /lib",
            ` ${tools.path}/lib`,
          );
          await Deno.writeTextFile(script, own);
          const { code, stderr, requests } = await install("", pathOf(tools.path), { script });
          assertEquals([code, requests], [1, []]);
          assertEquals(
            stderr,
            "error: mlcli needs glibc 2.27 or later, but this system has musl\n" +
              "hint: Install it on a system with glibc, such as Debian or the image debian:bookworm-slim.\n",
          );
        });
      }

      // https://github.com/denoland/deno_docker/issues/510
      for (const loader of ["lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1"]) {
        it(`installs on a system with musl that has ${loader} of glibc`, async () => {
          await using tools = await makeDirectory({ [loader]: "" });
          await addTool(tools.path, "ldd", "echo 'musl libc (x86_64)' >&2; exit 1");
          const text = await Deno.readTextFile(INSTALL_SCRIPT);
          const script = `${tools.path}/install.sh`;
          await Deno.writeTextFile(script, text.replaceAll(" /lib", ` ${tools.path}/lib`));
          const { code } = await install(sumsOf(PROGRAM), pathOf(tools.path), { script });
          assertEquals(code, 0);
        });
      }

      for (const [title, text] of Object.entries(BUSYBOX)) {
        it(`says that it cannot use the wget of ${title}`, async () => {
          await using directory = await makeDirectory();
          const tools = await pathWith("ls", `${directory.path}/tools`);
          await addTool(tools, "wget", `echo '${text}' >&2; exit 1`);
          const { code, stderr, requests } = await install("", { PATH: tools });
          assertEquals([code, requests], [1, []]);
          assertEquals(
            stderr,
            "error: BusyBox's wget cannot refuse redirects to http\nhint: Install curl or GNU wget.\n",
          );
        });
      }
    }

    it("puts nothing into a directory that has the program's name", async () => {
      await using directory = await makeDirectory({ "mlcli/": "" });
      const { code, stderr, requests } = await install("", { MLCLI_INSTALL: directory.path });
      assertEquals([code, requests], [1, []]);
      assertStringIncludes(stderr, `error: ${directory.path}/mlcli is a directory\n`);
      assertEquals(await namesIn(`${directory.path}/mlcli`), []);
    });

    it("asks for a directory where there is no home", async () => {
      const { code, stderr } = await install("", { HOME: "", MLCLI_INSTALL: "" });
      assertEquals(code, 1);
      assertStringIncludes(stderr, "error: Neither HOME nor MLCLI_INSTALL is set\n");
    });

    it("finds its directory in PATH, with a slash at its end or without", async () => {
      await using directory = await makeDirectory();
      const { code, stdout } = await install(sumsOf(PROGRAM), {
        MLCLI_INSTALL: `${directory.path}/`,
        PATH: `${Deno.env.get("PATH")}:${directory.path}`,
      });
      assertEquals(code, 0);
      assertEquals(stdout, `Installed mlcli 9.9.9 (--version) as ${directory.path}/mlcli\n`);
    });

    it("installs into a directory below the current one, whatever its name begins with", async () => {
      const { code, stdout } = await install(sumsOf(PROGRAM), { MLCLI_INSTALL: "-f" }, {
        inspect: async (parent) => {
          assertEquals(await Deno.readTextFile(`${parent}/-f/mlcli`), PROGRAM);
        },
      });
      assertEquals(code, 0);
      assertMatch(stdout, /^Installed mlcli 9\.9\.9 \(--version\) as \/.*\/-f\/mlcli\n/);
    });

    const PLACES:
      readonly (readonly [title: string, places: Required<Pick<Before, "prepare" | "inspect">>])[] =
        [
          ["writes through no link that lies where the program will be", {
            prepare: async (parent) => {
              await Deno.mkdir(`${parent}/bin`);
              await Deno.writeTextFile(`${parent}/precious`, "precious");
              await Deno.symlink("../precious", `${parent}/bin/mlcli`);
              await Deno.symlink("../precious", `${parent}/bin/.mlcli.new`);
            },
            inspect: async (parent) => {
              assertEquals(await Deno.readTextFile(`${parent}/precious`), "precious");
              assertEquals((await Deno.lstat(`${parent}/bin/mlcli`)).isSymlink, false);
              await Deno.remove(`${parent}/bin/.mlcli.new`);
            },
          }],
          ["replaces a link to a directory, and puts nothing where it leads", {
            prepare: async (parent) => {
              for (const name of ["bin", "elsewhere"]) await Deno.mkdir(`${parent}/${name}`);
              await Deno.symlink("../elsewhere", `${parent}/bin/mlcli`);
            },
            inspect: async (parent) => {
              assertEquals(await namesIn(`${parent}/elsewhere`), []);
            },
          }],
          ["installs into a directory that a link leads to", {
            prepare: async (parent) => {
              await Deno.mkdir(`${parent}/real`);
              await Deno.symlink("real", `${parent}/bin`);
            },
            inspect: async (parent) => {
              assertEquals(await namesIn(`${parent}/real`), ["mlcli"]);
            },
          }],
        ];
    for (const [title, places] of PLACES) {
      it(title, async () => {
        const { code, installed } = await install(sumsOf(PROGRAM), {}, places);
        assertEquals([code, installed], [0, [`mlcli: ${PROGRAM}`]]);
      });
    }

    it("says that others can replace the program where everyone may write", async () => {
      const { code, stderr, installed } = await install(sumsOf(PROGRAM), {}, {
        prepare: async (parent) => {
          await Deno.mkdir(`${parent}/bin`);
          await Deno.chmod(`${parent}/bin`, 0o777);
        },
      });
      assertEquals([code, installed], [0, [`mlcli: ${PROGRAM}`]]);
      assertMatch(
        stderr,
        /^warning: All users can write to \S+\/bin, so they can replace mlcli\n$/,
      );
    });

    it("says where it cannot write", async () => {
      const { code, stderr } = await install(sumsOf(PROGRAM), {
        MLCLI_INSTALL: "/dev/null/bin",
      });
      assertEquals(code, 1);
      assertStringIncludes(
        stderr,
        "error: Cannot create /dev/null/bin\nhint: Set MLCLI_INSTALL to ",
      );
    });

    it("has no address of its own, and says so", async () => {
      const { code, stdout, stderr } = await install("", { MLCLI_RELEASES: "" });
      assertEquals([code, stdout], [1, ""]);
      assertMatch(
        stderr,
        /^error: This copy of install\.sh is not from a release, .*\nhint: .*\n$/,
      );
      assertStringIncludes(stderr, "MLCLI_RELEASES");
      assertStringIncludes(stderr, "README.md");
    });

    it("takes no address that somebody on the way could answer for", async () => {
      const addresses = [
        "http://releases.example.org/x",
        "http://127.0.0.1.example.org/x",
        "http://127.0.0.1:80@example.org/x",
        "http://127.0.0.1:80\\@example.org/x",
        "http://localhost.example.org",
        "http:/127.0.0.1/x",
        "ftp://127.0.0.1/x",
        "file:///tmp",
        "127.0.0.1",
        "@RELEASES@",
      ];
      for (const address of addresses) {
        const { code, stderr } = await runScript(INSTALL_SCRIPT, { MLCLI_RELEASES: address });
        assertEquals(code, 1);
        assertMatch(
          stderr,
          /^error: (MLCLI_RELEASES (is not|must be) |This copy of install)/,
          address,
        );
      }
    });
  });

  suite("install.sh of a release", () => {
    for (const client of CLIENTS) {
      it(`installs from its own address over TLS, with ${client}`, async () => {
        await using release = await servedRelease();
        const { code, stdout, stderr } = await release.install(client);
        assertEquals([code, stderr], [0, ""]);
        assertStringIncludes(stdout, "Installed mlcli 9.9.9 (--version) as ");
        assertEquals(release.insecure, []);
      });

      it(`follows no redirect to http, with ${client}`, async () => {
        await using release = await servedRelease({ redirect: "http" });
        const { code, stdout, stderr } = await release.install(client);
        assertEquals([code, stdout], [1, ""]);
        assertMatch(stderr, /error: (Cannot download https:|https:\S+ redirects to http:)/);
        assertEquals(release.insecure, []);
      });

      it(`follows a redirect to https, with ${client}`, async () => {
        await using release = await servedRelease({ redirect: "https" });
        const { code, stderr } = await release.install(client);
        assertEquals([code, stderr], [0, ""]);
      });

      it(`does not trust a server whose certificate nobody signed, with ${client}`, async () => {
        await using release = await servedRelease({ trusted: false });
        const { code, stderr } = await release.install(client);
        assertEquals(code, 1);
        assertStringIncludes(stderr, "error: Cannot download https://127.0.0.1:");
      });
    }
  });
}

interface ServedRelease extends AsyncDisposable {
  /** Runs the release's own script where of curl and wget only this one is installed. */
  readonly install: (client: string) => ReturnType<typeof runScript>;
  /** What was asked for over http. */
  readonly insecure: readonly string[];
}

/** A release on a server that speaks TLS, as that of a repository does, and redirects. */
async function servedRelease(
  { redirect, trusted = true }: {
    readonly redirect?: "http" | "https";
    readonly trusted?: boolean;
  } = {},
): Promise<ServedRelease> {
  const directory = await Deno.makeTempDir({ prefix: "mlcli-test-install-" });
  const insecure: string[] = [];
  const sums = sumsOf(PROGRAM);
  const files = (path: string) => new Response(path.endsWith("/SHA256SUMS") ? sums : PROGRAM);
  const listen = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const plain = Deno.serve(listen, (request) => {
    insecure.push(request.url);
    return files(new URL(request.url).pathname);
  });
  const { cert, key } = await makeCertificate(directory);
  const server = Deno.serve({ ...listen, cert, key }, (request) => {
    const { pathname, host } = new URL(request.url);
    if (redirect === undefined || pathname.startsWith("/assets")) return files(pathname);
    const to = redirect === "http" ? `http://127.0.0.1:${plain.addr.port}` : `https://${host}`;
    return new Response(null, { status: 302, headers: { location: `${to}/assets${pathname}` } });
  });
  const script = `${directory}/install.sh`;
  const { releases, repository } = addressOf("https://server.example", "owner/name");
  const here = releases.replace("server.example", `127.0.0.1:${server.addr.port}`);
  await Deno.writeTextFile(
    script,
    stamped(await Deno.readTextFile(INSTALL_SCRIPT), { releases: here, repository }),
  );
  // The only settings of each that name a certificate.
  await Deno.writeTextFile(
    `${directory}/wgetrc`,
    trusted ? `ca_certificate=${directory}/cert.pem\n` : "",
  );
  return {
    insecure,
    install: async (client) =>
      await runScript(script, {
        PATH: await pathWith(client, `${directory}/path`),
        MLCLI_RELEASES: "",
        MLCLI_INSTALL: `${directory}/bin`,
        ...(trusted ? { CURL_CA_BUNDLE: `${directory}/cert.pem` } : {}),
        WGETRC: `${directory}/wgetrc`,
      }),
    [Symbol.asyncDispose]: async () => {
      await Promise.all([server.shutdown(), plain.shutdown()]);
      await Deno.remove(directory, { recursive: true });
    },
  };
}
