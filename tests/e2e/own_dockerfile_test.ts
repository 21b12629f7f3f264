import { assertEquals, assertMatch } from "@std/assert";
import { join } from "@std/path";
import { LABELS } from "../../runtime/contract/images.ts";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { baseImage, containersOf, removeImage, withEngine } from "../helpers/engine.ts";
import { it, suite } from "../helpers/suite.ts";

const TRAIN = `#!/usr/bin/env python3
import json
with open("/opt/ml/input/config/hyperparameters.json") as file:
    print("epochs", json.load(file).get("epochs"))
with open("/opt/ml/model/model.txt", "w") as file: file.write("a model")
`;

/** As AWS's example scikit_bring_your_own: programs in a directory of PATH, and no entry point. */
const BRING_YOUR_OWN = (...lines: readonly string[]) =>
  [
    `FROM ${baseImage()}`,
    "WORKDIR /opt/program",
    'ENV PATH="/opt/program:${PATH}"',
    "COPY . /opt/program",
    "RUN chmod +x /opt/program/train",
    ...lines,
    "",
  ].join("\n");

function contextApp(files: Readonly<Record<string, string>>): Promise<TestApp> {
  const inContext = Object.entries(files).map(([name, text]) => [`../../docker/${name}`, text]);
  return makeApp({
    configuration: { context: "docker" },
    files: {
      "local_test/test_dir/input/data/training/data.csv": "1\n",
      ...Object.fromEntries(inContext),
    },
  });
}

async function lookers(): Promise<readonly string[]> {
  const found = await withEngine((engine) => engine.listContainers([`${LABELS.role}=look`]));
  return found.filter(({ Image }) => Image.startsWith("test-")).flatMap(({ Names }) => Names);
}

suite("a Dockerfile of the user's own, on the engine", () => {
  it("an app with its own Dockerfile builds, follows the rules and trains, and mlcli recognizes its image", async () => {
    await using app = await contextApp({
      Dockerfile: BRING_YOUR_OWN(),
      train: TRAIN,
      ".env": "A=1",
    });
    const image = `${app.name}:latest`;
    try {
      const missing = await app.run(["local", "train"]);
      assertMatch(missing.stderr, /Image not found: .*\nhint: Run mlcli build first/);
      const built = await app.run(["build"]);
      assertEquals([built.code, built.stdout], [0, `${image}\n`], built.stderr);
      assertMatch(built.stderr, /^note: Excluded from the image as private: \.env\./m);
      assertEquals(/warning/.test(built.stderr), false, built.stderr);
      const run = await app.run(["local", "train", "--hyperparameter", "epochs=3"]);
      assertEquals([run.code, run.stdout], [0, "epochs 3\n"], run.stderr);
      assertEquals(await Deno.readTextFile(app.testPath("model/model.txt")), "a model");
      const strict = await app.run(["local", "train", "--strict"]);
      assertEquals(strict.code, 0, strict.stderr);
      const healthy = await app.run(["doctor"]);
      assertMatch(healthy.stdout, /^ok {7}Found no differences from SageMaker$/m);
      // The image runs unchanged: an edit needs a build, and mlcli warns of it.
      await app.write(join(app.directory, "docker/train"), `${TRAIN}# edited\n`);
      const stale = await app.run(["local", "train"]);
      assertMatch(
        stale.stderr,
        /warning: \S+ differs from docker\/train: [^]*\nhint: mlcli build && mlcli local train\n$/,
      );
      assertEquals([await lookers(), await containersOf(app.name)], [[], []]);
    } finally {
      await removeImage(image);
    }
  });

  it("is told which of SageMaker's rules it breaks, by build and by doctor", async () => {
    const dockerfile = BRING_YOUR_OWN(
      "RUN mv train train.py && ln -s train.py train && printf '#!/bin/sh\\r\\n' > serve",
      "RUN mkdir -p /opt/ml/model/1 /opt/ml/input && echo w > /opt/ml/model/1/weights",
      "USER 1000",
    );
    // What the engine cannot show hides nothing of the rest.
    const inShellForm = `FROM ${baseImage()}\nRUN ln -s serve /usr/bin/serve\n` +
      'ENV PATH="/etc/passwd:${PATH}"\nENTRYPOINT python3 /train.py\n';
    const byBash = `FROM ${baseImage()}\nCOPY start.sh /start.sh\n` +
      'ENTRYPOINT ["sh", "-m", "/start.sh"]\n';
    await using app = await contextApp({
      Dockerfile: dockerfile,
      train: TRAIN,
      shell: inShellForm,
      bash: byBash,
      "start.sh": "python3 /train.py\n",
    });
    const image = `${app.name}:latest`;
    const expected = [
      [[], [
        /\/opt\/program\/serve of \S+ has Windows line endings/,
        /\/opt\/program\/serve of \S+: the file is not executable/,
        /runs as user 1000/,
        /mounts a directory over \/opt\/ml\/model\/1\/weights of \S+:latest, so the code cannot/,
      ]],
      [["--dockerfile", "docker/shell"], [/The ENTRYPOINT of \S+ is a shell/]],
      [["--dockerfile", "docker/bash"], [/\/start\.sh, the ENTRYPOINT of \S+, .* without exec/]],
    ] as const;
    try {
      for (const [args, rules] of expected) {
        const { code, stderr } = await app.run(["build", ...args]);
        assertEquals(code, 0, stderr);
        const { stdout } = await app.run(["doctor"]);
        const of = (text: string) => text.split("\n").filter((line) => line.startsWith("warning"));
        const warnings = of(stderr);
        assertEquals(warnings.length, rules.length, stderr);
        for (const [index, words] of rules.entries()) assertMatch(warnings[index]!, words);
        const said = stdout.slice(stdout.indexOf("Differences from SageMaker:"));
        assertEquals(
          of(said).map((line) => line.replace(/^warning +/, "")),
          warnings.map((line) => line.replace(/^warning: /, "")),
        );
        assertEquals(/requirements|harness|accept-bind|training\.py/.test(stdout), false, stdout);
      }
      assertEquals(await lookers(), []);
    } finally {
      await removeImage(image);
    }
  });
});
