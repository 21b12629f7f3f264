import { join } from "@std/path";
import { assertEquals } from "@std/assert";
import { findApp, withTag } from "../../../../runtime/app/app.ts";
import type { CodeFolder } from "../../../../runtime/app/layout.ts";
import type { BuildMessage } from "../../../../runtime/local/differences/findings.ts";
import type { ImageDetails } from "../../../../runtime/docker/images.ts";
import { codeDifferences, leftOutDifferences } from "../../../../runtime/local/differences/code.ts";
import { warning } from "../../../../runtime/messages.ts";
import { makeDirectory, type TestDirectory } from "../../../helpers/directory.ts";
import { NO_FILES, withFilesLabel } from "../../../helpers/files_label.ts";
import { it, suite } from "../../../helpers/suite.ts";

const BASE = "flats/mlcli_base";
const OURS = { Entrypoint: ["/opt/mlcli/entrypoint"], Labels: { "mlcli.app": "flats" } };

function imageOf(details: Partial<ImageDetails> = {}): ImageDetails {
  return {
    Id: "sha256:1",
    Created: "2040-01-01T00:00:00Z",
    Os: "linux",
    Architecture: "amd64",
    Config: OURS,
    ...details,
  };
}

interface Flats extends AsyncDisposable {
  readonly directory: TestDirectory;
  path(...names: readonly string[]): string;
  /** An image of the app's files as they are. */
  built(labels?: Readonly<Record<string, string>>): Promise<ImageDetails>;
  found(
    code?: CodeFolder,
    image?: ImageDetails,
    job?: Readonly<{ tag?: string; strict?: boolean }>,
  ): Promise<readonly BuildMessage[]>;
  messages(...asked: Parameters<Flats["found"]>): Promise<readonly string[]>;
}

