import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { harnessFiles, readHarnessFile } from "../../../runtime/app/harness_files.ts";
import {
  EMPTY_FOLDERS,
  GIT_IGNORE_TEMPLATE,
  IGNORE_TEMPLATE,
  README_TEMPLATE,
  readTemplate,
  REQUIREMENTS_TEMPLATE,
  TEMPLATE_FILES,
} from "../../../runtime/image/scaffold.ts";
import { filesBelow } from "../../../scripts/files.ts";
import { it, suite } from "../../helpers/suite.ts";

const IMAGE = new URL("../../../runtime/image/", import.meta.url);

async function filesIn(folder: string): Promise<string[]> {
  return (await Array.fromAsync(filesBelow(fromFileUrl(new URL(folder, IMAGE))))).sort();
}

suite("files that mlcli brings along", () => {
  it("has every file of the harness, those executable that are run", async () => {
    const files = await harnessFiles();
    const notInImages = /^(README\.md|pyproject\.toml|\.flake8|tests\/.*)$/;
    const wanted = await filesIn("../harness/");
    assertEquals(
      files.map(({ path }) => path).sort(),
      wanted.filter((path) => !notInImages.test(path)),
    );
    for (const { path, executable } of files) {
      const text = new TextDecoder().decode(await readHarnessFile(path));
      assertEquals(text.startsWith("#!"), executable, path);
    }
  });

  it("has every file of the template", async () => {
    const paths = [
      ...TEMPLATE_FILES.map(({ path }) => path),
      IGNORE_TEMPLATE,
      GIT_IGNORE_TEMPLATE,
      README_TEMPLATE,
      REQUIREMENTS_TEMPLATE,
    ];
    const keeps = EMPTY_FOLDERS.map((folder) => `${folder}/.gitkeep`);
    const found = await filesIn("template/");
    assertEquals(
      paths.sort(),
      found.filter((path) => !keeps.includes(path) && !path.startsWith("from/")),
    );
    for (const path of paths) await readTemplate(path);
  });
});
