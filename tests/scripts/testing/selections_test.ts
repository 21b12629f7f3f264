import { assert, assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import {
  isIn,
  ON_BINARY,
  ON_DOCKER29,
  ON_OTHER_ENGINES,
  ON_PODMAN,
  ONLY_ALL,
  pathsOf,
} from "../../../scripts/testing/selections.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What a test calls that runs the program under test, or its path. */
const RUNS_PROGRAM =
  /helpers\/(program|app|cloud|terminal|other_user|server|hostile_directory)\.ts"|MLCLI_UNDER_TEST/;

suite("the tests that run elsewhere", () => {
  const selections = { ON_BINARY, ON_PODMAN, ON_DOCKER29, ON_OTHER_ENGINES };
  for (const [where, selection] of Object.entries(selections)) {
    it(`${where} names files that are there and run the program, each once`, async () => {
      const paths = await pathsOf(selection);
      assertEquals(new Set(paths).size, paths.length);
      const others = paths.filter((path) => !RUNS_PROGRAM.test(Deno.readTextFileSync(path)));
      assertEquals(others, []);
    });
  }

  it("ONLY_ALL names tests that exist", async () => {
    for (const path of Object.keys(ONLY_ALL)) await Deno.stat(path);
  });

  it("a directory contains its files", () => {
    const selection = ["tests/page", "tests/main_test.ts"];
    assertEquals(isIn("tests/page/whole/size_test.ts", selection), true);
    assertEquals(isIn("tests/main_test.ts", selection), true);
    assertEquals(isIn("tests/page_test.ts", selection), false);
  });

  it("ON_BINARY has 15 files at most", () => {
    assert(Object.keys(ON_BINARY).length <= 15);
  });

  for (const path of ["tests/e2e/no_such_test.ts", "tests/e2e"]) {
    it(`pathsOf refuses ${path}, which is not a file`, async () => {
      const error = await assertRejects(() => pathsOf({ [path]: "" }), MlcliError);
      assertEquals(error.message, `There is no test file ${path}`);
    });
  }
});
