import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { makeApp, type TestApp, TRAINING_DATA } from "../helpers/app.ts";
import { runToEnd } from "../helpers/container.ts";
import { baseImage, buildImage, removeImage, withEngine } from "../helpers/engine.ts";
import { eventually } from "../helpers/eventually.ts";
import { it, suite } from "../helpers/suite.ts";
import { runOnTerminal } from "../helpers/terminal.ts";

/** Lists what came with the context, and prints it while it is built. */
const LISTING = `
ARG BASE_IMAGE
FROM \${BASE_IMAGE}
ARG APP
ARG REQUIREMENTS
COPY . /context
RUN cd /context && echo "files:" && find . -type f | sort && echo "app: \${APP}, \${REQUIREMENTS}"
ENTRYPOINT ["/context/.mlcli/entrypoint"]
`;

async function listingApp(
  dockerfile = LISTING,
  configuration: Readonly<Record<string, string>> = {},
): Promise<TestApp> {
  const app = await makeApp({
    configuration: { base_image: baseImage(), ...configuration },
    files: {
      Dockerfile: dockerfile,
      "training/training.py": "def train(data, model): pass\n",
      "training/notes.tmp": "",
      [TRAINING_DATA]: "1,2\n",
    },
  });
  await app.write(`${app.directory}/${configuration["requirements"] ?? "requirements.txt"}`, "");
  return app;
}

/** Runs the harness's `install` in a base image in which these scripts of Python have run. */
async function installingApp(scripts: Readonly<Record<string, string>>): Promise<TestApp> {
  const run = Object.keys(scripts).map((name) =>
    `RUN python3 /context/*/mlcli_base/training/${name}\n`
  ).join("");
  const app = await listingApp(
    `ARG BASE_IMAGE\nFROM \${BASE_IMAGE}\nCOPY . /context\n${run}` +
      "RUN touch /empty && sh /context/.mlcli/install /empty\n",
  );
  for (const [name, text] of Object.entries(scripts)) {
    await app.write(app.path("training", name), text);
  }
  return app;
}

/** Where a package comes before those of the system. */
const FIRST = `
import os, site
first = site.getsitepackages()[0]
def write(path, text):
    path = os.path.join(first, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file: file.write(text)
`;

/** Makes Python believe that this version of gunicorn is installed. */
function gunicornOf(version: string): string {
  const metadata = `Metadata-Version: 2.1\\nName: gunicorn\\nVersion: ${version}\\n`;
  return `${FIRST}write("gunicorn-0.dist-info/METADATA", "${metadata}")\n`;
}

/** Installs a pip that tells what it is asked for, and then has 27.0.1 in place of what there was. */
const PIP = `${FIRST}write("pip/__main__.py", """
import sys
if sys.argv[1] == "install":
    print("pip is asked for", *sys.argv[2:])
    exec(open("/context/fit.py").read())
""")
open("/context/fit.py", "w").write(${JSON.stringify(gunicornOf("27.0.1"))})
`;

