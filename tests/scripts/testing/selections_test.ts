import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import {
  ON_BINARY,
  ON_DOCKER29,
  ON_OTHER_ENGINES,
  ON_PODMAN,
  pathsOf,
} from "../../../scripts/testing/selections.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What a test calls that runs the program under test, or its path. */
const RUNS_PROGRAM =
  /helpers\/(program|app|cloud|terminal|other_user|server|hostile_directory)\.ts"|MLCLI_UNDER_TEST/;

suite("the tests that run once more", () => {
  for (
    const [where, selection] of Object.entries({
      ON_BINARY,
      ON_PODMAN,
      ON_DOCKER29,
      ON_OTHER_ENGINES,
    })
  ) {
    it(`${where} names files that are there and run the program, each once`, async () => {
      const paths = await pathsOf(selection);
      assertEquals(new Set(paths).size, paths.length);
      const others = paths.filter((path) => !RUNS_PROGRAM.test(Deno.readTextFileSync(path)));
      assertEquals(others, []);
    });
  }

  it("a file that is not there is an error, not one test less", async () => {
    const error = await assertRejects(
      () => pathsOf([{ path: "tests/e2e/no_such_test.ts", reason: "" }]),
      MlcliError,
    );
    assertEquals(error.message, "There is no test file tests/e2e/no_such_test.ts");
  });

  it("a directory is no file: what is in it would run, whatever it is", async () => {
    const error = await assertRejects(
      () => pathsOf([{ path: "tests/e2e", reason: "" }]),
      MlcliError,
    );
    assertEquals(error.message, "There is no test file tests/e2e");
  });
});
