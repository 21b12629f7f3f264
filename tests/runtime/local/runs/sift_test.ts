import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { sift } from "../../../../runtime/local/runs/sift.ts";
import { makeDirectory, namesIn } from "../../../helpers/directory.ts";
import { python } from "../../../helpers/python.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("what of an output goes to others", () => {
  it("is files and directories without privileges, and links among them", async () => {
    await using place = await makeDirectory({ "from/sub/tool": "1", "from/closed/a": "2" });
    const [from, to] = [join(place.path, "from"), join(place.path, "to")];
    await Deno.chmod(join(from, "sub/tool"), 0o6755);
    await Deno.chmod(join(from, "sub"), 0o3777);
    await Deno.chmod(join(from, "closed"), 0o700);
    python(
      from,
      'for name, target in (("in", "sub/tool"), ("sub/up", "../closed"), ("out", "/etc"),\n' +
        '    ("sub/over", "../../x"), ("back", "../from/sub"), ("hidden", "in/../../x")):\n' +
        "  os.symlink(target, name)\n" +
        'os.mkfifo("pipe")',
    );
    assertEquals([...sift(from, to)].sort(), ["back", "hidden", "out", "pipe", "sub/over"]);
    assertEquals(await namesIn(to), ["closed", "in", "sub"]);
    assertEquals(await namesIn(join(to, "sub")), ["tool", "up"]);
    const modeOf = (path: string) => Deno.lstatSync(join(to, path)).mode! & 0o7777;
    assertEquals(["sub/tool", "sub", "closed"].map(modeOf), [0o755, 0o777, 0o700]);
  });

  for (
    const [what, program] of [
      ["alone", 'open(b"tool\\xff", "w")'],
      ["beside its twin", 'open(b"tool\\xff", "w"), open("tool\\ufffd", "w")'],
      ["of a directory", 'os.makedirs(b"d\\xff/x"), os.makedirs("d\\ufffd")'],
    ] as const
  ) {
    it(`holds no name that is not UTF-8: ${what}`, async () => {
      await using place = await makeDirectory({ "from/a": "1" });
      const from = join(place.path, "from");
      python(from, program);
      assertThrows(() => sift(from, join(place.path, "to")), MlcliError, "is not UTF-8");
    });
  }
});
