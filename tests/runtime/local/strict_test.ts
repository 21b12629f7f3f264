import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import {
  type FakeContainer,
  fakeContainers,
  HARNESS_IMAGE,
  type Play,
  portOf,
} from "../../helpers/fake_containers.ts";
import { NO_FILES, withFilesLabel } from "../../helpers/files_label.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import { pingServer } from "../../helpers/ping_server.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { namesIn } from "../../helpers/directory.ts";
import { besidesRun, keptModels } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

const TRAIN = ["local", "train"];
const PROCESS = ["local", "process", "--file", "p.py"];
const DEPLOY = ["local", "deploy", "--port", "0"];

/** Something that is not as on SageMaker. */
interface Violation {
  readonly args: readonly string[];
  /** Makes the app differ. */
  readonly arrange?: (app: TestApp) => Promise<unknown>;
  /** What the image differs in. */
  readonly image?: (app: TestApp) => Image;
  readonly play?: Play;
  /** What the code does. */
  readonly code?: (write: (target: string, text?: string) => void) => void;
  readonly message: RegExp;
  /** Where it says more under `--strict`: there, the image's own code runs. */
  readonly strictMessage?: RegExp;
  /** Whether only `--strict` is against it. */
  readonly isOnlyStrict?: boolean;
}

/** Where a path of a container lies on this machine. */
function onHost({ body }: FakeContainer, path: string): string {
  const mounts = body.HostConfig.Mounts.filter(({ Target }) => `${path}/`.startsWith(`${Target}/`))
    .sort((one, other) => other.Target.length - one.Target.length);
  return mounts[0]!.Source + path.slice(mounts[0]!.Target.length);
}

/** Writes to a container's file, to the end of it. */
function writer(container: FakeContainer): (path: string, text?: string) => void {
  return (path, text = "") =>
    Deno.writeTextFileSync(onHost(container, path), text, { append: true });
}

interface Run extends ProgramResult {
  /** What is in `test_dir/` of models, as paths. */
  readonly models: readonly string[];
  readonly left: readonly string[];
  readonly course: readonly string[];
}

async function run(
  { args, arrange, image, play, code }: Violation,
  status = 0,
  keys = new Keys(),
): Promise<Run> {
  await using app = await completeApp();
  await arrange?.(app);
  await using servers = new AsyncDisposableStack();
  await using engine = await fakeContainers({
    ...(image ? { answers: answersOf(image(app)) } : {}),
    ...play,
    program: (container) => {
      if (container.body.Cmd[0] === "serve") {
        return void servers.use(pingServer(portOf(container.body)));
      }
      const write = writer(container);
      if (container.body.Cmd[0] === "train" && !play?.writesNoModel) write("/opt/ml/model/new");
      write("/opt/ml/output/data/last");
      code?.(write);
      if (keys.interruption.signal.aborted || status === -1) return keys.press();
      container.end(status);
    },
  });
  const result = besidesRun(await runInProcess(args, { cwd: app.directory, engine, keys }));
  const models = [
    ...(await keptModels(app)).filter((path) => path.startsWith("RUN/")),
    ...(await namesIn(app.testPath("model"))).map((name) => `model/${name}`),
  ];
  return { ...result, models, left: [...engine.left], course: engine.course };
}

function hyperparameters(values: Readonly<Record<string, unknown>>) {
  return (app: TestApp): Promise<void> =>
    app.write(app.testPath("input/config/hyperparameters.json"), JSON.stringify(values));
}

/** An image that is not the usual one. */
interface Image {
  readonly Architecture?: string;
  readonly Config?: Readonly<Record<string, unknown>>;
}

function answersOf(image: Image): Play["answers"] {
  const { Architecture = "amd64", Config = HARNESS_IMAGE } = image;
  return { "GET /images/NAME/json": () => Response.json({ Os: "linux", Architecture, Config }) };
}

const SHELL = (): Image => ({
  Config: {
    Entrypoint: ["/bin/sh", "-c", "python3 main.py; echo done"],
    Labels: { "mlcli.harness": "1" },
  },
});
const OTHER = ({ name }: TestApp): Image => ({
  Config: { ...HARNESS_IMAGE, Labels: { "mlcli.app": name, ...NO_FILES } },
});
const leftOut = (folder: string) => async (app: TestApp): Promise<void> => {
  await app.write(`${app.directory}/.dockerignore`, "**/*.bin\n");
  await app.write(app.path(folder, "w.bin"), "");
};

