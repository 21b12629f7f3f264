import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { binaryName, TARGETS } from "../../scripts/compile/targets.ts";
import { run } from "../../scripts/process.ts";
import { VERSION } from "../../runtime/version.ts";
import { runToEnd } from "../helpers/container.ts";
import { makeDirectory, namesIn, type TestDirectory } from "../helpers/directory.ts";
import { baseImage, pipImage } from "../helpers/engine.ts";
import { itByPypi } from "../helpers/pypi.ts";
import { packaged, writeSums } from "../helpers/release.ts";
import { afterAll, beforeAll, it, suite } from "../helpers/suite.ts";

const BINARY = Deno.env.get("MLCLI_UNDER_TEST");
const target = TARGETS.find((known) => known === Deno.build.target);

/** Where pip takes packages from on this machine, and the file with its certificates. */
const { PIP_INDEX_URL, PIP_CERT } = Deno.env.toObject();

// There is nothing to pack from source; releases are made on Linux.
if (BINARY && target && Deno.build.os === "linux") {
  suite("the packages of a release", () => {
    let dist: TestDirectory;

    beforeAll(async () => {
      dist = await makeDirectory();
      await Deno.copyFile(BINARY, join(dist.path, binaryName(target)));
      await writeSums(dist.path, [target]);
      await packaged(dist.path, [target], VERSION);
    });
    afterAll(async () => await dist[Symbol.asyncDispose]());

    /** Runs lines of shell in a container, in which the packages are; `set -e` holds. */
    async function inContainer(image: string, script: string, network: string): Promise<string> {
      const files = [[dist.path, "/packages"], ...PIP_CERT ? [[PIP_CERT, "/certificates"]] : []];
      const Mounts = files.map(([Source = "", Target = ""]) => {
        return { Type: "bind" as const, Source, Target, ReadOnly: true };
      });
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
        HostConfig: { AutoRemove: false, NetworkMode: network, Mounts },
      });
      assertEquals(status, 0, log);
      return log;
    }

    /** Installs mlcli, uses it, and removes it. */
    function comesAndGoes(install: string, remove: string): string {
      return `${install} > /tmp/log 2>&1 || cat /tmp/log
        program=$(command -v mlcli)
        mlcli --version
        mlcli init flats --dry-run > /dev/null 2>&1
        ${remove} > /tmp/log 2>&1
        [ ! -e $program ]
      `;
    }

    it("a wheel is installed by pip from the file alone, and removed", async () => {
      const install = "pip install --no-index /packages/*.whl";
      const script = comesAndGoes(install, "pip uninstall --yes mlcli");
      const log = await inContainer(pipImage(), script, "none");
      assertMatch(log, new RegExp(`^mlcli ${VERSION} .*\nInstalled by pip\n$`));
    });

    itByPypi("a wheel is installed by uv and by pipx", async () => {
      const scripts = ["uv tool", "pipx"].map((tool) =>
        comesAndGoes(`${tool} install /packages/*.whl`, `${tool} uninstall mlcli`)
      );
      const tools = "pip install --quiet uv pipx 2> /dev/null; PATH=$PATH:~/.local/bin";
      const log = await inContainer(pipImage(), [tools, ...scripts].join("\n"), "host");
      const said = ["uv tool", "pipx"].map((tool) => `mlcli ${VERSION} .*\nInstalled by ${tool}\n`);
      assertMatch(log, new RegExp(`^${said.join("")}$`));
    });

    it("a .deb is installed with its pages and completions, and removed", async () => {
      const script = comesAndGoes(
        // An image for containers leaves pages out, which another system would have.
        "rm -f /etc/dpkg/dpkg.cfg.d/*; dpkg --install /packages/*.deb",
        `cd /usr/share
        zcat man/man1/mlcli-local-train.1.gz | grep -q '^.TH MLCLI..LOCAL..TRAIN 1'
        mlcli completions bash | cmp - bash-completion/completions/mlcli
        mlcli completions zsh | grep -v ^compdef | cmp - zsh/vendor-completions/_mlcli
        mlcli completions fish | cmp - fish/vendor_completions.d/mlcli.fish
        dpkg --purge mlcli`,
      );
      const log = await inContainer(baseImage(), script, "none");
      assertMatch(log, new RegExp(`^mlcli ${VERSION} .*\nInstalled as a Debian package\n$`));
    });

    // In a directory of its own, with nothing of the user's; Node is this machine's.
    it("npm installs the one for this system, alone or behind the launcher", async () => {
      const [launcher = "", platform = ""] = (await namesIn(dist.path))
        .filter((name) => name.endsWith(".tgz")).map((name) => join(dist.path, name));
      for (const packages of [[platform], [launcher, platform]]) {
        await using home = await makeDirectory();
        const script = `npm install --global --prefix . --offline "$@" > log 2>&1 || cat log
          bin/mlcli --version`;
        const said = await run(["sh", "-ec", script, "sh", ...packages], {
          cwd: home.path,
          env: { HOME: home.path },
          timeout: 60_000,
          hint: "",
          signal: AbortSignal.timeout(60_000),
        });
        assertMatch(
          said,
          new RegExp(`^mlcli ${VERSION} .*\nInstalled by npm\n$`),
        );
      }
    });
  });
}
