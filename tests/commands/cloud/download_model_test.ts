import { assert, assertEquals, assertMatch } from "@std/assert";
import { dirname, join } from "@std/path";
import { completeApp, type TestApp } from "../../helpers/app.ts";
import { Box } from "../../helpers/box/box.ts";
import { Refused } from "../../helpers/box/service.ts";
import { filesBelow } from "../../helpers/directory.ts";
import { fakeContainers } from "../../helpers/fake_containers.ts";
import { type InProcessOptions, Keys, runInProcess } from "../../helpers/in_process.ts";
import type { ProgramResult } from "../../helpers/program.ts";
import { replaced } from "../../helpers/replaced.ts";
import { assertSameBytes } from "../../helpers/same_bytes.ts";
import { keptModels, runsOf } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";
import { type RawEntry, tarGz } from "../../helpers/tar.ts";

const BUCKET = "data-bucket";
const KEY = "churn/output/job/output/model.tar.gz";
const URI = `s3://${BUCKET}/${KEY}`;

/** A platform with a model, and an app here with an earlier one. */
interface Place extends AsyncDisposable {
  readonly box: Box;
  readonly app: TestApp;
  download(args: readonly string[], options?: Partial<InProcessOptions>): Promise<ProgramResult>;
  /** Files of the app's model, and what else lies in its directories of tests. */
  look(): Promise<{ readonly model: Record<string, string>; readonly others: readonly string[] }>;
}

const MODEL: readonly RawEntry[] = [
  { name: "./", type: "5" },
  { name: "./weights.bin", content: "new" },
  { name: "./code/", type: "5" },
  { name: "./code/inference.py", content: "print()" },
];

async function place(entries: readonly RawEntry[] | Uint8Array = MODEL): Promise<Place> {
  const box = await Box.open();
  const app = await completeApp({ files: { "local_test/test_dir/model/.gitkeep": "" } });
  await app.write(app.testPath("model/m"), "old");
  box.s3.createBucket(BUCKET);
  await box.s3.put(
    BUCKET,
    KEY,
    entries instanceof Uint8Array ? entries : await tarGz(entries as readonly RawEntry[]),
  );
  return {
    box,
    app,
    download: (args, options) =>
      runInProcess(["download-model", ...args], {
        cwd: app.directory,
        cloud: box.env(),
        ...options,
      }),
    async look() {
      const names = async (path: string) =>
        (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name);
      const others = [
        ...await names(app.testPath("..")),
        ...await names(app.testPath()),
        ...await runsOf(app),
        ...await keptModels(app),
      ].filter((name) => !["test_dir", "input", "model", "jobs"].includes(name)).sort();
      return { model: await filesBelow(app.testPath("model")), others };
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]();
      await box[Symbol.asyncDispose]();
    },
  };
}

const NEW = { ".gitkeep": "", "code/inference.py": "print()", "weights.bin": "new" };
const OLD = { ".gitkeep": "", m: "old" };
/** What a person put there stays. */
const EARLIER = ["KEPT/.gitkeep", "KEPT/m"];

