import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import { makeApp, type TestApp } from "../../helpers/app.ts";
import { contentOf, makeDirectory } from "../../helpers/directory.ts";
import { runInProcess } from "../../helpers/in_process.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What a dry run says; there is no engine. */
async function dry(app: TestApp, ...args: readonly string[]) {
  const before = await contentOf(app.directory);
  const env = { DOCKER_HOST: "unix:///nowhere.sock" };
  const command = ["local", "transform", "--dry-run", ...args];
  const result = await runInProcess(command, { cwd: app.directory, env });
  assertEquals(await contentOf(app.directory), before);
  return { ...result, planned: result.stdout === "" ? undefined : JSON.parse(result.stdout) };
}

function appWith(
  files: Readonly<Record<string, string>>,
  transform?: Readonly<Record<string, unknown>>,
): Promise<TestApp> {
  return makeApp({
    configuration: transform && { transform },
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`../../${name}`, text])),
  });
}

suite("local transform --dry-run", () => {
  it("tells the requests by SageMaker's defaults, without an engine", async () => {
    await using app = await appWith({ "data/a.csv": "1,2\n3,4\n", "data/sub/b.csv": "5,6\n" });
    const { planned, stderr } = await dry(app, "-i", "data");
    assertEquals(stderr, "");
    assertEquals(planned, {
      input: "data",
      content_type: "text/csv",
      accept: "text/csv",
      split: "line",
      assemble: "line",
      strategy: "multi",
      max_payload: 6,
      max_concurrency: 1,
      requests: 2,
      files: [
        { name: "a.csv", records: 2, requests: 1, smallest: 8, largest: 8, failure: null },
        { name: "sub/b.csv", records: 1, requests: 1, smallest: 4, largest: 4, failure: null },
      ],
    });
  });

  it("local transform reads the file of its argument like that of -i", async () => {
    await using app = await appWith({ "a.csv": "1,2\n3,4\n" });
    const { planned, stderr } = await dry(app, "a.csv");
    assertEquals({ stderr, input: planned.input }, { stderr: "", input: "a.csv" });
    assertEquals(planned, (await dry(app, "-i", "a.csv")).planned);
  });

  it("tells them by the options, and by the app's file below them", async () => {
    const of = { strategy: "single", max_payload: 2, accept: "application/json" };
    await using app = await appWith({ "a.csv": "1,2\n3,4\n" }, of);
    const { planned } = await dry(app, "-i", "a.csv", "--max-payload", "1");
    const { strategy, accept, max_payload, files: [file] } = planned;
    assertEquals([strategy, accept, max_payload], ["single", "application/json", 1]);
    assertEquals([file.requests, file.smallest, file.largest], [2, 4, 4]);
  });

  it("names files that would have no result, and what is odd about others", async () => {
    const long = "x".repeat(1024 ** 2);
    await using app = await appWith({
      "data/a.csv": `1\n${long}\n`,
      "data/b.csv": "id,x\n1,2\n\n",
    });
    const { planned, stderr, code } = await dry(app, "-i", "data", "--max-payload", "1");
    assertEquals(code, 1);
    assertEquals(
      planned.files[0].failure,
      "Record 2 is larger than 1 MB, the limit for a request",
    );
    assertEquals(planned.files[1].failure, null);
    assertEquals(
      stderr,
      "warning: data/b.csv, line 1 looks like a header row, but is sent as a record\n" +
        "hint: Remove it: tail -n +2 FILE > NEW_FILE\n" +
        "warning: data/b.csv, line 3 is empty, but is sent as a record\n" +
        "hint: Remove it: grep . FILE > NEW_FILE\n" +
        "error: The batch transform would fail for a.csv\n",
    );
  });

  it("counts what is in compressed files", async () => {
    await using app = await appWith({});
    await app.write(`${app.directory}/a.csv.gz`, gzipSync("1\n2\n"));
    const packed = await dry(app, "-i", "a.csv.gz", "--content-type", "text/csv");
    assertStringIncludes(packed.stderr, "add --compression gzip");
    const { planned, stderr } = await dry(app, "-i", "a.csv.gz", "--compression", "gzip");
    assertEquals([planned.content_type, planned.files[0].records, stderr], ["text/csv", 2, ""]);
  });

  it("follows links, warns of files that are not data, and leaves out hidden files", async () => {
    await using app = await appWith({
      "data/a.csv": "1\n",
      "data/a.csv.out": "1\n",
      "data/model.tar.gz": "",
      "data/.env": "x",
    });
    await Deno.symlink("a.csv", `${app.directory}/data/link.csv`);
    const { planned, stderr } = await dry(app, "-i", "data", "--content-type", "text/csv");
    const names = planned.files.map(({ name }: { name: string }) => name);
    assertEquals(names, ["a.csv", "a.csv.out", "link.csv", "model.tar.gz"]);
    assertMatch(stderr, /^warning: data\/model\.tar\.gz looks like an archive/m);
    assertMatch(stderr, /^warning: data\/a\.csv\.out looks like the output of a batch transform/m);
    assertMatch(stderr, /^warning: data\/\.env is skipped/m);
  });

  it("leaves out junk, and notes how much", async () => {
    await using app = await appWith({
      "data/a.csv": "1\n",
      "data/._a.csv": "x",
      "data/thumbs.db": "x",
      "data/x/__MACOSX/a.csv": "x",
      "junk/._a.csv": "x",
    });
    const { planned, stderr } = await dry(app, "-i", "data");
    assertEquals(planned.files.map(({ name }: { name: string }) => name), ["a.csv"]);
    const leave = "that operating systems and notebooks create";
    assertEquals(
      stderr,
      `note: Skipped 3 files ${leave}: data/._a.csv, data/thumbs.db, data/x/__MACOSX\n`,
    );
    const alone = await dry(app, "-i", "junk");
    assertEquals([alone.code, alone.stderr], [
      1,
      "error: No files to transform in junk\n" +
      `hint: Skipped 1 file ${leave}: junk/._a.csv. To transform one of them: --input FILE\n`,
    ]);
    const named = await dry(app, "-i", "data/._a.csv");
    assertEquals([named.planned.requests, named.stderr], [1, ""]);
  });

  it("names the record that a filter does not fit, and what is passed on as a whole", async () => {
    await using app = await appWith({ "a.csv": "1,2,3\n4,5\n6\n" });
    const filtered = await dry(app, "-i", "a.csv", "--input-filter", "$[1:]");
    assertEquals(filtered.planned.files[0].failure, "record 3: it has no element 1 (length 1)");
    const { planned: { files: [file] } } = await dry(app, "-i", "a.csv", "--max-payload", "0");
    assertEquals([file.records, file.requests, file.largest], [3, 1, 12]);
  });

  it("reports a wrong command line before it looks for an app", async () => {
    await using directory = await makeDirectory();
    const { code, stderr } = await runInProcess(["local", "transform"], { cwd: directory.path });
    assertEquals(code, 2);
    assertMatch(stderr, /^error: Missing argument: PATH/);
  });

  const refusals: readonly (readonly [args: readonly string[], code: number, words: RegExp])[] = [
    [[], 2, /Missing argument: PATH/],
    [["a.csv", "-i", "a.csv"], 2, /Argument "PATH" and option "--input" cannot be used together/],
    [["secret.csv"], 1, /points outside/],
    [["-i", "none"], 1, /Cannot read none: No such file or directory/],
    [["-i", "empty"], 1, /No files to transform in empty/],
    [
      ["-i", "mixed"],
      1,
      /one content type but got text\/csv \(a\.csv\) and application\/json \(b\.json\)/,
    ],
    [
      ["-i", "a.csv", "--strategy", "single", "--split", "none"],
      2,
      /requires data that is split into records/,
    ],
    [["-i", "a.csv", "--max-payload", "101"], 2, /0 to 100/],
    [["-i", "a.csv", "--input-filter", "$.a_b"], 2, /"_"/],
    [["-i", "a.csv", "--split", "lines"], 2, /must be .*line/],
    [["-i", "/dev/null"], 1, /neither a file nor a directory/],
    [["-i", "s3://bucket/a.csv"], 1, /To transform data in S3, run mlcli transform/],
    [["-i", "a.csv", "--input-filter", "$[1:]"], 1, /would fail for a\.csv/],
    [["-i", "secret.csv"], 1, /points outside/],
  ];
  for (const [args, expected, words] of refusals) {
    it(`refuses ${args.join(" ") || "nothing"}`, async () => {
      await using elsewhere = await makeApp();
      await using app = await appWith({
        "a.csv": "1\n",
        "mixed/a.csv": "",
        "mixed/b.json": "",
        "empty/.keep": "",
        ".git/HEAD": "",
      });
      const target = `${elsewhere.directory}/${elsewhere.name}.json`;
      await Deno.symlink(target, `${app.directory}/secret.csv`);
      const { code, stderr } = await dry(app, ...args);
      assertEquals(code, expected, stderr);
      assertMatch(stderr, words);
    });
  }
});
