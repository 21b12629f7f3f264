import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { copy } from "../../../scripts/files.ts";
import { makeDirectory, namesIn } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const ROOT = fromFileUrl(new URL("../../../", import.meta.url));

/** All that the set-up needs. */
const PARTS = [
  "deno.json",
  "scripts",
  "commands/render",
  "runtime/errors.ts",
  "runtime/messages.ts",
  "runtime/streams.ts",
  "runtime/terminal_filter.ts",
  "runtime/text.ts",
  "runtime/time.ts",
];

// A shell script replaces npm.
if (Deno.build.os !== "windows") {
  suite("deno task setup", () => {
    it("lays nothing from a package that is not the one that was checked", async () => {
      await using work = await makeDirectory({
        "bin/npm": '#!/bin/sh\necho other > "$(echo "$3" | tr @ -).tgz"\n',
      });
      await Deno.chmod(join(work.path, "bin/npm"), 0o755);
      for (const part of PARTS) await copy(join(ROOT, part), join(work.path, "checkout", part));
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "scripts/tasks/setup.ts", "--npm"],
        cwd: join(work.path, "checkout"),
        env: { PATH: `${work.path}/bin:${Deno.env.get("PATH")}` },
        stdin: "null",
      }).output();
      const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      assertEquals([code, output], [1, ""]);
      assertStringIncludes(errors!, "from npm is not the file that was checked: its sha512 is ");
      const parts = await namesIn(join(work.path, "checkout"));
      assertEquals(parts, ["commands", "deno.json", "runtime", "scripts"]);
    });
  });
}