suite("download-model", () => {
  it("puts a job's model in the place of the app's, and prints the directory", async () => {
    await using at = await place();
    await using engine = await fakeContainers({});
    at.box.jobs.add("training", "churn-1").end({ status: "Completed", artifact: URI });
    const { code, stdout, stderr } = await at.download(["churn-1"], { engine });
    assertEquals([code, stdout], [
      0,
      `${at.app.name}/mlcli_base/local_test/test_dir/model\n`,
    ], stderr);
    assertMatch(
      stderr,
      /^Downloaded \d+ bytes from s3:\/\/data-bucket\/churn\/output\/job\/output\/model\.tar/,
    );
    assertEquals(await at.look(), { model: NEW, others: [...EARLIER, "churn-1"] });
    const listed = await runInProcess(["local", "list-jobs"], { cwd: at.app.directory });
    assertMatch(listed.stdout, /^churn-1 +train +Downloaded /);
  });

  it("takes an address, and keeps each version in the directory of its run", async () => {
    await using at = await place();
    assertEquals((await at.download([URI])).code, 0);
    const { model, others } = await at.look();
    assertEquals(model, NEW);
    const [first, ...more] = others.toReversed();
    assertMatch(first!, /^test-[0-9a-f]+-\d{4}(-\d+){6}$/);
    assertEquals(more, EARLIER.toReversed());
    at.box.jobs.add("training", "churn-1").end({ status: "Completed", artifact: URI });
    for (const _ of [1, 2]) assertEquals((await at.download(["churn-1"])).code, 0);
    assertEquals((await runsOf(at.app)).toSorted(), ["churn-1", "churn-1-2", first].toSorted());
    assertEquals((await at.look()).others.filter((name) => name === "RUN/weights.bin").length, 2);
  });

  it("fetches a large archive in ranges of one object, several at once, and joins them", async () => {
    // What cannot be compressed: 20 MiB.
    const content = new Uint8Array(20 * 1024 ** 2);
    for (let start = 0; start < content.length; start += 65_536) {
      crypto.getRandomValues(content.subarray(start, start + 65_536));
    }
    await using at = await place([{ name: "m", content }]);
    const to = join(at.app.directory, "there");
    let open = 0;
    const { promise: two, resolve } = Promise.withResolvers<void>();
    at.box.faults.before = async ({ operation }) => {
      if (operation !== "GetObject") return undefined;
      if (++open === 2) resolve();
      await two;
      return undefined;
    };
    const { code, stdout } = await at.download([URI, "--to", "there"]);
    assertEquals([code, stdout], [0, "there\n"]);
    assertSameBytes(await Deno.readFile(join(to, "m")), content);
    assertEquals(at.box.operations.filter((name) => name === "s3:GetObject").length, 3);
  });

  for (
    const [what, fault] of Object.entries({
      "is throttled": (box: Box) => box.faults.throttle("s3:GetObject", 2),
      "fails": (box: Box) => box.faults.fail("s3:GetObject", 4, 503),
      "loses its answer": (box: Box) => box.faults.loseAnswer("s3:GetObject", 2),
      "closes connections": (box: Box) => box.faults.closeConnections(),
    })
  ) {
    it(`goes on where SageMaker ${what}`, async () => {
      await using at = await place();
      fault(at.box);
      assertEquals((await at.download([URI])).code, 0);
      assertEquals((await at.look()).model, NEW);
    });
  }

  it("takes no mixture where the object changes meanwhile", async () => {
    await using at = await place([{ name: "m", content: new Uint8Array(20 * 1024 ** 2) }]);
    at.box.faults.after = async ({ operation }) => {
      if (operation === "HeadObject") await at.box.s3.put(BUCKET, KEY, "another");
      return undefined;
    };
    const { code, stderr } = await at.download([URI]);
    assertEquals([code, stderr], [
      1,
      `error: ${URI} changed while mlcli used it\nhint: Try again\n`,
    ]);
    assertEquals(await at.look(), { model: OLD, others: [] });
  });
});

