import { assertEquals } from "@std/assert";
import { placeNamed } from "../../../runtime/app/named_path.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { inFile, typed } from "../../helpers/settings.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("placeNamed", () => {
  it("starts at the current directory for what is typed, and at the app for the file", async () => {
    await using directory = await makeDirectory({ "code/a.py": "", "below/code/a.py": "" });
    const boundary = await Deno.realPath(directory.path);
    const cwd = `${boundary}/below`;
    const app = { name: "churn", directory: boundary, boundary, cwd };
    const place = { option: "--source-dir", key: "source_dir" };
    const byFile = await placeNamed(app, { ...place, named: inFile("code") });
    const byUser = await placeNamed(app, { ...place, named: typed("code") });
    assertEquals([byFile.path, byUser.path], [`${boundary}/code`, `${cwd}/code`]);
  });
});
