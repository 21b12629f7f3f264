import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { findApp } from "../../../runtime/app/app.ts";
import { MlcliError } from "../../../runtime/errors.ts";
import { channelsOf } from "../../../runtime/local/channels.ts";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { besidesRun } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What the code finds below `/opt/ml/input`. */
interface Found extends ProgramResult {
  /** Mount point below it to the app's path (or OTHER for another directory), in their order. */
  readonly mounts: Readonly<Record<string, string>>;
  // deno-lint-ignore no-explicit-any
  readonly config: Readonly<Record<string, any>>;
  /** The places in the directory that stands for `input`, where there is one. */
  readonly places: readonly string[];
}

const INPUT = "/opt/ml/input";

/** Trains with these options in an app with these files; OTHER is a directory with data. */
async function trainWith(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  prepare: (app: TestApp) => Promise<void> = () => Promise.resolve(),
): Promise<Found> {
  const below = Object.entries(files).map(([path, text]) => [
    `local_test/test_dir/input/${path}`,
    text,
  ]);
  await using app = await completeApp({ files: Object.fromEntries(below) });
  const other = `${app.directory}/other data`;
  await Deno.mkdir(other);
  await Deno.writeTextFile(`${other}/rows.csv`, "1\n");
  await prepare(app);
  const config: Record<string, unknown> = {};
  const places: string[] = [];
  const mounts: Record<string, string> = {};
  await using engine = await fakeContainers({
    program: async ({ body, end }) => {
      for (const { Source, Target } of body.HostConfig.Mounts) {
        if (!Target.startsWith(INPUT)) continue;
        assertEquals(mounts[Target.slice(INPUT.length)], undefined, "mounted twice");
        mounts[Target.slice(INPUT.length)] = Source.replace(other, "OTHER")
          .replace(app.testPath(), "TEST").replace(/^.*\/jobs\/[^/]+/, "RUN");
        if (Target !== INPUT) continue;
        for await (const { name } of Deno.readDir(`${Source}/data`)) places.push(name);
        for await (const { name, isFile } of Deno.readDir(`${Source}/config`)) {
          const path = `${Source}/config/${name}`;
          if (isFile) config[name] = JSON.parse(await Deno.readTextFile(path));
        }
      }
      end(0);
    },
  });
  const line = ["local", "train", ...args.map((arg) => arg.replace("OTHER", other))];
  const result = besidesRun(await runInProcess(line, { cwd: app.directory, engine }));
  return { ...result, mounts, config, places: places.sort() };
}

const channels = ({ config }: Found): readonly string[] =>
  Object.keys(config["inputdataconfig.json"]);
/** What is mounted for these in `data/`, and for processing's. */
const mountsOf = (...names: readonly string[]): Readonly<Record<string, string>> => ({
  "": "RUN/input",
  ...Object.fromEntries(
    ["processing", ...names].map((name) => [`/data/${name}`, `TEST/input/data/${name}`]),
  ),
});
const hyperparameters = ({ config }: Found): unknown => config["hyperparameters.json"];

/** What is said of an empty one, which is no obstacle here. */
const withoutFile = (name: string): string =>
  `warning: SageMaker rejects empty channels: "${name}"\n` +
  "hint: Add test data to these channels, or remove their directories\n";

