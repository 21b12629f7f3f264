import { assertEquals } from "@std/assert";
import { makeApp, type TestApp } from "../helpers/app.ts";
import { has, openBrowser } from "../helpers/browser.ts";
import { makeRun } from "../helpers/made_runs.ts";
import { servePage } from "../helpers/page_server.ts";
import { it, suite } from "../helpers/suite.ts";

/** What would be seen by the browser of the tests: an error, a request, a dialog, a global name. */
const RUN = "globalThis.ran=1;alert('ran')";
const TEXTS = [
  `<img src=x onerror="${RUN}">`,
  `<script>${RUN}</script>`,
  `</script><script>${RUN}</script><!--`,
  `javascript:${RUN}`,
  `" onmouseover="${RUN}" x="`,
  "__proto__",
  "constructor",
  "\u202egnp.exe",
  "&lt;b&gt;{{7*7}}${7*7}",
] as const;
/** What is there if nothing ran: no name, no image, nothing that all objects have. */
const UNTOUCHED = "[typeof ran, document.images.length, Object.keys(Object.prototype).length]";
const LONG = "long-".repeat(2_000);

/** An app whose repository brought runs with such texts wherever there is place for one. */
async function hostileApp(): Promise<readonly [TestApp, readonly string[]]> {
  const app = await makeApp();
  const all = [...TEXTS, LONG];
  const named = Object.fromEntries(all.map((text) => [text, text]));
  const names = ["evil-1", "constructor"];
  for (const [index, name] of names.entries()) {
    await makeRun(app, index, {
      name,
      image: { reference: TEXTS[0], id: TEXTS[1] },
      mlcli: TEXTS[2],
      commit: TEXTS[index]!,
      hyperparameters: { ...named, [`only-${index}`]: TEXTS[index]! },
      channels: named,
      options: named,
      variables: all,
      packages: { ...named, differs: String(index) },
      python: TEXTS[3],
      outcome: { status: "Failed", exit_status: 1, reason: `${TEXTS[1]} ${TEXTS[0]}` },
      curves: TEXTS.map((text) => [text, [3, 2, 1 - index]]),
      log: all.map((text) => `out ${text}\nerr ${text}\n`).join(""),
      transform: {
        model_run: TEXTS[0],
        records: TEXTS[1],
        failed: [{ file: TEXTS[0], first: TEXTS[1], last: 1, status: TEXTS[2], reason: TEXTS[0] }],
        slowest: [{ file: TEXTS[1], first: 1, records: TEXTS[2], ms: TEXTS[0] }],
        latency_ms: TEXTS[3],
      },
    });
    for (const file of ["<img src=x onerror=alert(1)>", "\u202egnp.exe", "__proto__"]) {
      await app.write(app.path("local_test/jobs", name, file), "");
    }
  }
  // What is not even a record of the right form.
  const odd = { started: "2026-03-01T08:00:00Z", kind: "transform", transform: { failed: 7 } };
  await app.write(app.path("local_test/jobs/odd/job.json"), JSON.stringify(odd));
  return [app, names];
}

suite("records that mean harm", () => {
  it("run nothing on the page, and are shown as they are", async () => {
    const [app, [one = "", other = ""]] = await hostileApp();
    await using _ = app;
    await using server = await servePage(app);
    await using browser = await openBrowser();
    for (
      const [view, ...shown] of [
        [["runs"], one, other, "odd", TEXTS[1], "__proto__"],
        [["runs", one], TEXTS[0], TEXTS[1], TEXTS[2], TEXTS[3], TEXTS[4], "__proto__", LONG],
        [["runs", other], TEXTS[0], TEXTS[8]],
        [["runs", "odd"], "odd"],
        [["comparison", one, other], TEXTS[0], TEXTS[1], "differs"],
        [["servers"], "Servers"],
      ] as const
    ) {
      const page = await browser.open(server.at(...view));
      await has(page, shown);
      assertEquals(await page.evaluate(UNTOUCHED), ["undefined", 0, 0]);
    }
  });

  it("run nothing in a report", async () => {
    const [app] = await hostileApp();
    await using _ = app;
    const file = `${app.directory}/report.html`;
    const { code, stderr } = await app.run(["local", "report", "-o", file, "--with-logs"]);
    assertEquals(code, 0, stderr);
    await using browser = await openBrowser();
    for (
      const view of ["runs", "runs/evil-1", "runs/constructor", "comparison/evil-1/constructor"]
    ) {
      const page = await browser.open(`file://${file}#/${view}`);
      await has(page, [TEXTS[1]]);
      assertEquals(await page.evaluate(UNTOUCHED), ["undefined", 0, 0]);
    }
  });
});
