import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../../../runtime/errors.ts";
import { idOf } from "../../../../runtime/files.ts";
import { versionOf } from "../../../../runtime/model/version_of.ts";
import { appObject } from "../../../helpers/app_object.ts";
import { makeDirectory } from "../../../helpers/directory.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** The record of a run of this day that has ended so. */
function record(day: number, status: string): string {
  const outcome = { status, exit_status: null, reason: null };
  return JSON.stringify({ kind: "train", started: `2026-03-0${day}T00:00:00Z`, outcome });
}

const JOBS = "demo/mlcli_base/local_test/jobs";

async function layoutWithRuns(files: Readonly<Record<string, string>>) {
  const directory = await makeDirectory({
    "demo/mlcli_base/local_test/test_dir/model/m": "current",
    [`${JOBS}/one/job.json`]: record(1, "Completed"),
    [`${JOBS}/one/model/m`]: "1",
    [`${JOBS}/two/job.json`]: record(2, "Downloaded"),
    [`${JOBS}/two/model/m`]: "2",
    [`${JOBS}/three/job.json`]: record(3, "Failed"),
    [`${JOBS}/three/model/m`]: "3",
    [`${JOBS}/four/job.json`]: record(4, "Completed"),
    [`${JOBS}/four/model/.gitkeep`]: "",
    [`${JOBS}/kept-2026/model/m`]: "kept",
    ...files,
  });
  return { directory, layout: appObject(directory.path, "demo").paths };
}

suite("the version that --run names", () => {
  const rows = [
    ["one", "jobs/one/model"],
    ["three", "jobs/three/model"],
    ["kept-2026", "jobs/kept-2026/model"],
    ["last", "jobs/two/model"],
    // Its place in the list of runs, the newest first.
    ["2", "jobs/three/model"],
  ] as const;
  for (const [typed, model] of rows) {
    it(`is ${model} for ${typed}`, async () => {
      const { directory, layout } = await layoutWithRuns({});
      await using _ = directory;
      const version = await versionOf(layout, typed);
      assertEquals(version.model, join(layout.localTest, model));
      assertEquals(version.run, model.split("/")[1]);
    });
  }

  it("is the current one for its run, and for last where that is the newest", async () => {
    const { directory, layout } = await layoutWithRuns({});
    await using _ = directory;
    const current = { of: "four", id: await idOf(layout.model) };
    await directory.write({ [`${JOBS}/.current.json`]: JSON.stringify(current) });
    for (const typed of ["four", "last"]) {
      assertEquals(await versionOf(layout, typed), { run: "four", model: layout.model });
    }
  });

  it("is refused for a run without a model, for a link, and for a path that leads out", async () => {
    const { directory, layout } = await layoutWithRuns({ "elsewhere/m": "" });
    await using _ = directory;
    await Deno.mkdir(join(layout.jobs, "linked"));
    await Deno.symlink(join(directory.path, "elsewhere"), join(layout.jobs, "linked/model"));
    await Deno.symlink(join(directory.path, "elsewhere"), join(layout.jobs, "link"));
    const choose = "Choose a run that has a model: three (failed), two, one";
    const removed = / has no model: the run wrote none, or mlcli removed it to save space$/;
    const refused = [
      ...["four", "1", "linked"].map((typed) => [typed, removed] as const),
      ...["5", "five", "link", "../test_dir", ".", ""].map((typed) =>
        [typed, /^Run ".*" does not exist$/] as const
      ),
    ] as const;
    for (const [typed, message] of refused) {
      const error = await assertRejects(() => versionOf(layout, typed), MlcliError);
      assertMatch(error.message, message);
      assertEquals(error.hint, choose, typed);
    }
    await Deno.remove(layout.jobs, { recursive: true });
    await assertRejects(
      () => versionOf(layout, "last"),
      MlcliError,
      "No successful run has a model",
    );
  });
});