suite("the channels of local train", () => {
  it("are the directories of input/data but that for processing", async () => {
    const files = { "data/validation/v.csv": "1\n", "data/a.txt": "", "data/eval/e.csv": "1\n" };
    const found = await trainWith([], files);
    assertEquals(channels(found), ["eval", "training", "validation"]);
    // What else is there is there too.
    assertEquals(found.mounts, mountsOf("eval", "training", "validation", "a.txt"));
  });

  it("are those that the user names, too, each with a place to be mounted at", async () => {
    const found = await trainWith(["--input", "extra=OTHER"], { "data/validation/v.csv": "1\n" });
    assertEquals(channels(found), ["extra", "training", "validation"]);
    assertEquals(found.places, ["extra", "processing", "training", "validation"]);
    assertEquals(found.mounts, {
      ...mountsOf("training", "validation"),
      "/data/extra": "OTHER",
    });
  });

  it("are the user's in the place of the layout's", async () => {
    const found = await trainWith(["--input", "training=OTHER"]);
    assertEquals(channels(found), ["training"]);
    assertEquals(found.mounts["/data/training"], "OTHER");
  });

  it("are refused if a link has replaced a typed directory, as a run of --watch could do", async () => {
    await using app = await completeApp();
    await using elsewhere = await makeDirectory({ "a.csv": "1" });
    const source = `${app.directory}/data`;
    await Deno.symlink(elsewhere.path, source);
    const layout = (await findApp(app.directory, undefined)).paths;
    const channels = channelsOf(layout, [{ name: "training", source }]);
    await assertRejects(() => channels, MlcliError, "data points outside ");
  });

  it("need none of the layout's where the user names one", async () => {
    const found = await trainWith(
      ["--input", "train=OTHER"],
      {},
      (app) => Deno.remove(app.testPath("input/data/training"), { recursive: true }),
    );
    assertEquals([found.code, channels(found)], [0, ["train"]]);
  });

  it("need not be called training, and some may be empty", async () => {
    const found = await trainWith(
      [],
      { "data/train/rows.csv": "1\n", "data/not-yet/.gitkeep": "" },
      (app) => Deno.remove(app.testPath("input/data/training"), { recursive: true }),
    );
    assertEquals([found.code, found.stderr], [0, withoutFile("not-yet")]);
    assertEquals(channels(found), ["not-yet", "train"]);
    assertEquals(found.mounts, mountsOf("not-yet", "train"));
  });

  it("may be empty where the user names one that holds a file, and the other way round", async () => {
    for (const training of ["", "1\n"]) {
      const found = await trainWith(
        ["--input", `extra=OTHER${training && "/empty"}`],
        {},
        async (app) => {
          await Deno.mkdir(`${app.directory}/other data/empty`);
          if (!training) await Deno.remove(app.testPath("input/data/training/data.csv"));
        },
      );
      const said = withoutFile(training ? "extra" : "training");
      assertEquals([found.code, found.stderr, channels(found)], [0, said, ["extra", "training"]]);
    }
  });

  for (
    const [title, args, files, path] of [
      ["there is none", [], {}, "TEST/input/data/training"],
      [
        "they hold no file",
        [],
        { "data/train/.gitkeep": "", "data/eval/deep/.gitkeep": "" },
        "TEST/input/data/training",
      ],
      ["only the one for processing holds a file", [], {
        "data/processing/p.csv": "1",
        "data/rows.csv": "1",
      }, "TEST/input/data/training"],
      ["the named one is empty, too", ["--input", "extra=OTHER/empty"], {}, "other data/empty"],
    ] as const
  ) {
    it(`are not enough where ${title}`, async () => {
      let test = "";
      const { code, stdout, stderr, mounts } = await trainWith(args, files, async (app) => {
        test = `${app.name}/mlcli_base/local_test/test_dir`;
        await Deno.mkdir(`${app.directory}/other data/empty`);
        await Deno.remove(app.testPath("input/data/training"), { recursive: true });
      });
      assertEquals([code, stdout, mounts], [1, "", {}]);
      const message = `No such file or directory: ${path.replace("TEST", test)} (training data)`;
      assertEquals(stderr.split("\n")[0], `error: ${message}`);
      assertMatch(stderr, /^hint: Put training data into /m);
    });
  }

  it("must be there", async () => {
    const missing = await trainWith(["--input", "training=OTHER/none"]);
    assertEquals(missing.code, 2);
    assertMatch(
      missing.stderr,
      /^error: Not a directory: .*none \(--input training=\.\.\.\)\nhint: /,
    );
    const file = await trainWith(
      ["--input", "training=OTHER/file"],
      {},
      (app) => app.write(`${app.directory}/other data/file`, ""),
    );
    assertMatch(
      file.stderr,
      /\nhint: Use a directory that contains only the files of this input\n/,
    );
    const without = await trainWith(
      [],
      {},
      (app) => Deno.remove(app.testPath("input/data/training"), { recursive: true }),
    );
    assertEquals(without.code, 1);
    assertEquals([missing.mounts, without.mounts], [{}, {}]);
  });
});

suite("the configuration of local train", () => {
  it("holds the user's own files, and mlcli's in the place of theirs", async () => {
    const found = await trainWith([], {
      "config/mine.json": '{"a":1}',
      "config/hyperparameters.json": '{"epochs": 3, "name": "x"}',
      "config/resourceconfig.json": '{"mine": true}',
      "config/inputdataconfig.json": '{"mine": true}',
    });
    assertEquals(found.config["mine.json"], { a: 1 });
    assertEquals(hyperparameters(found), { epochs: "3", name: "x" });
    assertEquals(found.config["resourceconfig.json"].mine, undefined);
    assertEquals(channels(found), ["training"]);
  });

  it("may not lead back to itself: then nothing is run", async () => {
    const found = await trainWith([], {
      "config/mine.json": "{}",
    }, (app) => Deno.symlink(".", app.testPath("input/config/again")));
    assertEquals([found.code, found.mounts], [1, {}]);
    assertMatch(
      found.stderr,
      /^error: .*config\/again: it points to a directory that was already copied\n/,
    );
  });

  it("has the hyperparameters of the command line before those of the file", async () => {
    const found = await trainWith(
      ["--hyperparameter", "epochs=5", "--hyperparameter", "rate=a=b", "--hyperparameter", "no="],
      { "config/hyperparameters.json": '{"epochs": 3, "name": "x"}' },
    );
    assertEquals(hyperparameters(found), { epochs: "5", name: "x", rate: "a=b", no: "" });
  });
});
