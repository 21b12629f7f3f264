import { assert, assertEquals } from "@std/assert";
import { projectAt } from "../../../runtime/origin/directory.ts";
import { droppedText, takenRequirements } from "../../../runtime/origin/requirements.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

/** The notes for a project with these requirements files. */
async function notesFor(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  await using here = await makeDirectory();
  await using directory = await makeDirectory(files);
  const project = await projectAt(here.path, directory.path, "app");
  const to = "app/requirements.txt";
  return (await takenRequirements(project, "requirements.txt", to, "app", () => true)).left;
}

/** The note for packages with a label. */
function note(label: string, packages: string, index?: string): string {
  const address = index === undefined ? "INDEX" : `https://download.pytorch.org/whl/${index}`;
  return `Not on PyPI (add the line "--extra-index-url ${address}" to app/requirements.txt, ` +
    `or remove "+${label}" to use PyPI's build): ${packages}`;
}

/** Requirements files, and the notes for them. */
const LABELS: Readonly<Record<string, readonly [Record<string, string>, readonly string[]]>> = {
  // https://github.com/databricks/databricks-ml-examples/pull/74
  // https://github.com/mlflow/mlflow/issues/4340
  "two packages for CUDA": [
    {
      "requirements.txt":
        "torch==1.13.1+cu117\ntorchvision == 0.14.1+cu117 ; python_version < '3.12'\n",
    },
    [note(
      "cu117",
      "torch==1.13.1+cu117, torchvision == 0.14.1+cu117 ; python_version < '3.12'",
      "cu117",
    )],
  ],
  // https://github.com/SillyTavern/SillyTavern-Extras/issues/171
  "a package for processors": [
    { "requirements.txt": "torchaudio===2.0.0+cpu\n" },
    [note("cpu", "torchaudio===2.0.0+cpu", "cpu")],
  ],
  "a package of another project": [
    { "requirements.txt": "torch-scatter==2.1.1+pt20cu118\n" },
    [note("pt20cu118", "torch-scatter==2.1.1+pt20cu118")],
  ],
  "packages for other accelerators": [
    { "requirements.txt": "torch==2.3.0+xpu\ntorchvision==0.15.2+rocm5.4.2\n" },
    [
      note("xpu", "torch==2.3.0+xpu", "xpu"),
      note("rocm5.4.2", "torchvision==0.15.2+rocm5.4.2", "rocm5.4.2"),
    ],
  ],
  "a label in capitals": [
    { "requirements.txt": "torch==2.0.1+CU118\n" },
    [note("cu118", "torch==2.0.1+CU118", "cu118")],
  ],
  "an included file and constraints": [
    {
      "requirements.txt": "-r more.txt\n-c constraints.txt\n",
      "more.txt": "torch==2.1.0+cu118\n",
      "constraints.txt": "torchvision==0.16.0+cu118\n",
    },
    [note("cu118", "torch==2.1.0+cu118, torchvision==0.16.0+cu118", "cu118")],
  ],
  "a marker": [{ "requirements.txt": "six==1.16.0 ; platform_version < '1+cu1'\n" }, []],
  "another index of the file": [
    {
      "requirements.txt":
        "--extra-index-url https://download.pytorch.org/whl/cu118\ntorch==2.1.0+cu118",
    },
    [],
  ],
  "archives that the file names": [
    { "requirements.txt": "-f https://download.pytorch.org/whl/torch_stable.html\ntorch==1.7+cpu" },
    [],
  ],
};

suite("requirements of a project", () => {
  for (const [title, [files, notes]] of Object.entries(LABELS)) {
    it(`requirements of a project get ${notes.length === 0 ? "no note" : "a note"} about PyPI for ${title}`, async () => {
      assertEquals(await notesFor(files), notes);
    });
  }

  for (const [title, line] of [["references", "-r "], ["labels", "torch==2.0+"]] as const) {
    it(`requirements of a project get 20 notes of a bounded length about more ${title}`, async () => {
      const name = title === "labels" ? "x" : "x".repeat(1000);
      const lines = Array.from({ length: 30 }, (_, n) => `${line}${n}${name}\n`);
      const notes = await notesFor({ "requirements.txt": lines.join("") });
      assertEquals(notes.length, 20);
      for (const one of notes) assert(one.length <= 400, one);
    });
  }

  it("droppedText lists up to 20 lines, once each and up to 200 characters", () => {
    const lines = ["b", "b", "c".repeat(300), ...Array.from({ length: 30 }, (_, n) => `${n}`)];
    const shown = ["b", "c".repeat(200), ...Array.from({ length: 18 }, (_, n) => `${n}`)];
    assertEquals(droppedText(lines, "r.txt"), [
      `Not from a package index (add the ones you trust to r.txt): ${shown.join(", ")} and 12 more`,
    ]);
    assertEquals(droppedText([], "r.txt"), []);
  });
});
