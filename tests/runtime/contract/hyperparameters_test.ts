import { join } from "@std/path";
import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { layoutOf, readHyperparametersFile } from "../../../runtime/app/layout.ts";
import { hyperparametersOf } from "../../../runtime/contract/hyperparameters.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const FILE = "demo/mlcli_base/local_test/test_dir/input/config/hyperparameters.json";

async function read(
  text: string | undefined,
  overrides: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  await using directory = await makeDirectory(text === undefined ? {} : { [FILE]: text });
  const base = join(directory.path, "demo", "mlcli_base");
  const layout = layoutOf({
    name: "demo",
    directory: directory.path,
    cwd: directory.path,
    boundary: directory.path,
    base,
  });
  return hyperparametersOf(await readHyperparametersFile(layout), overrides);
}

suite("hyperparametersOf", () => {
  it("needs no file", async () => {
    assertEquals(await read(undefined), {});
    assertEquals(await read(undefined, ["epochs=2"]), { epochs: "2" });
  });

  it("makes every value a string, as SageMaker does", async () => {
    const text = `\uFEFF{"a": "text", "b": 3, "c": true, "d": null, "e": [1, "x"],
      "f": {"g": 0.5}, "h": "", "i": "\\"quoted\\"", "é": "ü"}`;
    assertEquals(await read(text), {
      a: "text",
      b: "3",
      c: "true",
      d: "null",
      e: '[1,"x"]',
      f: '{"g":0.5}',
      h: "",
      i: '"quoted"',
      é: "ü",
    });
  });

  it("keeps numbers as they are written", async () => {
    const text = '{"seed": 12345678901234567890, "rate": 1e-3, "one": 1.0, "list": [1.50]}';
    assertEquals(await read(text), {
      seed: "12345678901234567890",
      rate: "1e-3",
      one: "1.0",
      list: "[1.50]",
    });
  });

  it("lets the command line win, the last of it most", async () => {
    const overrides = ["b=2", "c=x=y", "d=", "b=3", "e= spaced "];
    assertEquals(await read('{"a": 1, "b": 1}', overrides), {
      a: "1",
      b: "3",
      c: "x=y",
      d: "",
      e: " spaced ",
    });
  });

  for (const override of ["epochs", "", "=2", " =2"]) {
    it(`refuses --hyperparameter "${override}"`, async () => {
      const error = await assertRejects(() => read("{}", [override]), MlcliError, `"${override}"`);
      assertEquals(error.name, "UsageError");
    });
  }

  const broken = {
    '{"a": }': "is not valid JSON",
    "": "is not valid JSON",
    "[]": "must hold a JSON object, but holds an array",
    "12": "must hold a JSON object, but holds a number",
    "null": "must hold a JSON object, but holds null",
    '"a"': "must hold a JSON object, but holds a string",
    [`{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`]: "is nested too deeply",
    [`{"a": "${"x".repeat(1024 ** 2)}"}`]: "cannot be read: Is larger than 1 MiB",
  };
  for (const [text, words] of Object.entries(broken)) {
    it(`refuses a file of ${JSON.stringify(text).slice(0, 20)} (${text.length})`, async () => {
      const error = await assertRejects(() => read(text), MlcliError, `${FILE} ${words}`);
      assertEquals(error.name, "MlcliError");
    });
  }
});
