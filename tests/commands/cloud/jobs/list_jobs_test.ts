import { assertEquals, assertMatch } from "@std/assert";
import { jsonAnswer } from "../../../helpers/box/answers.ts";
import { Box } from "../../../helpers/box/box.ts";
import { Refused } from "../../../helpers/box/service.ts";
import { runCloudInProcess } from "../../../helpers/in_process.ts";
import { it, suite } from "../../../helpers/suite.ts";

function run(box: Box, ...args: readonly string[]) {
  return runCloudInProcess(box, ["list-jobs", ...args]);
}

/** Names on the lines of the output. */
function names(stdout: string): string[] {
  return stdout.split("\n").slice(0, -1).map((line) => line.split("  ")[0]!);
}

/** What was asked for: `Training 20`, the kind and the page's size. */
function lists(box: Box): string[] {
  return box.requests.map(({ operation, input }) =>
    `${/Training|Processing|Transform/.exec(operation)![0]} ${input.MaxResults}`
  );
}

suite("mlcli list-jobs", () => {
  it("prints name, status and creation time of all kinds, newest first", async () => {
    await using box = await Box.open();
    box.jobs.add("training", "a");
    box.jobs.add("processing", "b").end({ status: "Failed" });
    box.jobs.add("training", "c").stopping();
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, stderr], [0, ""]);
    const time = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{6}[+-]\\d\\d:\\d\\d";
    assertMatch(
      stdout,
      new RegExp(`^c  Stopping  ${time}\nb  Failed  ${time}\na  InProgress  ${time}\n$`),
    );
  });

  it("prints 20, and asks for no more", async () => {
    await using box = await Box.open();
    for (let index = 0; index < 60; index++) {
      const kind = index % 4 === 0 ? "processing" : index % 4 === 1 ? "transform" : "training";
      box.jobs.add(kind, `j${index}`);
    }
    const { stdout } = await run(box);
    assertEquals(names(stdout), Array.from({ length: 20 }, (_, index) => `j${59 - index}`));
    assertEquals(lists(box), ["Training 20", "Processing 20", "Transform 20"]);
  });

  it("sorts what an emulator does not", async () => {
    await using box = await Box.open();
    for (const name of ["a", "b", "c"]) box.jobs.add("training", name);
    box.jobs.add("processing", "d");
    box.faults.after = async ({ operation }, answer) => {
      if (operation !== "ListTrainingJobs") return undefined;
      const { TrainingJobSummaries: [c, b, a] } = await answer.json();
      return jsonAnswer({ TrainingJobSummaries: [b, a, c] });
    };
    assertEquals(names((await run(box)).stdout), ["d", "c", "b", "a"]);
  });

  it("asks for further pages where --limit wants them, of the kind that has them", async () => {
    await using box = await Box.open();
    box.jobs.add("processing", "p");
    for (let index = 0; index < 250; index++) box.jobs.add("training", `t${index}`);
    assertEquals(names((await run(box, "--limit", "150")).stdout).length, 150);
    assertEquals(lists(box), ["Training 100", "Processing 100", "Transform 100", "Training 100"]);
    const all = await run(box, "--limit", "1000");
    assertEquals(names(all.stdout).length, 251);
    assertEquals(names(all.stdout).at(-1), "p");
    const wrong = await run(box, "--limit", "0");
    assertEquals(wrong.code, 2);
    assertMatch(
      wrong.stderr,
      /^error: Option "--limit" must be a whole number, 1 or more, but got "0"\n/,
    );
  });

  it("lists those of a kind, a status, a name", async () => {
    await using box = await Box.open();
    for (let index = 0; index < 130; index++) box.jobs.add("training", `t${index}`);
    box.jobs.find("training", "t0")!.end({ status: "Failed" });
    box.jobs.add("processing", "p1");
    assertEquals(names((await run(box, "--kind", "process")).stdout), ["p1"]);
    assertEquals(lists(box), ["Processing 20"]);
    // Trainings are filtered after the page was cut: the first pages are empty.
    assertEquals(names((await run(box, "--status", "Failed")).stdout), ["t0"]);
    assertEquals(names((await run(box, "--name-contains", "t12")).stdout).at(-1), "t12");
    assertEquals(names((await run(box, "--name-contains", "T12", "--limit", "1")).stdout), [
      "t129",
    ]);
    assertEquals(names((await run(box, "--status", "failed", "--kind", "Train")).stdout), ["t0"]);
    const wrong = await run(box, "--status", "Done");
    assertEquals(wrong.code, 2);
    assertMatch(
      wrong.stderr,
      /^error: Option "--status" must be .*Completed.*, but got "Done"\n/,
    );
    const never = await run(box, "--name-contains", "a_b");
    assertEquals(never.code, 2);
    assertMatch(never.stderr, /^error: No job name can contain "a_b"\n/);
  });

  it("is one JSON array for another program", async () => {
    await using box = await Box.open();
    assertEquals((await run(box, "--output", "json")).stdout, "[]\n");
    box.jobs.add("training", "a");
    box.jobs.add("processing", "b").end({ status: "Failed", reason: "no\x1b[2J" });
    const listed = JSON.parse((await run(box, "--output", "json")).stdout);
    assertEquals(
      listed.map(({ created: _, ended: __, ...rest }: Record<string, string>) => rest),
      [
        { name: "b", kind: "process", status: "Failed", reason: "no\x1b[2J" },
        { name: "a", kind: "train", status: "InProgress", reason: null },
      ],
    );
    assertMatch(listed[0].created, /^\d{4}-\d\d-\d\dT/);
    assertMatch(listed[0].ended, /^\d{4}-\d\d-\d\dT/);
    assertEquals(listed[1].ended, null);
  });

  it("shows on a terminal what came before a page that is refused", async () => {
    await using box = await Box.open();
    for (let index = 0; index < 101; index++) box.jobs.add("training", `t${index}`);
    box.faults.before = ({ input }) =>
      input.NextToken === undefined ? undefined : new Response("oh no", { status: 500 });
    const { code, stdout } = await runCloudInProcess(
      box,
      ["list-jobs", "--kind", "train", "--limit", "101"],
      { isTerminal: true, env: { AWS_MAX_ATTEMPTS: "1" } },
    );
    assertEquals([code, stdout.split("\n").length - 1], [1, 1 + 100]);
  });

  it("has headings, kinds and ages on a terminal, and cuts long names where that is narrow", async () => {
    await using box = await Box.open();
    box.jobs.add("training", "churn");
    box.jobs.add("processing", "b").end({ status: "Failed" });
    const { stdout } = await runCloudInProcess(box, ["list-jobs"], { isTerminal: true });
    assertMatch(
      stdout,
      /^NAME {3}KIND {5}STATUS {6}AGE\nb {6}process {2}Failed {6}\ds\nchurn {2}train {4}InProgress {2}\ds\n$/,
    );
    box.jobs.add("training", "churn-2026-03-01-09-30");
    const options = { isTerminal: true, columns: 40 };
    const narrow = await runCloudInProcess(box, ["list-jobs", "--kind", "train"], options);
    assertMatch(
      narrow.stdout,
      /^NAME .*\nchurn-2026-03-0… {2}train {2}InProgress {2}\ds\nchurn {13}train .*\n$/,
    );
  });

  it("lists the other kind where one may not be listed, with a note", async () => {
    await using box = await Box.open();
    box.jobs.add("training", "a");
    box.jobs.add("processing", "b");
    box.faults.deny("sagemaker:ListProcessingJobs");
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, names(stdout)], [0, ["a"]]);
    assertMatch(
      stderr,
      /^note: Cannot list processing jobs: AccessDeniedException: sagemaker:ListProcessingJobs\. Add the/,
    );
    const asked = await run(box, "--kind", "process");
    assertEquals([asked.code, asked.stdout], [1, ""]);
    assertMatch(asked.stderr, /^error: AccessDeniedException: sagemaker:ListProcessingJobs\n/);
    box.faults.deny("sagemaker:ListTransformJobs");
    assertMatch(
      (await run(box)).stderr,
      /\nnote: Cannot list transform jobs: .*:ListTransformJobs\./,
    );
    box.faults.deny("sagemaker:ListTrainingJobs");
    assertEquals((await run(box)).code, 1);
  });

  it("list-jobs fails if SageMaker fails for one kind of jobs", async () => {
    await using box = await Box.open();
    box.jobs.add("training", "a");
    box.faults.refuse(
      "sagemaker:ListTransformJobs",
      new Refused("ValidationException", "Something is wrong"),
    );
    const { code, stdout, stderr } = await run(box);
    assertEquals([code, stdout], [1, ""]);
    assertMatch(stderr, /^error: sagemaker:ListTransformJobs was refused: Something is wrong\n/);
  });

  it("fails where a later page does", async () => {
    await using box = await Box.open();
    for (let index = 0; index < 150; index++) box.jobs.add("training", `t${index}`);
    let count = 0;
    box.faults.before = ({ operation }) => {
      if (operation === "ListTrainingJobs" && ++count === 2) box.faults.deny("sagemaker:List*");
      return undefined;
    };
    const { code, stdout } = await run(box, "--limit", "150");
    assertEquals([code, names(stdout).length], [1, 100]);
    const json = await runCloudInProcess(box, ["list-jobs", "--limit", "150", "--output", "json"]);
    assertEquals([json.code, json.stdout], [1, ""]);
  });

  it("says on a terminal where it has looked when there is nothing", async () => {
    await using box = await Box.open();
    const { stderr } = await runCloudInProcess(box, ["list-jobs"], { isTerminal: true });
    assertEquals(stderr, "No jobs in eu-west-1 (AWS_REGION)\n");
    assertEquals(await run(box), { code: 0, stdout: "", stderr: "" });
  });
});
