import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { binaryName, TARGETS } from "../../scripts/compile/targets.ts";
import { VERSION } from "../../runtime/version.ts";
import { runToEnd } from "../helpers/container.ts";
import { makeDirectory, namesIn, type TestDirectory } from "../helpers/directory.ts";
import { baseImage, pipImage } from "../helpers/engine.ts";
import { killedAfter, type ProgramResult, resultOf, runProgram } from "../helpers/program.ts";
import { itByPypi } from "../helpers/pypi.ts";
import { packaged, writeSums } from "../helpers/release.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const BINARY = Deno.env.get("MLCLI_UNDER_TEST");
const target = TARGETS.find((known) => known === Deno.build.target);

/** Where pip takes packages from on this machine, and the file with its certificates. */
const { PIP_INDEX_URL, PIP_CERT } = Deno.env.toObject();

/** What a package manager keeps for itself, and what Python makes of its own modules. */
const OF_THE_SYSTEM = "/(proc|sys|dev|tmp|packages|var/(lib|cache|log))/|__pycache__";

// There is nothing to pack from source; releases are made on Linux.
if (BINARY && target && Deno.build.os === "linux") {
  suite("the packages of a release", () => {
    let dist: TestDirectory;

    beforeAll(async () => {
      dist = await makeDirectory();
      await Deno.copyFile(BINARY, join(dist.path, binaryName(target)));
      await writeSums(dist.path, [target]);
      await packaged(dist.path, [target]);
    });
    afterAll(async () => await dist[Symbol.asyncDispose]());

    /** Runs lines of shell in a container, in which the packages are; `set -e` holds. */
    async function inContainer(image: string, script: string, network: string): Promise<string> {
      const files = [[dist.path, "/packages"], ...PIP_CERT ? [[PIP_CERT, "/certificates"]] : []];
      const { status, log } = await runToEnd({
        Image: image,
        Entrypoint: ["sh", "-ec"],
        Cmd: [script],
        Env: [
          // Debian guards its own Python.
          ...["PIP_BREAK_SYSTEM_PACKAGES=1", "PIP_ROOT_USER_ACTION=ignore"],
          ...PIP_INDEX_URL ? [`PIP_INDEX_URL=${PIP_INDEX_URL}`] : [],
          ...PIP_CERT ? ["PIP_CERT=/certificates", "SSL_CERT_FILE=/certificates"] : [],
        ],
        Labels: {},
        HostConfig: {
          AutoRemove: false,
          NetworkMode: network,
          Mounts: files.map(([Source = "", Target = ""]) => ({
            Type: "bind",
            Source,
            Target,
            ReadOnly: true,
          })),
        },
      });
      assertEquals(status, 0, log);
      return log;
    }

    /** Installs, uses and removes mlcli, and says what files are left. */
    function comesAndGoes(install: string, path: string, remove: string): string {
      return [
        `files() { find / -xdev ! -type d | grep -Ev '${OF_THE_SYSTEM}' | sort; }`,
        "files > /tmp/before",
        install,
        `${path} --version`,
        `${path} init flats --dry-run > /dev/null 2>&1`,
        remove,
        `[ ! -e ${path} ]`,
        "files | comm -13 /tmp/before - | sed 's/^/left: /'",
      ].join("\n");
    }

    it("a wheel is installed by pip from the file alone, and removed", async () => {
      const log = await inContainer(
        pipImage(),
        comesAndGoes(
          "pip install --quiet --no-index /packages/*.whl; program=$(command -v mlcli)",
          "$program",
          "pip uninstall --quiet --yes mlcli",
        ),
        "none",
      );
      assertMatch(log, new RegExp(`^mlcli ${VERSION} .*\n$`));
    });

    itByPypi("a wheel is installed by uv and by pipx", async () => {
      const log = await inContainer(
        pipImage(),
        `pip install --quiet uv pipx 2> /dev/null
        for tool in 'uv tool' pipx; do
          $tool install /packages/*.whl > /tmp/log 2>&1 || cat /tmp/log
          ~/.local/bin/mlcli --version
          $tool uninstall mlcli > /tmp/log 2>&1
          [ ! -e ~/.local/bin/mlcli ]
        done`,
        "host",
      );
      assertMatch(log, new RegExp(`^(mlcli ${VERSION} .*\n){2}$`));
    });

    it("a .deb is installed with its pages and completions, and leaves nothing", async () => {
      const share = "/usr/share";
      const log = await inContainer(
        baseImage(),
        // An image for containers leaves pages out, which another system would have.
        "rm -f /etc/dpkg/dpkg.cfg.d/*\n" + comesAndGoes(
          `apt-get install --quiet --yes /packages/*.deb > /tmp/log 2>&1 || cat /tmp/log
          zcat ${share}/man/man1/mlcli-local-train.1.gz | head -n 1 | cut -c 1-25
          mlcli completions bash | cmp - ${share}/bash-completion/completions/mlcli
          mlcli completions zsh | grep -v ^compdef | cmp - ${share}/zsh/vendor-completions/_mlcli
          mlcli completions fish | cmp - ${share}/fish/vendor_completions.d/mlcli.fish
          [ -s ${share}/doc/mlcli/copyright ]`,
          "/usr/bin/mlcli",
          "dpkg --purge mlcli > /dev/null",
        ),
        "none",
      );
      assertMatch(
        log,
        new RegExp(`^\\.TH MLCLI\\\\-LOCAL\\\\-TRAIN 1\nmlcli ${VERSION} .*\n$`),
      );
    });

    // In a directory of its own, with nothing of the user's; Node is this machine's.
    it("npm installs the one for this system, alone or behind the launcher", async () => {
      const [launcher = "", platform = ""] = (await namesIn(dist.path))
        .filter((name) => name.endsWith(".tgz")).map((name) => join(dist.path, name));
      for (const packages of [[platform], [launcher, platform]]) {
        await using home = await makeDirectory();
        const options = { cwd: home.path, env: { HOME: home.path } };
        const run = (program: string, args: readonly string[]): Promise<ProgramResult> => {
          const streams = { stdin: "null", stdout: "piped", stderr: "piped" } as const;
          const command = new Deno.Command(program, { args: [...args], ...options, ...streams });
          return resultOf(killedAfter(60_000, command.spawn()));
        };
        const quietly = ["--offline", "--no-audit", "--no-fund", "--no-update-notifier"];
        const install = ["install", "--global", "--prefix", home.path, ...quietly, ...packages];
        const { code, stderr } = await run("npm", install);
        assertEquals(code, 0, stderr);
        for (const args of [["--version"], ["local", "trian"], ["completions", "bash"]]) {
          const expected = await runProgram(args, options);
          assertEquals(await run(join(home.path, "bin/mlcli"), args), expected);
        }
      }
    });
  });
}