suite("download-model --to", () => {
  it("makes the directory, or fills an empty one, and needs no app", async () => {
    await using at = await place();
    await Deno.mkdir(join(at.app.directory, "empty"));
    for (const to of ["new/deep/", "empty", "empty/../other"]) {
      const cwd = at.app.directory;
      const { code } = await at.download([URI, "--to", to], { cwd });
      assertEquals(code, 0);
      const found = await filesBelow(join(cwd, to));
      assertEquals(found, { "code/inference.py": "print()", "weights.bin": "new" });
    }
    assertEquals(await at.look(), { model: OLD, others: [] });
  });

  it("keeps what could not be moved there: the same command again moves the rest", async () => {
    await using at = await place();
    const cwd = at.app.directory;
    await Deno.mkdir(join(cwd, "to"));
    const { rename } = Deno;
    let moved = 0;
    const failing = replaced(Deno, {
      rename: (from: string, to: string) =>
        from.includes("whole") && ++moved === 2
          ? Promise.reject(new Deno.errors.PermissionDenied("Permission denied (os error 13)"))
          : rename(from, to),
    });
    const first = await at.download([URI, "--to", "to"], { cwd });
    failing[Symbol.dispose]();
    assertEquals(first.code, 1);
    assertMatch(first.stderr, /^error: Cannot move the download to to: Permission denied/);
    const [, left] = /^hint: Fix the cause, .* the remaining files from (.*)$/m.exec(
      first.stderr,
    )!;
    assertEquals((await Array.fromAsync(Deno.readDir(left!))).length, 1);
    // As if that process were gone: none has this number.
    await Deno.writeTextFile(join(dirname(left!), "owner"), `4194305 ${Deno.hostname()}`);
    const again = await at.download([URI, "--to", "to"], { cwd });
    assertMatch(
      again.stderr,
      /^error: Directory to is not empty\nhint: Use it: mlcli has just completed an interrupted download/,
    );
    const model = { "code/inference.py": "print()", "weights.bin": "new" };
    assertEquals(await filesBelow(join(cwd, "to")), model);
  });

  it("overwrites nothing", async () => {
    await using at = await place();
    await at.app.write(join(at.app.directory, "full/x"), "mine");
    await at.app.write(join(at.app.directory, "file"), "mine");
    for (
      const [to, words] of [
        ["full", "error: Directory full is not empty\n"],
        ["file", "error: file is not a directory\n"],
      ] as const
    ) {
      const { code, stdout, stderr } = await at.download([URI, "--to", to]);
      assertEquals([code, stdout], [1, ""]);
      assert(stderr.startsWith(words), stderr);
      assertEquals(at.box.requests, []);
    }
  });
});

suite("download-model refuses", () => {
  for (
    const [what, typed, words] of [
      [
        "what is no job's name",
        "a_b",
        /^error: Expected a job name or an S3 URI but got "a_b"\n/,
      ],
      ["a bucket", `s3://${BUCKET}`, /^error: Expected a model archive but got a directory: /],
      [
        "a directory",
        `s3://${BUCKET}/churn/`,
        /^error: Expected a model archive but got a directory: /,
      ],
    ] as const
  ) {
    it(`${what}: a wrong command line`, async () => {
      await using at = await place();
      const { code, stdout, stderr } = await at.download([typed]);
      assertEquals([code, stdout, at.box.requests], [2, "", []]);
      assertMatch(stderr, words);
    });
  }

  it("a job that is not there", async () => {
    await using at = await place();
    const { code, stderr } = await at.download(["churn-1"]);
    assertEquals([code, stderr.split("\n")[0]], [
      1,
      "error: ResourceNotFound: training job churn-1",
    ]);
  });

  it("a processing job", async () => {
    await using at = await place();
    at.box.jobs.add("processing", "churn-1");
    const { code, stderr } = await at.download(["churn-1"]);
    assertEquals([code, stderr], [
      1,
      "error: churn-1 is a processing job, which has no model\n" +
      "hint: Download its output: mlcli download-output churn-1\n",
    ]);
  });

  it("a job that goes on", async () => {
    await using at = await place();
    at.box.jobs.script("churn-1", [{ status: "Training" }]);
    at.box.jobs.add("training", "churn-1");
    const { code, stderr } = await at.download(["churn-1"]);
    assertEquals([code, stderr], [
      1,
      "error: Job churn-1 has no model yet (InProgress)\n" +
      "hint: Wait for the job: mlcli wait churn-1\n",
    ]);
  });

  it("a job that left none", async () => {
    await using at = await place();
    const reason = "AlgorithmError: no data, exit code: 1";
    at.box.jobs.add("training", "churn-1").end({ status: "Failed", reason });
    const { code, stderr } = await at.download(["churn-1"]);
    assertEquals([code, stderr], [
      1,
      "error: Job churn-1 has no model (Failed)\n" +
      "  AlgorithmError: no data, exit code: 1\n" +
      "hint: See its log: mlcli logs churn-1\n",
    ]);
  });

  for (
    const [what, entries, words] of [
      [
        "no archive",
        new TextEncoder().encode("not an archive"),
        /the file is not compressed with gzip/,
      ],
      ["an archive that leads out", [{ name: "../x", content: "x" }], /points outside the archive/],
      [
        "an archive with a link out",
        [{ name: "m", type: "2", link: "/etc/passwd" }],
        /might be outside the archive/,
      ],
      ["an empty archive", [{ name: "./", type: "5" }], /The archive contains no files: s3:/],
    ] as const
  ) {
    it(`${what}: the earlier model stays`, async () => {
      await using at = await place(entries);
      const { code, stdout, stderr } = await at.download([URI]);
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, words);
      assertEquals(await at.look(), { model: OLD, others: [] });
    });
  }

  it("an object that is not there, or may not be read", async () => {
    await using at = await place();
    const missing = await at.download([`s3://${BUCKET}/nothing.tar.gz`]);
    assertMatch(missing.stderr, /^error: ResourceNotFound: s3:\/\/data-bucket\/nothing\.tar\.gz\n/);
    at.box.faults.deny("s3:GetObject");
    const denied = await at.download([URI]);
    assertEquals([missing.code, denied.code], [1, 1]);
    assertMatch(denied.stderr, /^error: AccessDeniedException: s3:GetObject\n/);
    assertEquals(await at.look(), { model: OLD, others: [] });
  });

  it("a directory without an app's layout", async () => {
    await using at = await place();
    await Deno.remove(at.app.testPath(), { recursive: true });
    const { code, stderr } = await at.download([URI]);
    assertEquals([code, at.box.requests], [1, []]);
    assertMatch(stderr, /^error: Not a valid mlcli directory: /);
  });

  it("a model directory that a link leads out of the repository", async () => {
    await using at = await place();
    await Deno.remove(at.app.testPath("model"), { recursive: true });
    await Deno.symlink("/tmp", at.app.testPath("model"));
    const { code, stderr } = await at.download([URI]);
    assertEquals([code, at.box.requests], [1, []]);
    assertMatch(stderr, /test_dir\/model points outside /);
  });
});

