import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { modelArchiveIn } from "../../../runtime/model/archive.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the archive in a model's directory", () => {
  // Beside a file that it copies, the Finder writes one with `._` before its name:
  // https://github.com/pytorch/serve/issues/3104
  for (const name of ["._model.tar.gz", ".DS_Store", "__MACOSX/._model.tar.gz", ".gitkeep"]) {
    it(`stands for the model beside ${name}`, async () => {
      await using directory = await makeDirectory({ "model.tar.gz": "", [name]: "" });
      assertEquals(await modelArchiveIn(directory.path), join(directory.path, "model.tar.gz"));
    });
  }

  it("is a file of the model beside another file", async () => {
    await using directory = await makeDirectory({ "model.tar.gz": "", "model.pkl": "" });
    assertEquals(await modelArchiveIn(directory.path), undefined);
  });
});
