import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { parse } from "yaml";
import { binaryName, TARGETS } from "../scripts/compile/targets.ts";
import { runBlocks } from "../scripts/tasks/lint_shell.ts";
import { makeDirectory } from "./helpers/directory.ts";
import { rawServer, say } from "./helpers/raw_server.ts";
import { sha256 } from "./helpers/sigv4.ts";
import { it, suite } from "./helpers/suite.ts";

const WORKFLOWS = fromFileUrl(new URL("../.github/workflows", import.meta.url));
/** For users to copy. */
const EXAMPLES = fromFileUrl(new URL("../docs/how-to/ci", import.meta.url));

/** The action for users to copy. */
const ACTION = join(EXAMPLES, "setup-mlcli", "action.yml");

/** What may stand beside the right to sign: no code but GitHub's own. */
const SIGNING = ["actions/download-artifact", "actions/attest-build-provenance"];

/** The binary of a fake release, and its name. */
const PROGRAM = "#!/bin/sh\necho mlcli 0.1.0\necho Installed by hand\n";
const BINARY = "mlcli-x86_64-unknown-linux-gnu";

interface Job {
  /** `release.yml: compile` */
  readonly name: string;
  readonly text: string;
}

/** An action as a step names it. */
interface Use {
  readonly where: string;
  readonly action: string;
  /** What comes after `@`. */
  readonly version: string;
}

