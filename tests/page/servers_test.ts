import { assertEquals } from "@std/assert";
import { violationsOf } from "../helpers/axe.ts";
import { has, holds, openBrowser, says } from "../helpers/browser.ts";
import { buildTestImage } from "../helpers/engine.ts";
import { servePage } from "../helpers/page_server.ts";
import { deployed, deployServer } from "../helpers/server.ts";
import { beforeAll, it, suite } from "../helpers/suite.ts";

const SERVING = `
def model_fn(model_dir): return 1
def input_fn(body, content_type):
    if content_type not in ("text/csv", "application/json"): raise ValueError("Unsupported content type: " + content_type)
    return body if isinstance(body, str) else body.decode(), content_type
def predict_fn(input_data, model):
    body, content_type = input_data
    if "fail" in body: raise RuntimeError("the model is tired <img src=x>")
    return "%s of %d characters" % (content_type, len(body))
def output_fn(prediction, accept): return prediction
`;

suite("a server on the page", () => {
  beforeAll(buildTestImage);

  it("is shown with its health, and answers JSON, CSV and a file", async () => {
    await using model = await deployServer(SERVING);
    await using server = await servePage(model.app);
    await using browser = await openBrowser();
    const page = await browser.open(server.at("servers"));
    const heading = `${model.app.name} on port ${model.port}`;
    await says(page, `${heading}\nHealth\nhealthy`);
    // Other apps may have servers, too.
    const own = (path: string) => page.locator(`::-p-xpath(//article[h2="${heading}"]//${path})`);
    await own("summary").click();
    for (
      const [type, text, answer] of [
        ["application/json", '{"a": 1}', "application/json of 8 characters"],
        ["text/csv", "1,2,3\n", "text/csv of 6 characters"],
        ["text/csv", "fail", "the model is tired <img src=x>"],
      ] as const
    ) {
      await own("label[contains(., 'Content type')]//input").fill(type);
      await own("textarea").fill(text);
      await own("button[.='Send']").click();
      await says(page, answer);
    }
    await says(page, /500/);
    await says(page, /curl .*\/invocations/);
    const file = `${model.app.directory}/request.csv`;
    await Deno.writeTextFile(file, "4,5,6,7\n");
    const [chooser] = await Promise.all([
      page.waitForFileChooser(),
      own("input[@type='file']").click(),
    ]);
    await chooser.accept([file]);
    await own("button[.='Send']").click();
    await says(page, "text/csv of 8 characters");
    // What it passed on is counted.
    await holds(page, `/This page\\s+4\\s+1\\s/.test(document.body.innerText)`);
    await deployed(model.app);
    await holds(page, `document.body.innerText.split("${model.app.name} on port").length === 3`);
    await has(page, []);
    assertEquals(await violationsOf(page), []);
    await model.app.run(["local", "stop", "--port", model.port]);
    await holds(page, `!document.body.innerText.includes(${JSON.stringify(heading)})`);
  });
});
