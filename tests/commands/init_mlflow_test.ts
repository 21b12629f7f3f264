import { assertEquals, assertStringIncludes } from "@std/assert";
import evidence from "../evidence/mlflow.json" with { type: "json" };
import { contentOf, filesBelow, makeDirectory } from "../helpers/directory.ts";
import { type ProgramResult, runProgram } from "../helpers/program.ts";
import { it, suite } from "../helpers/suite.ts";

const { files: MODEL } = evidence.models["3.17.2"];

async function init(cwd: string, ...args: readonly string[]): Promise<ProgramResult> {
  return await runProgram(["init", ...args], { cwd });
}

suite("mlcli init --from an MLflow model", () => {
  it("makes an app, once, and leaves the model as it is", async () => {
    await using model = await makeDirectory({ ...MODEL, "data/weights.bin": "\0\x01" });
    await using directory = await makeDirectory({ "requirements.txt": "pytest\n" });
    const before = await contentOf(model.path);
    const args = ["shop", "--from", model.path];
    const dry = await init(directory.path, ...args, "--dry-run");
    assertEquals(Object.keys(await filesBelow(directory.path)), ["requirements.txt"]);
    const made = await init(directory.path, ...args);
    assertEquals([made.code, made.stdout], [0, dry.stdout]);
    assertEquals(await contentOf(model.path), before);
    const files = await filesBelow(directory.path);
    const names = [...made.stdout.trim().split("\n"), "requirements.txt"];
    assertEquals(Object.keys(files).sort(), names.sort());
    const place = "shop/mlcli_base/local_test/test_dir/model";
    for (const [name, text] of Object.entries(await filesBelow(model.path))) {
      assertEquals(files[`${place}/${name}`], text);
    }
    // What is there may be for something else.
    assertEquals(files["requirements.txt"], "pytest\n");
    assertEquals(JSON.parse(files["shop.json"]!).requirements, "shop/requirements.txt");
    const row = "| requirements.txt | shop/requirements.txt |\n";
    assertStringIncludes(files["shop/MIGRATION.md"]!, row);
    const request = `mlcli local invoke ${place}/serving_input_example.json`;
    assertStringIncludes(made.stderr, `Next:\n  mlcli build\n  mlcli local deploy\n  ${request}\n`);
    const again = await init(directory.path, ...args);
    assertEquals(again, { code: 0, stdout: "", stderr: "Nothing to do: shop is complete\n" });
    assertEquals(await filesBelow(directory.path), files);
  });

  it("makes it in the model's own directory, too, and does not copy it into itself", async () => {
    await using model = await makeDirectory(MODEL);
    assertEquals((await init(model.path, "shop", "--from", ".")).code, 0);
    const files = await filesBelow(model.path);
    for (const [name, text] of Object.entries(MODEL)) assertEquals(files[name], text);
    const again = await init(model.path, "shop", "--from", ".");
    assertEquals([again.code, again.stdout], [0, ""]);
    assertEquals(await filesBelow(model.path), files);
  });

  it("offers it where a model is", async () => {
    await using model = await makeDirectory(MODEL);
    const { stderr } = await init(model.path, "shop");
    assertStringIncludes(stderr, "Found an MLflow model. To convert it, run mlcli init --from .");
  });

  it("says why it takes no model that mlflow does not serve", async () => {
    await using directory = await makeDirectory({ "a\nb/MLmodel": "flavors: {onnx: {}}" });
    const { code, stdout, stderr } = await init(directory.path, "shop", "--from", "a\nb");
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "error: The model has no python_function flavor: a?b\nhint: ");
  });
});
