import { assertEquals } from "@std/assert";
import { makeApp, TRAINING_DATA } from "../helpers/app.ts";
import { holds, openBrowser, says } from "../helpers/browser.ts";
import { buildTestImage, TEST_IMAGE } from "../helpers/engine.ts";
import { servePage } from "../helpers/page_server.ts";
import { resultOf } from "../helpers/program.ts";
import { runsOf } from "../helpers/runs.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

/** Prints a value each time that the test writes another number into its data. */
const CODE = `
import os, sys, time
def train(input_data_path, model_save_path):
    step, deadline = 0, time.monotonic() + 60
    while step < 9 and time.monotonic() < deadline:
        wanted = int(open(input_data_path + "/data.csv").read() or 0)
        while step < wanted:
            step += 1
            print("step %d loss=%.2f" % (step, 1 / step), flush=True)
            print("warned %d" % step, file=sys.stderr, flush=True)
        time.sleep(0.05)
    open(model_save_path + "/m", "w").close()
`;

suite("the page during a training", () => {
  beforeAll(buildTestImage);

  it("shows a run, its curve and its log as they come, and then two runs side by side", async () => {
    await using app = await makeApp({
      configuration: {
        image_name: TEST_IMAGE,
        metric_definitions: [{ Name: "loss", Regex: "loss=([0-9.]+)" }],
      },
      files: { "training/training.py": CODE, [TRAINING_DATA]: "2" },
    });
    await using server = await servePage(app);
    await using browser = await openBrowser();
    const list = await browser.open(server.at("runs"));
    await says(list, app.name);
    await list.evaluate("globalThis.isSame = true");
    const training = resultOf(app.start(["local", "train"]));
    await says(list, "InProgress");
    const [run = ""] = await runsOf(app);
    await ends(list, run, 0.5);
    const whole = await browser.open(server.at("runs", run));
    await says(whole, "step 2 loss=0.50");
    await says(whole, "warned 2");
    await app.write(app.path(TRAINING_DATA), "5");
    for (const page of [list, whole]) await ends(page, run, 0.2);
    await says(whole, "step 5 loss=0.20");
    await app.write(app.path(TRAINING_DATA), "9");
    assertEquals((await training).code, 0);
    for (const page of [list, whole]) await says(page, "Completed");
    await says(whole, "step 9 loss=0.11");
    assertEquals(await list.evaluate("globalThis.isSame"), true, "it was loaded again");
    // Another, of other code.
    await app.write(app.path("training/training.py"), `${CODE}# edited\n`);
    const { code } = await app.run(["local", "train", "--hyperparameter", "rate=7"]);
    assertEquals(code, 0);
    const other = (await runsOf(app)).find((name) => name !== run)!;
    await says(list, other);
    const comparison = await browser.open(server.at("comparison", run, other));
    for (const text of ["rate", "training.py", "# edited"]) await says(comparison, text);
  });
});

/** Waits until the curve of a run, as it is told to who does not see it, ends at this value. */
async function ends(page: Parameters<typeof holds>[0], run: string, value: number): Promise<void> {
  const label = JSON.stringify(`${run} ends at ${value}`);
  await holds(
    page,
    `[...document.querySelectorAll("[role=img]")].some((one) => one.ariaLabel.includes(${label}))`,
  );
}
