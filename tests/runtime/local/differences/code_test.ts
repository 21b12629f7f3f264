import { join } from "@std/path";
import { assertEquals } from "@std/assert";
import { type App, findApp } from "../../../../runtime/app/app.ts";
import type { Difference } from "../../../../runtime/contract/differences.ts";
import type { ImageDetails } from "../../../../runtime/docker/images.ts";
import { codeDifferences } from "../../../../runtime/local/differences/code.ts";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

const OLD = "2020-01-01T00:00:00Z";
const MIDDLE = "2030-01-01T00:00:00Z";
const NEW = "2040-01-01T00:00:00Z";

const BASE = "flats/mlcli_base";
const OURS = {
  Entrypoint: ["/opt/mlcli/entrypoint"],
  Labels: { "mlcli.app": "flats" },
};

function imageOf(details: Partial<ImageDetails> = {}): ImageDetails {
  return {
    Id: "sha256:1",
    Created: NEW,
    Os: "linux",
    Architecture: "amd64",
    Config: OURS,
    ...details,
  };
}

/** An app whose Dockerfile and requirements were last changed in the middle. */
async function flats(
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly app: App; readonly directory: TestDirectory }> {
  const directory = await makeDirectory({
    "flats.json": "{}",
    "requirements.txt": "",
    [`${BASE}/Dockerfile`]: "",
    [`${BASE}/training/training.py`]: "",
    [`${BASE}/prediction/serve`]: "",
    ...files,
  });
  const app = await findApp(directory.path, "flats");
  for (const path of ["requirements.txt", `${BASE}/Dockerfile`]) {
    await Deno.utime(join(directory.path, path), new Date(MIDDLE), new Date(MIDDLE));
  }
  return { app, directory };
}

const leaves = (names: string, it: string) =>
  `mlcli build leaves ${names} out of the image: the code finds ${it} here and not on the platform`;

suite("what the code finds here and not on the platform", () => {
  it("is nothing where all of it is in the image", async () => {
    const { app, directory } = await flats();
    await using _ = directory;
    for (const code of ["training", "prediction", "processing"] as const) {
      assertEquals(await codeDifferences({ app, tag: "v2", strict: false }, code, imageOf()), []);
    }
  });

  it("is what .dockerignore and the rule of private files keep out, of this directory", async () => {
    const { app, directory } = await flats({
      ".dockerignore": "**/*.bin\n",
      [`${BASE}/training/w.bin`]: "",
      [`${BASE}/prediction/.env`]: "",
    });
    await using _ = directory;
    assertEquals(await codeDifferences({ app, tag: "v2", strict: false }, "training", imageOf()), [{
      message: leaves(`${BASE}/training/w.bin`, "it"),
      hint:
        `A line !${BASE}/training/w.bin at the end of .dockerignore brings it into the image; ` +
        "data belongs into a channel.",
    }]);
    const [found] = await codeDifferences(
      { app, tag: "v2", strict: false },
      "prediction",
      imageOf(),
    );
    assertEquals(found?.message, leaves(`${BASE}/prediction/.env`, "it"));
    assertEquals(
      await codeDifferences({ app, tag: "v2", strict: false }, "processing", imageOf()),
      [],
    );
  });

  for (
    const [count, expected] of [
      [2, "1.bin, 2.bin"],
      [3, "1.bin, 2.bin, 3.bin"],
      [4, "1.bin, 2.bin, 3.bin and 1 more"],
      [9, "1.bin, 2.bin, 3.bin and 6 more"],
    ] as const
  ) {
    it(`is named up to the third: ${count} files`, async () => {
      const names = Array.from({ length: count }, (_, index) => `${index + 1}.bin`);
      const { app, directory } = await flats({
        ".dockerignore": "**/*.bin\n",
        ...Object.fromEntries(names.map((name) => [`${BASE}/training/${name}`, ""])),
      });
      await using _ = directory;
      const [found] = await codeDifferences(
        { app, tag: "v2", strict: false },
        "training",
        imageOf(),
      );
      const words = expected.replaceAll(/\d\.bin/g, (name) => `${BASE}/training/${name}`);
      assertEquals(found?.message, leaves(words, "them"));
      assertEquals(found?.hint.includes("brings the first into the image"), true);
    });
  }

  it("the hint's line brings the file back, whatever kept it out", async () => {
    for (
      const [rules, path] of [
        ["**/*.bin", "training/w.bin"],
        ["**/data", "training/data/x.csv"],
        ["", "training/.env"],
        ["**/.env", "training/.env"],
      ] as const
    ) {
      const { app, directory } = await flats({
        ".dockerignore": rules,
        [`${BASE}/${path}`]: "",
      });
      await using _ = directory;
      const [found] = await codeDifferences(
        { app, tag: "v2", strict: false },
        "training",
        imageOf(),
      );
      const line = /!\S+/.exec(found!.hint)![0];
      await directory.write({ ".dockerignore": `${rules}\n${line}\n` });
      assertEquals(
        await codeDifferences({ app, tag: "v2", strict: false }, "training", imageOf()),
        [],
        path,
      );
    }
  });

  it("is nothing where the image is somebody else's, the directory a link, or the rules broken", async () => {
    const { app, directory } = await flats({
      [`${BASE}/training/.env`]: "",
      "other/.env": "",
    });
    await using _ = directory;
    const foreign = imageOf({ Config: { Entrypoint: ["/x"] } });
    assertEquals(await codeDifferences({ app, tag: "v2", strict: false }, "training", foreign), []);
    const link = join(directory.path, BASE, "processing");
    await Deno.symlink(join(directory.path, "other"), link);
    assertEquals(
      await codeDifferences({ app, tag: "v2", strict: false }, "processing", imageOf()),
      [],
    );
    await directory.write({ ".dockerignore": "[" });
    assertEquals(
      await codeDifferences({ app, tag: "v2", strict: false }, "training", imageOf()),
      [],
    );
  });
});

