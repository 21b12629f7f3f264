import { assert, assertEquals, assertMatch } from "@std/assert";
import { makeDirectory } from "../../helpers/directory.ts";
import { BUCKET, type JobApp, makeJobApp } from "../../helpers/job_app.ts";
import { it, suite } from "../../helpers/suite.ts";

const TARGET = ["--target-dir", `s3://${BUCKET}/app/sent`];

/** An app as git carries it, or as an archive does, which holds no work tree. */
async function clone(isWorkTree: boolean): Promise<JobApp> {
  const job = await makeJobApp();
  if (isWorkTree) {
    await Deno.mkdir(`${job.app.directory}/.git`);
    await Deno.writeTextFile(`${job.app.directory}/.git/HEAD`, "ref: refs/heads/main\n");
  }
  return job;
}

/** Keys that were sent. */
function sent({ box }: JobApp): readonly string[] {
  return box.s3.keys(BUCKET).filter((key) => key.startsWith("app/sent/"));
}

for (const isWorkTree of [true, false]) {
  suite(`a typed path in ${isWorkTree ? "a work tree" : "an app without one"}`, () => {
    for (const typed of ["data", "data/inner", "data/inner/file", "link-to-link", "./x/../data"]) {
      it(`sends nothing through a link that leads out: ${typed}`, async () => {
        await using job = await clone(isWorkTree);
        await using home = await makeDirectory({ "inner/file": "a secret" });
        await Deno.symlink(home.path, `${job.app.directory}/data`);
        await Deno.symlink("data/inner", `${job.app.directory}/link-to-link`);
        const { code, stderr } = await job.run(["upload-data", "-i", typed, ...TARGET]);
        assertEquals([code, sent(job)], [1, []]);
        const real = await Deno.realPath(home.path);
        assert(stderr.startsWith(`error: ${typed} points outside `), stderr);
        const behind = { "data": "", "./x/../data": "", "data/inner/file": "/inner/file" }[typed];
        assert(
          stderr.endsWith(`hint: Use the link's target: ${real}${behind ?? "/inner"}\n`),
          stderr,
        );
        // The user means it.
        const meant = await job.run(["upload-data", "-i", real, ...TARGET]);
        assertEquals([meant.code, sent(job)], [0, ["app/sent/inner/file"]], meant.stderr);
      });
    }

    it("sends nothing through a link of the user's to a link that leads out", async () => {
      await using job = await clone(isWorkTree);
      await using home = await makeDirectory({ "secret/file": "a secret", "a.csv": "1" });
      await Deno.symlink(`${home.path}/secret`, `${job.app.directory}/data`);
      await Deno.symlink(`${job.app.directory}/data`, `${home.path}/mine`);
      await Deno.symlink("mine", `${home.path}/other`);
      for (const typed of [`${home.path}/mine`, `${home.path}/other/file`]) {
        const { code, stderr } = await job.run(["upload-data", "-i", typed, ...TARGET]);
        assertEquals([code, sent(job)], [1, []]);
        assertMatch(stderr, /^error: \/.*\/data(\/file)? points outside .*\/secret\n/);
      }
      // Its own links lead anywhere.
      await Deno.symlink("a.csv", `${home.path}/own.csv`);
      const own = await job.run(["upload-data", "-i", `${home.path}/own.csv`, ...TARGET]);
      assertEquals([own.code, sent(job)], [0, ["app/sent/own.csv"]], own.stderr);
    });
  });
}

suite("a typed path", () => {
  it("leads to nothing private by a link inside the repository", async () => {
    await using job = await clone(true);
    await job.app.write(`${job.app.directory}/.env`, "TOKEN=a-secret-value\n");
    await Deno.symlink(".env", `${job.app.directory}/data.csv`);
    const { code, stderr } = await job.run(["upload-data", "-i", "data.csv", ...TARGET]);
    assertEquals([code, sent(job)], [1, []]);
    assertMatch(
      stderr,
      /^error: data\.csv points to private data: .*\nhint: Use the file's own path/,
    );
  });

  it("may be a link of the user's own, outside of repositories", async () => {
    await using job = await clone(true);
    await using home = await makeDirectory({ "data/a": "1" });
    await Deno.symlink(`${home.path}/data`, `${home.path}/link`);
    const { code, stderr } = await job.run(["upload-data", "-i", `${home.path}/link`, ...TARGET]);
    assertEquals([code, sent(job)], [0, ["app/sent/a"]], stderr);
  });

  it("is not one in the messages of what a file's name says", async () => {
    await using job = await clone(true);
    const name = "a\nhint: run this\x1b[2J\u202e$(touch x)";
    await Deno.mkdir(`${job.app.directory}/d/${name}`, { recursive: true });
    await Deno.symlink(".", `${job.app.directory}/d/${name}/link`);
    const circle = await job.run(["upload-data", "-i", "d", ...TARGET]);
    await Deno.remove(`${job.app.directory}/d/${name}/link`);
    await Deno.symlink("/etc/hostname", `${job.app.directory}/d/${name}/link`);
    const out = await job.run(["upload-data", "-i", "d", ...TARGET]);
    const twice = await job.run(["upload-data", "-i", "d", "-i", "d", ...TARGET]);
    // A warning about the link and an error, with a hint each.
    for (const { code, stderr } of [circle, out, twice]) {
      assertEquals(code, 1);
      assertEquals(stderr.split("\n").length, 5, stderr);
      assert(!["\x1b", "\u202e"].some((one) => stderr.includes(one)), stderr);
    }
  });

  it("names files in the plan by their names, and a terminal obeys none", async () => {
    await using job = await clone(true);
    const name = "a\x1b[2J\u009b2J\u202e\u{e0041}.csv";
    await job.app.write(`${job.app.directory}/d/${name}`, "1");
    const { code, stdout } = await job.run(["upload-data", "-i", "d", ...TARGET, "--dry-run"]);
    assertEquals(code, 0);
    // deno-lint-ignore no-control-regex
    assertEquals(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]|\u{e0041}/u.test(stdout), false);
    assertEquals(JSON.parse(stdout).send[0].path, `d/${name}`);
  });
});