const VIOLATIONS: Readonly<Record<string, Violation>> = {
  "101 hyperparameters": {
    args: TRAIN,
    arrange: hyperparameters(
      Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`h${index}`, 1])),
    ),
    message: /rejects more than 100 hyperparameters \(found 101\)/,
  },
  "a long hyperparameter": {
    args: TRAIN,
    arrange: hyperparameters({ text: "x".repeat(2_501) }),
    message: /rejects hyperparameter values longer than 2,500 characters: "text"/,
  },
  "a channel of such a name": {
    args: TRAIN,
    arrange: (app) => app.write(app.testPath("input/data/my data/d.csv"), "1\n"),
    message: /rejects these channel names: "my data"/,
  },
  "21 channels": {
    args: TRAIN,
    arrange: (app) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          app.write(app.testPath(`input/data/c${index}/d.csv`), "1\n")),
      ),
    message: /rejects more than 20 channels \(found 21\)/,
  },
  "a long variable": {
    args: [...TRAIN, "--env", `LONG=${"x".repeat(513)}`],
    message: /rejects environment variable values longer than 512 characters: "LONG"/,
  },
  "a long variable of processing": {
    args: [...PROCESS, "--env", `LONG=${"x".repeat(257)}`],
    message: /rejects environment variable values longer than 256 characters: "LONG"/,
  },
  "a long variable of a server": {
    args: [...DEPLOY, "--env", `LONG=${"x".repeat(1_025)}`],
    message: /rejects environment variable values longer than 1,024 bytes: "LONG"/,
  },
  "a long argument": {
    args: [...PROCESS, "--", "x".repeat(257)],
    message: /rejects arguments longer than 256 characters in a processing job: argument 3/,
  },
  "a shell as entry point": {
    args: TRAIN,
    image: SHELL,
    message: /The ENTRYPOINT of \S+ is a shell/,
  },
  "a shell as a server's entry point": {
    args: DEPLOY,
    image: SHELL,
    message: /The ENTRYPOINT of \S+ is a shell/,
  },
  "another architecture": {
    args: TRAIN,
    image: () => ({ Architecture: "arm64" }),
    message: /arm64/,
  },
  "a file that the image lacks": {
    args: TRAIN,
    arrange: leftOut("training"),
    message: /excludes \S+\/training\/w\.bin from the image/,
  },
  "a file that processing lacks": {
    args: PROCESS,
    arrange: leftOut("processing"),
    message: /excludes \S+\/processing\/w\.bin from the image/,
  },
  "a file that a server lacks": {
    args: DEPLOY,
    arrange: leftOut("prediction"),
    message: /excludes \S+\/prediction\/w\.bin from the image/,
  },
  // Its code, too, where that is not mounted over it.
  "an image of other files": {
    args: TRAIN,
    image: OTHER,
    message: /differs from \S+\/Dockerfile and requirements\.txt:/,
    strictMessage: /differs from \S+\/Dockerfile, requirements\.txt, \S+\/training\.py:/,
  },
  "an image of other files, of processing": {
    args: PROCESS,
    image: OTHER,
    message: /differs from \S+\/Dockerfile and requirements\.txt:/,
    strictMessage: /differs from \S+\/Dockerfile, requirements\.txt, \S+\/p\.py:/,
  },
  "an image of other files, of a server": {
    args: DEPLOY,
    image: OTHER,
    message: /differs from \S+\/Dockerfile and requirements\.txt:/,
    strictMessage: /differs from \S+\/Dockerfile, requirements\.txt, \S+\/serve:/,
  },
  "what is dropped of a training's output": {
    args: TRAIN,
    code: (write) => write("/opt/ml/output/metrics.json"),
    message: /keeps only data\/ of \/opt\/ml\/output, so metrics\.json in /,
  },
  "what is dropped of processing's output": {
    args: PROCESS,
    code: (write) => write("/opt/ml/output/metrics.json"),
    message: /Processing wrote files to \/opt\/ml\/output, so they are lost: metrics\.json/,
    isOnlyStrict: true,
  },
  "old files in processing's output": {
    args: PROCESS,
    arrange: (app) => app.write(app.testPath("output/old.csv"), "1\n"),
    message: /output still contains files of earlier runs: old\.csv/,
  },
  "what processing loses": {
    args: PROCESS,
    code: (write) => write("/opt/mlcli/report", '["lost", "/opt/ml/processing/x.csv"]\n'),
    message:
      /Processing wrote files outside its outputs, so they are lost: \/opt\/ml\/processing\/x\.csv/,
  },
  "no model": {
    args: TRAIN,
    play: { writesNoModel: true },
    message: /The training run wrote no file to \/opt\/ml\/model/,
  },
};

