import { assertEquals } from "@std/assert";
import { argumentHint, jsonHint } from "../../../runtime/local/bad_arguments.ts";
import { failedCode, type Failure, traceback } from "../../helpers/failed_code.ts";
import { it, suite } from "../../helpers/suite.ts";

const USAGE = "usage: train.py [-h] [--epochs EPOCHS] [--learning-rate LEARNING_RATE]\n" +
  "                [--mode {a,b}]\n";

interface Row extends Failure {
  readonly words: string;
  readonly hint: string | undefined;
}

const DEFINES = " (the script accepts --epochs, --learning-rate, --mode)";

const ROWS: Readonly<Record<string, Row>> = {
  // https://github.com/huggingface/notebooks/issues/52
  "a hyperparameter with an underscore": {
    words: "train.py: error: unrecognized arguments: --learning_rate 0.2",
    hyperparameters: { learning_rate: "0.2" },
    output: USAGE,
    hint: `Rename the hyperparameter${DEFINES}: --hyperparameter learning-rate=0.2`,
  },
  // As AWS's toolkit prints it: without what lines are indented by.
  "a usage on several lines, behind which the toolkit goes on": {
    words: "train.py: error: unrecognized arguments: --learning_rate 0.2",
    hyperparameters: { learning_rate: "0.2" },
    output:
      `${USAGE.replace(/^ +/gm, "")}train.py: error: unrecognized arguments: --learning_rate ` +
      "0.2\nReporting training FAILURE\n--exit-code 1\n",
    launcher: "toolkit",
    hint: `Rename the hyperparameter${DEFINES}: --hyperparameter learning-rate=0.2`,
  },
  // https://github.com/ratulKabir/Custom-Object-Detection-using-Darkflow/issues/4
  "a hyperparameter that is misspelt": {
    words: "train.py: error: unrecognized arguments: --epoch 3",
    hyperparameters: { epoch: "3" },
    output: USAGE,
    hint: `Rename the hyperparameter${DEFINES}: --hyperparameter epochs=3`,
  },
  // https://github.com/aws/sagemaker-python-sdk/issues/1720
  "a hyperparameter that the script does not define": {
    words: "train.py: error: unrecognized arguments: --model_dir s3://bucket/model",
    hyperparameters: { model_dir: "s3://bucket/model" },
    output: USAGE,
    hint: `Remove the hyperparameter model_dir, or add --model_dir to the script${DEFINES}`,
  },
  // https://github.com/aws/sagemaker-python-sdk/issues/2689
  "a flag without a value": {
    words: "run_glue.py: error: unrecognized arguments: True",
    hyperparameters: { epochs: "1", do_train: "true" },
    output: USAGE,
    hint:
      'Replace action="store_true" with type=lambda text: text == "True": each hyperparameter ' +
      "has a value, such as --do_train True",
  },
  // https://github.com/huggingface/transformers/issues/10957
  "a parser of Hugging Face's": {
    words:
      "ValueError: Some specified arguments are not used by the HfArgumentParser: ['--epochs', " +
      "'1', '--train_batch_size', '32']",
    hyperparameters: { epochs: "1" },
    hint: "Remove the hyperparameter epochs, or add --epochs to the script",
  },
  "click": {
    words: "Error: No such option: --learning_rate Did you mean --learning-rate?",
    hyperparameters: { learning_rate: "1" },
    hint: "Remove the hyperparameter learning_rate, or add --learning_rate to the script",
  },
  // https://github.com/mindverse/Second-Me/issues/137
  "an argument that is required": {
    words: "train.py: error: the following arguments are required: --train-dir, --output_dir",
    hint: "Set the required value: --hyperparameter train-dir=VALUE",
  },
  // https://github.com/fxia22/pointnet.pytorch/issues/95
  "a number with decimals for an int": {
    words: "train.py: error: argument --epochs: invalid int value: '1.1'",
    hyperparameters: { epochs: "1.10" },
    hint: "Set the hyperparameter epochs to a value that int accepts, such as --hyperparameter " +
      "epochs=1",
  },
  // https://github.com/fpcsong/emotionflow/issues/3
  "a list for an int": {
    words: "train.py: error: argument -e/--epochs: invalid int value: '[20, 5]'",
    hyperparameters: { epochs: "[20, 5]" },
    hint: "Use type=ast.literal_eval for --epochs: a list arrives as text in Python syntax",
  },
  "argparse in training.py, which gets no arguments": {
    words: "main.py: error: unrecognized arguments: train",
    output: "usage: main.py [-h]\n",
    launcher: "image",
    hint: "Replace argparse with the third parameter of train(input_data_path, model_save_path, " +
      "hyperparameters): training.py receives no arguments",
  },
  "an argument that was typed for processing": {
    words: "clean.py: error: unrecognized arguments: --input_dir x",
    output: "usage: clean.py [-h] --input-dir INPUT_DIR\n",
    kind: "process",
    hint: "Correct the arguments after --: the script accepts --input-dir",
  },
  "an argument that was typed for a command": {
    words: "train.py: error: unrecognized arguments: --lr 0.1",
    output: "usage: train.py [-h] --rate RATE\n",
    launcher: "command",
    hyperparameters: { lr: "0.1" },
    hint: "Correct the arguments after --: the script accepts --rate",
  },
  "a positional argument, which no hyperparameter can give": {
    words: "train.py: error: the following arguments are required: data_dir",
    hint: undefined,
  },
  "a near name that is a hyperparameter": {
    words: "train.py: error: unrecognized arguments: --epoch 3",
    hyperparameters: { epoch: "3", epochs: "5" },
    output: USAGE,
    hint: `Remove the hyperparameter epoch, or add --epoch to the script${DEFINES}`,
  },
  "a type of the script's own": {
    words: "train.py: error: argument --day: invalid date value: 'x'",
    hyperparameters: { day: "x" },
    hint: "Set the hyperparameter day to a value that date accepts",
  },
  "an int that is not a hyperparameter": {
    words: "train.py: error: argument --epochs: invalid int value: '1.1'",
    hint: undefined,
  },
  "another error": { words: "KeyError: '--epochs'", output: USAGE, hint: undefined },
};

