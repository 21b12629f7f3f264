import { assertEquals, assertRejects } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { readHyperparametersFile } from "../../../runtime/app/layout.ts";
import { pathsOf } from "../../../runtime/app/paths.ts";
import {
  hyperparametersOf,
  hyperparameterTypos,
} from "../../../runtime/contract/hyperparameters.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const FILE = "demo/mlcli_base/local_test/test_dir/input/config/hyperparameters.json";

async function read(
  text: string | undefined,
  overrides: readonly string[] = [],
): Promise<Readonly<Record<string, string>>> {
  await using directory = await makeDirectory(text === undefined ? {} : { [FILE]: text });
  const layout = pathsOf({
    name: "demo",
    directory: directory.path,
    cwd: directory.path,
    boundary: directory.path,
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
    "[]": "must contain a JSON object, but contains an array",
    "12": "must contain a JSON object, but contains a number",
    "null": "must contain a JSON object, but contains null",
    '"a"': "must contain a JSON object, but contains a string",
    [`{"a": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`]: "is nested too deeply",
    [`{"a": "${"x".repeat(1024 ** 2)}"}`]: `Cannot read ${FILE}: Is larger than 1 MiB`,
  };
  for (const [text, words] of Object.entries(broken)) {
    it(`refuses a file of ${JSON.stringify(text).slice(0, 20)} (${text.length})`, async () => {
      const message = words.includes(FILE) ? words : `${FILE} ${words}`;
      const error = await assertRejects(() => read(text), MlcliError, message);
      assertEquals(error.name, "MlcliError");
    });
  }
});

/** The name in the file, the name on the command line, and whether the latter is a typo. */
interface TypoRow {
  readonly known: string;
  readonly typed: string;
  readonly isTypo: boolean;
}

const TYPOS: Readonly<Record<string, TypoRow>> = {
  "other case": { known: "C", typed: "c", isTypo: true },
  // https://github.com/huggingface/notebooks/issues/52
  "hyphens for underscores": { known: "train-batch-size", typed: "train_batch_size", isTypo: true },
  "no separator": { known: "max_depth", typed: "maxDepth", isTypo: true },
  // https://github.com/awslabs/graphstorm/issues/799
  "an inserted letter": { known: "save-embed-path", typed: "save-embeds-path", isTypo: true },
  // https://github.com/fabsig/GPBoost/issues/11
  "an inserted colon": { known: "learning_rate", typed: "learning_rate:", isTypo: true },
  // https://github.com/hydra-ecosystem/hydra/issues/1457
  "a missing letter": { known: "output_subdir", typed: "ouput_subdir", isTypo: true },
  "a replaced letter": { known: "epochs", typed: "epocha", isTypo: true },
  // https://github.com/hydra-ecosystem/hydra/issues/1912
  "two swapped letters": { known: "preferences", typed: "perferences", isTypo: true },
  "a name of five letters": { known: "epoch", typed: "epochs", isTypo: true },
  // https://github.com/LabeliaLabs/distributed-learning-contributivity/issues/184
  "two missing letters": { known: "gradient_updates", typed: "gradit_updates", isTypo: false },
  "a name of four letters": { known: "rate", typed: "date", isTypo: false },
  "a name of four letters and a digit": { known: "beta1", typed: "betas1", isTypo: false },
  "another digit": { known: "adam_beta1", typed: "adam_beta2", isTypo: false },
  "a digit more": { known: "dropout", typed: "dropout2", isTypo: false },
  "the same name": { known: "epochs", typed: "epochs", isTypo: false },
  "another name": { known: "epochs", typed: "patience", isTypo: false },
  "another name without letters of ASCII": { known: "学習率", typed: "層の数", isTypo: false },
};

suite("hyperparameterTypos", () => {
  const typos = (known: readonly string[], typed: readonly string[]) =>
    hyperparameterTypos(
      {
        path: "config/hyperparameters.json",
        text: JSON.stringify(Object.fromEntries(known.map((name) => [name, 1]))),
      },
      typed.map((name) => `${name}=10`),
    );

  for (const [name, { known, typed, isTypo }] of Object.entries(TYPOS)) {
    it(`hyperparameterTypos finds ${isTypo ? "a typo" : "no typo"}: ${name}`, () =>
      assertEquals(typos([known], [typed]).length, isTypo ? 1 : 0));
  }

  it("hyperparameterTypos names the name in the file", () => {
    assertEquals(typos(["C"], ["c"]), [
      'Hyperparameter "c" is not in hyperparameters.json; did you mean "C"?',
    ]);
  });

  it("hyperparameterTypos warns once for a repeated name, and not for a name of the file", () => {
    assertEquals(typos(["epochs", "epoch"], ["epoch", "epochz", "epochz"]).length, 1);
  });

  it("hyperparameterTypos prefers a name with other case to one with another letter", () => {
    const [typo] = typos(["epoch_s_", "batchsizes", "Batch_Size"], ["batchsize"]);
    assertEquals(typo!.endsWith('did you mean "Batch_Size"?'), true, typo);
  });

  it("hyperparameterTypos escapes control characters of a name in the file", () => {
    const [typo] = typos(["epoch\x1bs"], ["epochs"]);
    assertEquals(typo!.endsWith('did you mean "epoch\\u001bs"?'), true, typo);
  });

  it("hyperparameterTypos finds nothing without a file", () =>
    assertEquals(hyperparameterTypos(undefined, ["c=1"]), []));
});