for (const [title, violation] of Object.entries(VIOLATIONS)) {
  const { args, message, strictMessage = message, isOnlyStrict = false } = violation;
  // Options end at the arguments of a script.
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const strict = { ...violation, args: [...args.slice(0, end), "--strict", ...args.slice(end)] };

  suite(`${title}, in mlcli ${args.slice(0, 2).join(" ")}`, () => {
    it("is a warning with a remedy", async () => {
      const { code, stderr } = await run(violation);
      assertEquals(code, 0, stderr);
      if (isOnlyStrict) return assertEquals(stderr, "");
      assertMatch(stderr, message);
      assertMatch(stderr, /^warning: .+\nhint: .+\n$/);
    });

    it("fails at the end under --strict, and nothing is put in place", async () => {
      const { code, stdout, stderr, models, left } = await run(strict);
      assertEquals([code, stdout, left], [1, "", []]);
      assertMatch(stderr, strictMessage);
      assertMatch(
        stderr,
        /^(note: .+\n)?error: --strict found 1 difference from SageMaker\n.+\n.*hint: .+\n$/,
      );
      const failed = title === "no model" || args[1] !== "train" ? [] : ["RUN/new"];
      assertEquals(models, [...failed, "model/m"]);
    });

    if (args[1] === "deploy") return;

    it("is said under --strict, too, where the code failed", async () => {
      const { code, stderr } = await run(strict, 7);
      assertEquals(code, 7, stderr);
      // A failed run need not have written a model.
      if (title !== "no model") assertMatch(stderr, strictMessage);
      assertStringIncludes(stderr, "failed: exit code 7\n");
    });
  });
}

suite("a failure under --strict", () => {
  async function hintOf(args: readonly string[], codeDiffers = true): Promise<string> {
    await using app = await completeApp();
    const labels = codeDiffers
      ? NO_FILES
      : await withFilesLabel(app).finally(() => app.write(app.path("Dockerfile"), "# edited"));
    const Config = { ...HARNESS_IMAGE, Labels: { "mlcli.app": app.name, ...labels } };
    const program = ({ err, end }: FakeContainer): void => {
      err("ModuleNotFoundError: No module named 'sklearn'\n");
      end(1);
    };
    await using engine = await fakeContainers({ answers: answersOf({ Config }), program });
    const { stderr } = await runInProcess(args, { cwd: app.directory, engine });
    return stderr.slice(stderr.lastIndexOf("hint: ")).trimEnd();
  }
  const build = (args: readonly string[]): string =>
    args === DEPLOY ? "hint: mlcli build" : `hint: mlcli build && mlcli ${args.join(" ")} --strict`;
  const own = "hint: Add scikit-learn to requirements.txt, then run mlcli build";
  for (const args of [TRAIN, PROCESS, DEPLOY]) {
    it(`names the build if failed code differs from the app's: ${args[1]}`, async () => {
      assertEquals(
        [
          await hintOf([...args, "--strict"]),
          await hintOf([...args, "--strict"], false),
          await hintOf(args),
        ],
        [build(args), own, own],
      );
    });
  }
});

suite("--strict", () => {
  it("lists all that it finds", async () => {
    const { code, stderr } = await run({
      args: [...TRAIN, "--strict", "--env", `LONG=${"x".repeat(513)}`],
      arrange: leftOut("training"),
      code: (write) => write("/opt/ml/output/metrics.json"),
      message: /./,
    });
    assertEquals(code, 1);
    assertMatch(stderr, /\nerror: --strict found 3 differences from SageMaker\n/);
    for (const word of ["LONG", "w.bin", "metrics.json"]) assertStringIncludes(stderr, word);
  });

  it("ends a server in the foreground, too", async () => {
    const { code, stdout, stderr, left } = await run({
      args: [...DEPLOY, "--strict", "--foreground"],
      arrange: leftOut("prediction"),
      message: /./,
    });
    assertEquals([code, stdout, left], [1, "", []]);
    assertMatch(stderr, /^error: --strict found 1 difference from SageMaker\n/m);
  });

  it("says what it found at Ctrl-C, too, and keeps the model aside", async () => {
    const { code, stderr, models } = await run(
      {
        args: [...TRAIN, "--strict"],
        arrange: leftOut("training"),
        message: /./,
      },
      -1,
    );
    assertEquals([code, models], [130, ["RUN/new", "model/m"]]);
    assertMatch(stderr, /warning: mlcli build excludes \S+ from/);
  });

  for (const args of [TRAIN, PROCESS, DEPLOY]) {
    it(`finds nothing wrong with code that does nothing else than on SageMaker: ${args[1]}`, async () => {
      const { code, stderr, models } = await run({ args: [...args, "--strict"], message: /./ });
      assertEquals([code, stderr], [0, ""]);
      assertEquals(models, args === TRAIN ? ["model/new"] : ["model/m"]);
    });
  }
});