suite("the hint for arguments that the code does not accept", () => {
  for (const [name, { hint, ...failure }] of Object.entries(ROWS)) {
    it(`argumentHint returns ${hint === undefined ? "no hint" : "a hint"} for ${name}`, () => {
      assertEquals(argumentHint(failedCode({ launcher: "script", ...failure })), hint);
    });
  }
});

const DECODE = "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)";
const EXTRA = "json.decoder.JSONDecodeError: Extra data: line 1 column 5 (char 4)";
const READS = "params = {k: json.loads(v) for k, v in hyperparameters.items()}";

/** The error, the code's line, the hyperparameters, and which is named with what to type. */
const JSON_ROWS: readonly (readonly [
  name: string,
  words: string,
  line: string,
  Failure["hyperparameters"],
  typed: string | undefined,
])[] = [
  // https://github.com/aws/sagemaker-containers/issues/179
  ["text", DECODE, READS, { epochs: "1", optimizer: "adam" }, `'optimizer="adam"'`],
  ["a date", EXTRA, READS, { epochs: "1", day: "2026-01-02" }, `'day="2026-01-02"'`],
  ["Python's True", DECODE, READS, { flag: "True" }, `'flag="True"'`],
  ["text with quotes", DECODE, READS, { name: "it's" }, `'name="it'\\''s"'`],
  ["values that are all JSON", DECODE, READS, { rate: "NaN", layers: "[64, 32]" }, undefined],
  ["another file of JSON", DECODE, "json.load(open(path))", { optimizer: "adam" }, undefined],
  ["a file of parameters", DECODE, "params = json.load(open(path))", { a: "b" }, undefined],
  ["a value in a later line", DECODE.replace("line 1", "line 3"), READS, { a: "b" }, undefined],
];

suite("the hint for hyperparameters that are not JSON", () => {
  for (const [name, words, line, hyperparameters, typed] of JSON_ROWS) {
    it(`jsonHint returns ${typed === undefined ? "no hint" : "a hint"} for ${name}`, () => {
      const hint = jsonHint(
        failedCode({
          ...{ words, hyperparameters, isHarness: false },
          output: traceback(line, words, "/opt/program/train"),
        }),
      );
      assertEquals(hint?.split(": --hyperparameter ").at(1), typed);
    });
  }
});