suite("download-model, interrupted", () => {
  for (const operation of ["HeadObject", "GetObject"]) {
    for (const moment of ["before", "after"] as const) {
      for (const to of [undefined, "there"]) {
        it(`${moment} ${operation}${to ? " --to" : ""}: nothing changed`, async () => {
          await using at = await place();
          const keys = new Keys();
          at.box.faults[moment] = (request) => {
            if (request.operation === operation && !keys.interruption.signal.aborted) keys.press();
            return undefined;
          };
          const args = to ? [URI, "--to", to] : [URI];
          const { code, stdout, stderr } = await at.download(args, { keys });
          assertEquals([code, stdout, stderr], [130, "", ""]);
          assertEquals(await at.look(), { model: OLD, others: [] });
          const entries = await Array.fromAsync(Deno.readDir(at.app.directory));
          assertEquals(entries.some(({ name }) => /there|download/.test(name)), false);
        });
      }
    }
  }

  it("by a kill: the next one removes what is left", async () => {
    await using at = await place();
    const run = at.app.path("local_test/jobs/churn-0");
    await Deno.mkdir(join(run, "download"), { recursive: true });
    // No process has this number.
    await Deno.writeTextFile(join(run, "owner"), `4194305 ${Deno.hostname()}`);
    await using engine = await fakeContainers({});
    assertEquals((await at.download([URI], { engine })).code, 0);
    assertEquals((await at.look()).model, NEW);
    assertEquals((await runsOf(at.app)).includes("churn-0"), false);
  });

  it("by a kill between its two renames: the next command finishes it", async () => {
    await using at = await place();
    const jobs = at.app.path("local_test/jobs");
    await at.app.write(join(jobs, "churn-0/model/weights.bin"), "first");
    await at.app.write(join(jobs, "churn-0/model/.gitkeep"), "");
    await Deno.mkdir(join(jobs, "kept"));
    await Deno.rename(at.app.testPath("model"), join(jobs, "kept/model"));
    await at.app.write(join(jobs, ".current.json"), JSON.stringify({ next: "churn-0" }));
    at.box.faults.refuse("s3:GetObject", new Refused("InvalidRequest", "No."));
    const { code } = await at.download([URI]);
    assertEquals(code, 1);
    assertEquals((await at.look()).model, { ".gitkeep": "", "weights.bin": "first" });
  });
});
