import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { filesBelow } from "../../../scripts/compile/copy.ts";
import { stageProgram, withCommit, withLiteralImports } from "../../../scripts/compile/stage.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));

suite("withLiteralImports", () => {
  it("puts the path in place of its constant", () => {
    assertEquals(
      withLiteralImports('const BUILD = "./build.ts";\nawait import(BUILD) as Build;\n'),
      'const BUILD = "./build.ts";\nawait import("./build.ts") as Build;\n',
    );
  });

  it("leaves literals and types alone", () => {
    const source = 'await import("./a.ts") as typeof import("./a.ts");\n';
    assertEquals(withLiteralImports(source), source);
  });

  it("fails for what is no constant of the file", () => {
    assertThrows(() => withLiteralImports("import(path)"), Error, "No constant for import(path)");
  });
});

suite("withCommit", () => {
  it("fails where there is no place for it", () => {
    assertThrows(() => withCommit("export const OTHER = 1;", "abc"), Error, "no place");
  });
});

suite("stageProgram", () => {
  it("takes the program alone, with nothing left that Deno cannot see", async () => {
    const directory = await Deno.makeTempDir({ prefix: "mlcli-test-stage-" });
    try {
      await stageProgram(ROOT, directory, "0123456789ab");
      const parts = new Set<string>();
      for await (const path of filesBelow(directory)) {
        parts.add(path.split(/[/\\]/)[0]!);
        if (path.startsWith("vendor") || !path.endsWith(".ts")) continue;
        const code = await Deno.readTextFile(`${directory}/${path}`);
        assertEquals(/\bimport\([^"]/.exec(code)?.[0], undefined, path);
      }
      parts.delete("vendor"); // there only where JSR does not answer
      assertEquals([...parts].sort(), ["commands", "deno.json", "main.ts", "runtime"]);
      const info = await Deno.readTextFile(`${directory}/runtime/build_info.ts`);
      assertStringIncludes(info, '= "0123456789ab";');
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
});