/** What steps wrote, without what is before each line in a pipe. */
function outputIn(stderr: string): string {
  return stderr.replaceAll(/^#\d+ \| ?/gm, "");
}

function filesIn(stderr: string): string[] {
  const listed = outputIn(stderr).split("\nfiles:\n")[1]?.split("\napp: ")[0] ?? "";
  // Between them another step may say that it is done.
  return listed.split("\n").filter((line) => line.startsWith("./"))
    .filter((path) => !path.startsWith("./.mlcli/"));
}

/** Whether a process of this machine, in a container or not, has this command line. */
async function isRunning(commandLine: string): Promise<boolean> {
  for await (const { name } of Deno.readDir("/proc")) {
    const text = await Deno.readTextFile(`/proc/${name}/cmdline`).catch(() => "");
    if (text.split("\0").join(" ").trim() === commandLine) return true;
  }
  return false;
}

suite("mlcli build", () => {
  it("sends the app and the harness, and nothing else; prints the image's name", async () => {
    await using app = await listingApp();
    await app.write(`${app.directory}/notebook.ipynb`, "{}");
    const { code, stdout, stderr } = await app.run(["build"]);
    try {
      assertEquals({ code, stdout }, { code: 0, stdout: `${app.name}:latest\n` }, stderr);
      assertEquals(filesIn(stderr), [
        "./requirements.txt",
        `./${app.name}/mlcli_base/Dockerfile`,
        `./${app.name}/mlcli_base/training/notes.tmp`,
        `./${app.name}/mlcli_base/training/training.py`,
      ], stderr);
      assertStringIncludes(outputIn(stderr), `app: ${app.name}, requirements.txt\n`);
      // Plain, as it comes, in a pipe. (The first step is shared with builds that run at the same time,
      // and so may have the number of another one.)
      assertMatch(stderr, /^#\d \[2\/3\] /m);
      assert(!stderr.includes("\x1b"), "no escape sequences in a pipe");
      assert(await withEngine((engine) => engine.image(`${app.name}:latest`)));
    } finally {
      await removeImage(`${app.name}:latest`);
    }
  });

  it("build names the files that it left out before it fails, in a pipe and on a terminal", async () => {
    const asking = "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nARG APP\nCOPY ${APP}/.env /\n";
    await using app = await listingApp(asking);
    await app.write(`${app.directory}/${app.name}/.env`, "secret");
    const note = `note: Excluded from the image as private: ${app.name}/.env. ` +
      "To include a file, add !PATH to .dockerignore.";
    const { code, stderr } = await app.run(["build"]);
    assertEquals(code, 1);
    assertEquals(stderr.split("\n")[0], note);
    assertStringIncludes(
      stderr,
      `error: Build failed: the build context does not contain ${app.name}/.env\nhint: Add the line !${app.name}/.env to .dockerignore: `,
    );
    const { code: onTerminal, screen } = await runOnTerminal(["build"], app.directory);
    assertEquals(onTerminal, 1);
    // It is longer than the terminal is wide.
    assertStringIncludes(screen.replaceAll(/\r\n */g, " "), `${note} `);
  });

  it("sends a large file of the app in constant memory", async () => {
    await using app = await listingApp();
    await app.write(app.path("training/weights.bin"), "");
    await Deno.truncate(app.path("training/weights.bin"), 300 * 1024 ** 2);
    const child = app.start(["build"]);
    let peak = 0;
    const reading = new Response(child.stderr).text();
    const ended = child.status.then(() => true);
    while (!await Promise.race([ended, new Promise((done) => setTimeout(done, 50, false))])) {
      const status = await Deno.readTextFile(`/proc/${child.pid}/status`).catch(() => "");
      peak = Math.max(peak, Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024);
    }
    const stderr = await reading;
    await child.stdout.cancel();
    await removeImage(`${app.name}:latest`);
    assertEquals((await child.status).code, 0, stderr);
    assertStringIncludes(stderr, "weights.bin");
    assert(peak > 0 && peak < 250 * 1024 ** 2, `${peak} bytes resident for a file of 300 MB`);
  });

  it("shows a failing step's own output and ends with 1", async () => {
    const failing = 'ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nRUN echo "compiler missing" >&2; exit 9\n';
    await using app = await listingApp(failing);
    const { code, stdout, stderr } = await app.run(["build"]);
    assertEquals({ code, stdout }, { code: 1, stdout: "" });
    const [output, report] = stderr.split("error: ") as [string, string];
    assertMatch(output, /\n#\d \| compiler missing\n/);
    assert(!stderr.includes("\x1b"), "no escape sequences in a pipe");
    assertMatch(report, /^Build failed: .* exit code: 9\nhint: /);

    const { code: onTerminal, screen } = await runOnTerminal(["build"], app.directory);
    assertEquals(onTerminal, 1);
    assertMatch(
      screen,
      // deno-lint-ignore no-control-regex
      /\x1b\[J\[2\/2\] RUN .*\r\ncompiler missing\r\n\x1b\[31merror:\x1b\[39m Build failed: /,
    );
  });

  it("compiles the harness, where the base image's user may, so that starts need not", async () => {
    await using app = await makeApp();
    const [image, base] = [app.name, `${app.name}-base`];
    await buildImage(base, { Dockerfile: `FROM ${baseImage()}\nUSER 54398\n` });
    try {
      assertEquals((await app.run(["init", app.name])).code, 0);
      for (const [from, isCompiled] of [[baseImage(), true], [base, false]] as const) {
        const { code, stderr } = await app.run(["build", "--base-image", from]);
        assertEquals(code, 0, stderr);
        const { status, log } = await runToEnd({
          Image: image,
          Entrypoint: ["python3"],
          Cmd: [
            "-v",
            "-c",
            "import sys; sys.path.append('/opt/mlcli'); import mlcli_harness.train",
          ],
          Labels: {},
          HostConfig: { AutoRemove: false, NetworkMode: "none", Mounts: [] },
        });
        assertEquals(status, 0, log);
        const sources = log.match(/(?<=code object from '?)\/opt\/mlcli\/[^\s']+/g)!;
        const ending = isCompiled ? ".pyc" : ".py";
        assertEquals(sources.filter((path) => !path.endsWith(ending)), []);
        assert(sources.length > 3, sources.join());
      }
    } finally {
      for (const tag of [image, base]) await removeImage(`${tag}:latest`);
    }
  });

  // Its version is looked at, not only whether it is there: the worker is made of its parts.
  for (const [version, isFit] of [["19.9", false], ["27.0.1", true], ["28.0", false]] as const) {
    it(`${isFit ? "takes" : "replaces"} gunicorn ${version} of the base image`, async () => {
      const files = { "gunicorn.py": gunicornOf(version), "pip.py": PIP };
      await using without = await installingApp({ "gunicorn.py": files["gunicorn.py"] });
      const noPip = await without.run(["build"]);
      assertEquals(noPip.code, isFit ? 0 : 1, noPip.stderr);
      if (!isFit) {
        assertMatch(
          outputIn(noPip.stderr),
          /^mlcli: serving requires gunicorn>=20\.1,<28, and the base image/m,
        );
        assertStringIncludes(outputIn(noPip.stderr), `is installed as ${version}\n`);
      }

      await using withPip = await installingApp(files);
      const { code, stderr } = await withPip.run(["build"]);
      assertEquals(code, 0, stderr);
      const asked = /^pip is asked for (.*)$/m.exec(outputIn(stderr))?.[1];
      assertEquals(asked, isFit ? undefined : "gunicorn>=20.1,<28");
      for (const app of [without, withPip]) await removeImage(`${app.name}:latest`);
    });
  }

  it("keeps what pip fetched where the Dockerfile mounts its cache, and nowhere else", async () => {
    const pip = `${FIRST}write("pip/__main__.py", """
import os, sys
if sys.argv[1] == "install":
    print(sys.argv[-1], *[os.environ.get(name) for name in ("PIP_CACHE_DIR", "PIP_NO_CACHE_DIR")])
""")
${gunicornOf("27.0.1")}`;
    const install = (requirements: string): string =>
      `echo some > /${requirements} && sh /context/.mlcli/install /${requirements}`;
    await using app = await listingApp(
      "ARG BASE_IMAGE\nFROM ${BASE_IMAGE}\nENV PIP_NO_CACHE_DIR=1\nCOPY . /context\n" +
        "RUN python3 /context/*/mlcli_base/training/pip.py\n" +
        `RUN ${install("without")}\n` +
        `RUN --mount=type=cache,target=/root/.cache/pip \\\n  ${install("with")}\n`,
    );
    await app.write(app.path("training/pip.py"), pip);
    const { code, stderr } = await app.run(["build"]);
    await removeImage(`${app.name}:latest`);
    assertEquals(code, 0, stderr);
    assertMatch(outputIn(stderr), /^\/without None 1$/m);
    assertMatch(outputIn(stderr), /^\/with \/root\/\.cache\/pip None$/m);
  });

  it("stops when it is interrupted", async () => {
    // Nobody else sleeps as long.
    const sleep = `sleep 60.${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    const slow = `ARG BASE_IMAGE\nFROM \${BASE_IMAGE}\nRUN echo begun && ${sleep}\n`;
    await using app = await listingApp(slow);
    const child = app.start(["build"]);
    const reader = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    while (!text.includes("| begun\n")) text += (await reader.read()).value;
    child.kill("SIGINT");
    while (!(await reader.read()).done);
    await child.stdout.cancel();
    assertEquals((await child.status).code, 130);
    await eventually(async () => !await isRunning(sleep));
  });
});