async function flats(files: Readonly<Record<string, string>> = {}): Promise<Flats> {
  const directory = await makeDirectory({
    "flats.json": "{}",
    "requirements.txt": "",
    [`${BASE}/Dockerfile`]: "",
    [`${BASE}/training/training.py`]: "",
    [`${BASE}/prediction/serve`]: "",
    ...files,
  });
  const app = await findApp(directory.path, "flats");
  const path = (...names: readonly string[]) => join(directory.path, ...names);
  const found: Flats["found"] = (
    code = "training",
    image = imageOf(),
    { tag = "v2", strict = false } = {},
  ) => codeDifferences({ app: withTag(app, tag), strict }, code, image);
  return {
    directory,
    path,
    async built(labels = OURS.Labels) {
      const app = { directory: directory.path, name: "flats" };
      return imageOf({ Config: { ...OURS, Labels: await withFilesLabel(app, labels) } });
    },
    found,
    messages: async (...asked) => (await found(...asked)).map(({ message }) => message),
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

const leaves = (names: string, it: string) =>
  `mlcli build excludes ${names} from the image: the code finds ${it} locally but not on SageMaker`;

suite("what the code finds here and not on SageMaker", () => {
  it("is nothing where all of it is in the image", async () => {
    await using flat = await flats();
    for (const code of ["training", "prediction", "processing"] as const) {
      assertEquals(await flat.found(code), []);
    }
  });

  it("codeDifferences names files of this directory that .dockerignore or the rule of private files excludes", async () => {
    await using flat = await flats({
      ".dockerignore": "**/*.bin\n",
      [`${BASE}/training/w.bin`]: "",
      [`${BASE}/prediction/.env`]: "",
    });
    assertEquals(await flat.found(), [{
      level: "warning",
      message: leaves(`${BASE}/training/w.bin`, "it"),
      hint:
        `Add the line !${BASE}/training/w.bin at the end of .dockerignore to include it in the ` +
        "image. If it contains data, put it into a channel instead.",
    }]);
    const [found] = await flat.found("prediction");
    assertEquals(found?.message, leaves(`${BASE}/prediction/.env`, "it"));
    assertEquals(await flat.found("processing"), []);
  });

  for (
    const [count, expected] of [
      [2, "1.bin, 2.bin"],
      [3, "1.bin, 2.bin, 3.bin"],
      [4, "1.bin, 2.bin, 3.bin and 1 more"],
      [9, "1.bin, 2.bin, 3.bin and 6 more"],
    ] as const
  ) {
    it(`codeDifferences names at most three files of ${count}`, async () => {
      const names = Array.from({ length: count }, (_, index) => `${index + 1}.bin`);
      await using flat = await flats({
        ".dockerignore": "**/*.bin\n",
        ...Object.fromEntries(names.map((name) => [`${BASE}/training/${name}`, ""])),
      });
      const [found] = await flat.found();
      const words = expected.replaceAll(/\d\.bin/g, (name) => `${BASE}/training/${name}`);
      assertEquals(found?.message, leaves(words, "them"));
      assertEquals(found?.hint?.includes(" to include the first path in the image"), true);
    });
  }

  it("the line in the hint includes the file again, whichever rule excluded it", async () => {
    for (
      const [rules, path] of [
        ["**/*.bin", "training/w.bin"],
        ["**/data", "training/data/x.csv"],
        ["", "training/.env"],
        ["**/.env", "training/.env"],
      ] as const
    ) {
      await using flat = await flats({ ".dockerignore": rules, [`${BASE}/${path}`]: "" });
      const [found] = await flat.found();
      const line = /!\S+/.exec(found!.hint!)![0];
      await flat.directory.write({ ".dockerignore": `${rules}\n${line}\n` });
      assertEquals(await flat.found(), [], path);
    }
  });

  it("files that only the code here finds are named relative to the current directory, in a subdirectory", async () => {
    await using flat = await flats({ [`${BASE}/training/.env`]: "", "sub/": "" });
    const app = { ...await findApp(flat.directory.path, "flats"), cwd: flat.path("sub") };
    const [found] = await leftOutDifferences(app, "training", imageOf());
    assertEquals(found, {
      level: "warning",
      message: leaves(`../${BASE}/training/.env`, "it"),
      hint:
        `Add the line !${BASE}/training/.env at the end of ../.dockerignore to include it in the ` +
        "image. If it contains data, put it into a channel instead.",
    });
  });

  it("is nothing where the image is somebody else's, the directory a link, or the rules broken", async () => {
    await using flat = await flats({ [`${BASE}/training/.env`]: "", "other/.env": "" });
    const foreign = imageOf({ Config: { Entrypoint: ["/x"] } });
    assertEquals(await flat.found("training", foreign), []);
    await Deno.symlink(flat.path("other"), flat.path(BASE, "processing"));
    assertEquals(await flat.found("processing"), []);
    await flat.directory.write({ ".dockerignore": "[" });
    assertEquals(await flat.found(), []);
  });
});

suite("code that training, processing and prediction share", () => {
  const LINE = "COPY ${APP}/mlcli_base/common/ /opt/program/common/";
  const SHARED = { [`${BASE}/common/features.py`]: "" };
  const COPIED = { ...SHARED, [`${BASE}/Dockerfile`]: `ARG APP\n${LINE}\n` };
  const LACKS = warning(
    `${BASE}/Dockerfile does not copy ${BASE}/common/ into the image`,
    `Add this line to the Dockerfile, next to the other COPY lines, then run mlcli build: ${LINE}`,
  );
  type Row = readonly [
    string,
    Readonly<Record<string, string>>,
    ImageDetails,
    readonly BuildMessage[],
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
        level: "warning",
        message: leaves(`${BASE}/common/w.bin`, "it"),
        hint:
          `Add the line !${BASE}/common/w.bin at the end of .dockerignore to include it in the ` +
          "image. If it contains data, put it into a channel instead.",
      }],
    ],
    ["is not looked for by somebody else's image", SHARED, imageOf({ Config: {} }), []],
  ];
  for (const [title, files, image, expected] of rows) {
    it(title, async () => {
      await using flat = await flats(files);
      for (const code of ["training", "prediction", "processing"] as const) {
        assertEquals(await flat.found(code, image), expected);
      }
    });
  }

  it("is compared with the image's where that runs (--strict)", async () => {
    await using flat = await flats(COPIED);
    const image = await flat.built();
    await flat.directory.write({ [`${BASE}/common/features.py`]: "other" });
    assertEquals(await flat.messages("training", image), []);
    assertEquals(await flat.messages("training", image, { strict: true }), [
      `flats:v2 differs from ${BASE}/common/features.py: SageMaker runs the image as it is`,
    ]);
  });

  it("is not told from a Dockerfile that leads out of the repository", async () => {
    await using flat = await flats(SHARED);
    const dockerfile = flat.path(BASE, "Dockerfile");
    await Deno.remove(dockerfile);
    await Deno.symlink("/etc/passwd", dockerfile);
    assertEquals(await flat.found(), []);
  });
});