suite("workflows", () => {
  it("take every action by its content, the same everywhere", () => {
    const found = [...jobs(), ...jobs(EXAMPLES)].flatMap(usesOf);
    const unpinned = found.filter(({ version }) =>
      !/^[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(version)
    );
    assertEquals([found.length > 5, unpinned], [true, []]);
    const pins = new Map(found.map(({ action, version }) => [action, version]));
    assertEquals(found.filter(({ action, version }) => pins.get(action) !== version), []);
  });

  it("leave no token where other code could read it", () => {
    const keep = [...jobs(), ...jobs(EXAMPLES)].flatMap(stepsOf).filter((step) =>
      step.includes("actions/checkout@") && !step.includes("persist-credentials: false")
    );
    assertEquals(keep, []);
  });

  it("sign only in jobs that run nothing else but a comparison of a hash", () => {
    const signing = jobs().filter(({ text }) => /^ +(id-token|attestations): write$/m.test(text));
    assertEquals(signing.map(({ name }) => name), ["release.yml: attest"]);
    for (const job of signing) {
      assertEquals(usesOf(job).map(({ action }) => action), SIGNING);
      assertEquals(commandsOf(job), [comparison()]);
    }
  });

  it("take artifacts by their ids, because any job can replace an artifact under its name", () => {
    const downloads = jobs().flatMap(stepsOf).filter((step) => step.includes("download-artifact@"));
    assertEquals(downloads.length > 3, true);
    const ids = /^ {10}artifact-ids: \$\{\{ needs\.\w+\.outputs\.artifact \}\}$/m;
    assertEquals(downloads.filter((step) => !ids.test(step) || /^ {10}name:/m.test(step)), []);
  });

  it("compare all files with those that were compiled before they sign or publish them", () => {
    for (const name of ["attest", "publish"]) {
      const [download, compare] = stepsOf(releaseJob(name));
      assertStringIncludes(download!, "needs.compile.outputs.artifact");
      assertStringIncludes(compare!, "COMPILED: ${{ needs.compile.outputs.hash }}");
      assertEquals(runBlocks(compare!), [comparison()]);
    }
  });

  for (
    const [what, change] of Object.entries({
      "is missing": (dist: string) => Deno.remove(join(dist, "README.md")),
      "has changed": (dist: string) => Deno.writeTextFile(join(dist, "install.sh"), "evil"),
      "is new": (dist: string) => Deno.writeTextFile(join(dist, "mlcli-more"), ""),
      "is new in a new directory": (dist: string) => {
        Deno.mkdirSync(join(dist, "more"));
        return Deno.writeTextFile(join(dist, "more", ".hidden"), "");
      },
      "is a new link": (dist: string) => Deno.symlink("install.sh", join(dist, "mlcli-link")),
      "has another name": (dist: string) =>
        Deno.rename(join(dist, "README.md"), join(dist, "README")),
    })
  ) {
    it(`a comparison fails if a file ${what}`, async () => {
      await using directory = await makeDirectory({
        "dist/install.sh": "echo install\n",
        "dist/README.md": "mlcli\n",
        "dist/with space": "",
      });
      const cwd = directory.path;
      const output = join(cwd, "output");
      const compiled = runBlocks(
        stepsOf(releaseJob("compile")).find((step) => step.includes("id: files"))!,
      );
      assertEquals(await bash(compiled[0]!, cwd, { GITHUB_OUTPUT: output }), 0);
      const COMPILED = (await Deno.readTextFile(output)).replace("hash=", "").trimEnd();
      assertEquals(await bash(comparison(), cwd, { COMPILED }), 0);
      await change(join(cwd, "dist"));
      assertEquals(await bash(comparison(), cwd, { COMPILED }), 1);
    });
  }

  it("run Homebrew, whose formulas are not pinned, in no job before the release", () => {
    const before = new Set<string>();
    const add = (name: string): void => {
      before.add(name);
      const [, needs = ""] = /^ {4}needs: (.+)$/m.exec(releaseJob(name).text) ?? [];
      for (const one of needs.match(/\w+/g) ?? []) add(one);
    };
    add("publish");
    assertEquals([...before].sort(), ["attest", "compile", "previous", "publish", "test", "try"]);
    const brews = jobs().filter(({ text }) => /\bbrew /.test(text)).map(({ name }) => name);
    assertEquals(brews, ["release.yml: engine"]);
    assertStringIncludes(releaseJob("engine").text, "\n    permissions: {}\n");
    assertStringIncludes(releaseJob("engine").text, "needs: [compile, publish]\n");
  });

  it("may write in the job that creates the release alone, and it runs no code of ours", () => {
    const writing = jobs().filter(({ text }) => /: write(-all)?$/m.test(text));
    assertEquals(writing.map(({ name }) => name), ["release.yml: attest", "release.yml: publish"]);
    const [attest, publish] = writing.map(commandsOf);
    assertEquals(attest, [comparison()]);
    assertEquals(publish!.map((command) => command.startsWith("gh release create ")), [
      false,
      true,
    ]);
    assertEquals(publish![0], comparison());
    for (const { head } of files(WORKFLOWS)) {
      assertEquals(/^permissions:( \{\}\n|\n {2}contents: read\n(?! ))/m.test(head), true);
    }
  });

  it("try each binary on its system before anybody gets it", () => {
    const { text } = releaseJob("try");
    const tried = [...text.matchAll(/\{ os: (\S+), engine: (\w+), file: (\S+) \}/g)];
    assertEquals(tried.map(([, , , file]) => file).sort(), TARGETS.map(binaryName).sort());
    assertEquals(tried.map(([, os, engine]) => `${os} ${engine}`), [
      "ubuntu-24.04 linux",
      "ubuntu-24.04-arm linux",
      "macos-15-intel none",
      "macos-14 none",
      "windows-2022 windows",
    ]);
    assertEquals(/bash dist\/smoke\.sh "\$ENGINE" "dist\/\$FILE"/.test(text), true);
    assertEquals(
      jobs().some(({ text }) => text.includes("cp scripts/release/smoke.sh dist/")),
      true,
    );
  });

  it("give a token to commands where nothing of npm's or ours is", () => {
    const withToken = jobs().filter(({ text }) => text.includes("GH_TOKEN"));
    assertEquals(withToken.map(({ name }) => name), [
      "release.yml: previous",
      "release.yml: publish",
    ]);
    const foreign = /\b(deno|npm|npx|node|bash)\b|scripts\/|actions\/(checkout|setup-)/;
    assertEquals(withToken.filter(({ text }) => foreign.test(text)), []);
  });

  it("publish nothing without its signature, packages and the lock of runtime bases included", () => {
    const textOf = (name: string) => releaseJob(name).text;
    const signed: readonly string[] = textOf("attest").match(/dist\/\S+/g) ?? [];
    assertEquals(signed, [
      "dist/mlcli*",
      "dist/SHA256SUMS",
      "dist/runtime_bases.sha256",
      "dist/install.*",
    ]);
    const published = textOf("publish").match(/dist\/\S+/g) ?? [];
    const unsigned = published.filter((name) =>
      !signed.includes(name.replace(/\.(sh|ps1)$/, ".*"))
    );
    assertEquals(unsigned, ["dist/INSTALL.md", "dist/README.md"]);
  });

  it("end in time, and take nothing from a cache", () => {
    const endless = jobs().filter(({ text }) => !/^ {4}timeout-minutes: \d+$/m.test(text));
    assertEquals(endless.map(({ name }) => name), []);
    const cached = jobs().filter(({ text }) =>
      /actions\/cache|^ +(cache|cache-hash): /m.test(text)
    );
    assertEquals(cached.map(({ name }) => name), []);
    const node = jobs().flatMap(stepsOf).filter((step) => step.includes("actions/setup-node@"));
    assertEquals(node.filter((step) => !step.includes("package-manager-cache: false")), []);
  });
});

suite("the setup-mlcli action", () => {
  it("has steps of bash only, which get inputs as variables", () => {
    const { name, description, inputs, outputs, runs } = action();
    assertEquals([typeof name, typeof description, runs.using], ["string", "string", "composite"]);
    assertEquals(Object.keys(inputs), ["releases", "version", "sha256", "checkout"]);
    assertEquals(outputs.version!.value, "${{ steps.version.outputs.version }}");
    assertEquals(runs.steps.map(({ shell, run }) => [shell, run.includes("${{")]), [
      ["bash", false],
      ["bash", false],
      ["bash", false],
    ]);
    // What the linter checks.
    const commands = runBlocks(Deno.readTextFileSync(ACTION));
    const withoutIndent = (text: string) => text.replaceAll(/^ +/gm, "").trim();
    assertEquals(commands.map(withoutIndent), runs.steps.map(({ run }) => withoutIndent(run)));
  });

  it("supports every binary for Linux and macOS", () => {
    const [release] = action().runs.steps;
    const files = release!.run.match(/file=\S+/g)!.map((text) => text.replace("file=", ""));
    assertEquals(
      files.sort(),
      TARGETS.filter((target) => !target.includes("windows")).map(binaryName).sort(),
    );
  });

  if (Deno.build.os === "windows") return;

  for (
    const [what, { env, code, error }] of Object.entries<{
      readonly env?: Readonly<Record<string, string>>;
      readonly code: number;
      readonly error?: string;
    }>({
      "installs a release": { code: 0 },
      "accepts a version with a v": { env: { VERSION: "v0.1.0" }, code: 0 },
      "accepts the right checksum": { env: { SHA256: sha256(PROGRAM) }, code: 0 },
      "refuses a wrong checksum": {
        env: { SHA256: "0".repeat(64) },
        code: 1,
        error: `The checksum of ${BINARY} is wrong: ${sha256(PROGRAM)}, not ${"0".repeat(64)}`,
      },
      "refuses a program that does not match SHA256SUMS": {
        env: { VERSION: "0.1.1" },
        code: 1,
        error: `The checksum of ${BINARY} is wrong: ${sha256(PROGRAM)}, not ${"1".repeat(64)}`,
      },
      "refuses a release without this binary": {
        env: { RUNNER_ARCH: "ARM64" },
        code: 1,
        error: "SHA256SUMS does not contain mlcli-aarch64-unknown-linux-gnu",
      },
      "refuses another system": {
        env: { RUNNER_OS: "Windows" },
        code: 1,
        error: "setup-mlcli supports Linux and macOS, not Windows X64",
      },
      "refuses a missing version": {
        env: { VERSION: "" },
        code: 1,
        error: "The input version must be a version such as 0.1.0, but is: ",
      },
      "refuses a version that is a path": {
        env: { VERSION: "0.1.0/../../evil" },
        code: 1,
        error: "The input version must be a version such as 0.1.0, but is: 0.1.0/../../evil",
      },
      "refuses a missing address": {
        env: { RELEASES: "" },
        code: 1,
        error: "Set the input releases to the address of mlcli's releases, or set checkout",
      },
      "refuses an address without TLS": {
        env: { RELEASES: "http://releases.example" },
        code: 1,
        error: "The input releases must be an https address, but is: http://releases.example",
      },
    })
  ) {
    it(what, async () => {
      await using directory = await makeDirectory({ "temp/": "", path: "", output: "" });
      await using server = release();
      const at = (name: string) => join(directory.path, name);
      const [install, , version] = action().runs.steps;
      const result = await runStep(install!.run, {
        RELEASES: `http://127.0.0.1:${server.port}/releases`,
        VERSION: "0.1.0",
        SHA256: "",
        RUNNER_OS: "Linux",
        RUNNER_ARCH: "X64",
        RUNNER_TEMP: at("temp"),
        GITHUB_PATH: at("path"),
        NO_PROXY: "127.0.0.1",
        no_proxy: "127.0.0.1",
        ...env,
      });
      assertStringIncludes(result.stderr, error ?? "");
      assertEquals(result.code, code);
      const added = (await Deno.readTextFile(at("path"))).trim();
      if (code !== 0) return assertEquals(added, "");
      const next = await runStep(version!.run, {
        PATH: `${added}:${Deno.env.get("PATH")}`,
        GITHUB_OUTPUT: at("output"),
      });
      assertEquals([next.code, await Deno.readTextFile(at("output"))], [
        0,
        "version=mlcli 0.1.0\n",
      ]);
    });
  }
});

interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly { readonly shell: string; readonly run: string }[];
  };
}