suite("code that training, processing and prediction share", () => {
  const LINE = "COPY ${APP}/mlcli_base/common/ /opt/program/common/";
  const SHARED = { [`${BASE}/common/features.py`]: "" };
  const COPIED = { ...SHARED, [`${BASE}/Dockerfile`]: `ARG APP\n${LINE}\n` };
  const LACKS = {
    message: `${BASE}/Dockerfile does not copy ${BASE}/common/ into the image`,
    hint:
      `Add this line to the Dockerfile, beside the others that copy code, and run mlcli build: ${LINE}`,
  };
  type Row = readonly [
    string,
    Readonly<Record<string, string>>,
    ImageDetails,
    readonly Difference[],
  ];
  const rows: readonly Row[] = [
    ["is fine where the image has it", COPIED, imageOf(), []],
    [
      "is nothing to speak of where there is none",
      { [`${BASE}/common/.gitkeep`]: "" },
      imageOf(),
      [],
    ],
    ["is missed by a Dockerfile that does not copy it", SHARED, imageOf(), [LACKS]],
    [
      "may be kept out by .dockerignore",
      { ...COPIED, [`${BASE}/common/w.bin`]: "", ".dockerignore": "**/*.bin" },
      imageOf(),
      [{
        message: leaves(`${BASE}/common/w.bin`, "it"),
        hint: `A line !${BASE}/common/w.bin at the end of .dockerignore brings it into the ` +
          "image; data belongs into a channel.",
      }],
    ],
    ["is not looked for by somebody else's image", SHARED, imageOf({ Config: {} }), []],
  ];
  for (const [title, files, image, expected] of rows) {
    it(title, async () => {
      const { app, directory } = await flats(files);
      await using _ = directory;
      for (const code of ["training", "prediction", "processing"] as const) {
        assertEquals(
          await codeDifferences({ app, tag: "v2", strict: false }, code, image),
          expected,
        );
      }
    });
  }

  it("is compared with the image's where that runs (--strict)", async () => {
    const { app, directory } = await flats(COPIED);
    await using _ = directory;
    const image = imageOf({ Created: "2035-01-01T00:00:00Z" });
    const late = new Date(NEW);
    await Deno.utime(join(directory.path, BASE, "common/features.py"), late, late);
    const found = async (strict: boolean) =>
      (await codeDifferences({ app, tag: "v2", strict }, "training", image))
        .map(({ message }) => message);
    assertEquals(await found(false), []);
    assertEquals(await found(true), [
      `flats:v2 is older than ${BASE}/common/features.py: the platform runs the image as it is`,
    ]);
  });

  it("is not told from a Dockerfile that leads out of the repository", async () => {
    const { app, directory } = await flats(SHARED);
    await using _ = directory;
    const dockerfile = join(directory.path, BASE, "Dockerfile");
    await Deno.remove(dockerfile);
    await Deno.symlink("/etc/passwd", dockerfile);
    assertEquals(
      await codeDifferences({ app, tag: "v2", strict: false }, "training", imageOf()),
      [],
    );
  });
});