suite("an image that differs from what it was made from", () => {
  const differs = (names: string) =>
    `flats:v2 differs from ${names}: SageMaker runs the image as it is`;
  const both = `${BASE}/Dockerfile and requirements.txt`;

  for (
    const [title, labels, expected] of [
      ["is said", { "mlcli.app": "flats", ...NO_FILES }, [differs(both)]],
      ["is unknown without the label, and not said", { "mlcli.app": "flats" }, []],
      ["is not said of another app's", { "mlcli.app": "other", ...NO_FILES }, []],
      ["is not reported for an image that mlcli did not build", NO_FILES, []],
    ] as const
  ) {
    it(title, async () => {
      await using flat = await flats();
      const image = imageOf({ Config: { ...OURS, Labels: labels } });
      assertEquals(await flat.messages("training", image), expected);
    });
  }

  it("codeDifferences names the file that differs, and the build command with the image's tag", async () => {
    await using flat = await flats();
    const image = await flat.built();
    assertEquals(await flat.found("training", image), []);
    await flat.directory.write({ "requirements.txt": "six\n" });
    for (
      const [tag, hint] of [
        ["v2", "mlcli build --docker-tag v2"],
        ["latest", "mlcli build"],
      ] as const
    ) {
      assertEquals(await flat.found("training", image, { tag }), [{
        level: "warning",
        message: differs("requirements.txt").replace(":v2", `:${tag}`),
        hint,
        needsBuild: "image",
      }]);
    }
  });

  it("codeDifferences names code that differs if the image's own runs (--strict)", async () => {
    await using flat = await flats({
      ".dockerignore": "**/*.bin\n",
      [`${BASE}/training/lib/deep.py`]: "",
      [`${BASE}/training/w.bin`]: "",
    });
    const image = await flat.built();
    const edit = (...names: readonly string[]) =>
      flat.directory.write(
        Object.fromEntries(names.map((name) => [`${BASE}/training/${name}`, "other"])),
      );
    const found = async (strict: boolean): Promise<readonly BuildMessage[]> =>
      (await flat.found("training", image, { strict })).filter(({ needsBuild }) => needsBuild);
    // Neither another directory's code, nor code that is not in the image.
    await edit("../prediction/serve", "w.bin", "__pycache__/c.pyc");
    assertEquals(await found(true), []);
    await edit("lib/deep.py");
    assertEquals(await found(true), [{
      level: "warning",
      message: differs(`${BASE}/training/lib/deep.py`),
      hint: "mlcli build --docker-tag v2",
      needsBuild: "code",
    }]);
    assertEquals(await found(false), []);
    await edit("a.py", "b.py", "c.py");
    const [a, b, c] = ["a", "b", "c"].map((name) => `${BASE}/training/${name}.py`);
    assertEquals((await found(true)).map(({ message }) => message), [
      differs(`${a}, ${b}, ${c} and 1 more`),
    ]);
  });
});