function action(): Action {
  return parse(Deno.readTextFileSync(ACTION));
}

/** Serves two releases with one binary; SHA256SUMS of 0.1.1 is wrong. */
function release() {
  const sums = { "0.1.0": sha256(PROGRAM), "0.1.1": "1".repeat(64) };
  const files = new Map(
    Object.entries(sums).flatMap(([version, sum]) => [
      [`GET /releases/download/v${version}/SHA256SUMS`, `${sum}  ${BINARY}\n`],
      [`GET /releases/download/v${version}/${BINARY}`, PROGRAM],
    ]),
  );
  return rawServer(async (connection, { call }) => {
    const body = files.get(call) ?? "";
    const status = files.has(call) ? "200 OK" : "404 Not Found";
    await say(
      connection,
      `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
}

/** Runs commands as a step of an action does. */
async function runStep(
  commands: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly stderr: string }> {
  const args = ["--noprofile", "--norc", "-eo", "pipefail", "-c", commands];
  const { code, stderr } = await new Deno.Command("bash", { args, env }).output();
  return { code, stderr: new TextDecoder().decode(stderr) };
}

function releaseJob(name: string): Job {
  return jobs().find((job) => job.name === `release.yml: ${name}`)!;
}

function commandsOf(job: Job): readonly string[] {
  return stepsOf(job).flatMap(runBlocks);
}

/** Returns the commands that compare the files of a release with those that were compiled. */
function comparison(): string {
  return commandsOf(releaseJob("publish"))[0]!;
}

/** Runs commands as a step does. @returns the exit code. */
async function bash(
  commands: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const args = ["-e", "-c", commands];
  return (await new Deno.Command("bash", { args, cwd, env }).output()).code;
}

/** The workflows: what comes before the jobs, and those. */
function files(folder: string): readonly {
  readonly name: string;
  readonly head: string;
  readonly body: string;
}[] {
  return [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => {
    const [head, body, ...others] = Deno.readTextFileSync(join(folder, name)).split("\njobs:\n");
    if (!head || !body || others.length > 0) throw new Error(`${name} has no jobs`);
    return { name, head: `${head}\n`, body };
  });
}

function jobs(folder = WORKFLOWS): readonly Job[] {
  return files(folder).flatMap(({ name, body }) =>
    body.split(/^(?= {2}[\w-]+:\n)/m).filter((text) => /^ {2}\w/.test(text)).map((text) => ({
      name: `${name}: ${text.trim().split(":")[0]}`,
      text,
    }))
  );
}

function stepsOf({ text }: Job): readonly string[] {
  return text.split(/^(?= {6}- )/m).slice(1);
}

function usesOf({ name, text }: Job): readonly Use[] {
  return [...text.matchAll(/\buses: *(.+)$/gm)].map(([, used = ""]) => {
    const [action = "", version = ""] = used.split("@");
    return { where: name, action, version };
  });
}