suite("an image that is older than what it was made from", () => {
  const older = (names: string) =>
    `flats:v2 is older than ${names}: the platform runs the image as it is`;
  const both = `${BASE}/Dockerfile and requirements.txt`;
  const other = { ...OURS, Labels: { "mlcli.app": "other" } };
  const rows: readonly (readonly [string, Partial<ImageDetails>, string | undefined])[] = [
    ["is said", { Created: OLD }, older(both)],
    ["is not said of a newer one", { Created: NEW }, undefined],
    ["goes by the time of naming", { Created: OLD, Metadata: { LastTagTime: NEW } }, undefined],
    ["goes by the later of both", { Created: OLD, Metadata: { LastTagTime: OLD } }, older(both)],
    ["is not said of another app's", { Created: OLD, Config: other }, undefined],
    ["is not said of somebody else's", { Created: OLD, Config: {} }, undefined],
  ];
  for (const [title, details, message] of rows) {
    it(title, async () => {
      const { app, directory } = await flats();
      await using _ = directory;
      const found = await codeDifferences(
        { app, tag: "v2", strict: false },
        "training",
        imageOf(details),
      );
      assertEquals(found.map((one) => one.message), message === undefined ? [] : [message]);
    });
  }

  it("goes by both files of a project of uv", async () => {
    const { app, directory } = await flats({ "pyproject.toml": "", "uv.lock": "" });
    await using _ = directory;
    await Deno.remove(join(directory.path, "requirements.txt"));
    const image = imageOf({ Created: OLD });
    const found = await codeDifferences({ app, tag: "v2", strict: false }, "training", image);
    assertEquals(found.map(({ message }) => message), [
      older(`${BASE}/Dockerfile, pyproject.toml, uv.lock`),
    ]);
  });

  it("goes by the Dockerfile that it was made from", async () => {
    for (
      const [label, expected] of [
        ["gpu.Dockerfile", older("gpu.Dockerfile and requirements.txt")],
        [".mlcli-dockerfile", older("requirements.txt")],
      ] as const
    ) {
      const { app, directory } = await flats({ "gpu.Dockerfile": "" });
      await using _ = directory;
      const Config = { ...OURS, Labels: { ...OURS.Labels, "mlcli.dockerfile": label } };
      const found = await codeDifferences(
        { app, tag: "v2", strict: false },
        "training",
        imageOf({ Created: OLD, Config }),
      );
      assertEquals(found.map(({ message }) => message), [expected]);
    }
  });

  it("names what is newer alone, and the command for its tag", async () => {
    const { app, directory } = await flats();
    await using _ = directory;
    const late = new Date(NEW);
    await Deno.utime(join(directory.path, "requirements.txt"), late, late);
    const image = imageOf({ Created: "2035-01-01T00:00:00Z" });
    for (
      const [tag, hint] of [
        ["v2", "Run mlcli build --docker-tag v2."],
        ["latest", "Run mlcli build."],
      ] as const
    ) {
      assertEquals(await codeDifferences({ app, tag, strict: false }, "training", image), [{
        message: older("requirements.txt").replace(":v2", `:${tag}`),
        hint,
        isOfOlderCode: false,
      }]);
    }
    await Deno.remove(join(directory.path, "requirements.txt"));
    assertEquals(
      await codeDifferences({ app, tag: "latest", strict: false }, "training", image),
      [],
    );
  });

  it("names code that is newer, too, where the image's own runs (--strict)", async () => {
    const { app, directory } = await flats({
      ".dockerignore": "**/*.bin\n",
      [`${BASE}/training/lib/deep.py`]: "",
      [`${BASE}/training/w.bin`]: "",
      [`${BASE}/training/__pycache__/c.pyc`]: "",
    });
    await using _ = directory;
    const late = new Date(NEW);
    const touch = (...names: readonly string[]) =>
      Promise.all(names.map((name) => Deno.utime(join(directory.path, BASE, name), late, late)));
    const image = imageOf({ Created: "2035-01-01T00:00:00Z" });
    const found = async (strict: boolean): Promise<readonly string[]> =>
      (await codeDifferences({ app, tag: "v2", strict }, "training", image))
        .map(({ message }) => message).filter((message) => message.includes("older"));
    // Neither another directory's code, nor what is not in the image.
    await touch("prediction/serve", "training/w.bin", "training/__pycache__/c.pyc");
    assertEquals(await found(true), []);
    await touch("training/lib/deep.py");
    assertEquals(await found(true), [older(`${BASE}/training/lib/deep.py`)]);
    assertEquals(await found(false), []);
    for (const name of ["a", "b", "c"]) {
      await directory.write({ [`${BASE}/training/${name}.py`]: "" });
      await touch(`training/${name}.py`);
    }
    const [a, b, c] = ["a", "b", "c"].map((name) => `${BASE}/training/${name}.py`);
    assertEquals(await found(true), [older(`${a}, ${b}, ${c} and 1 more`)]);
  });
});
