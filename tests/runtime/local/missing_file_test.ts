import { assertEquals } from "@std/assert";
import { missingFileHint, missingPath } from "../../../runtime/local/missing_file.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { failedCode, type Failure, traceback } from "../../helpers/failed_code.ts";
import { it, suite } from "../../helpers/suite.ts";

const errno = (path: string): string =>
  `FileNotFoundError: [Errno 2] No such file or directory: '${path}'`;

/** An error, and the path that it says does not exist. */
const WORDS: readonly (readonly [words: string, path: string | undefined])[] = [
  // https://github.com/davidusb-geek/emhass-add-on/issues/6
  [errno("/app/data/opt_res_dayahead_latest.csv"), "/app/data/opt_res_dayahead_latest.csv"],
  // https://github.com/higlass/higlass-docker/issues/152
  [errno(".\\\\50k_output.cool"), ".\\50k_output.cool"],
  [`FileNotFoundError: [Errno 2] No such file or directory: "it's.csv"`, "it's.csv"],
  ["OSError: [Errno 2] No such file or directory: b'x.csv'", "x.csv"],
  [`${errno("a")} -> 'b'`, "a"],
  // https://github.com/UltimateSoftware/AGENT/issues/9
  [
    "FileNotFoundError: [Errno 2] File b'/app/src/data/label_candidates_sys.csv' does not exist: " +
    "b'/app/src/data/label_candidates_sys.csv'",
    "/app/src/data/label_candidates_sys.csv",
  ],
  ["FileNotFoundError: File b'data/x.csv' does not exist", "data/x.csv"],
  ["FileNotFoundError: [Errno 2] File x.csv does not exist: 'x.csv'", "x.csv"],
  // https://github.com/ricsonc/grnn/issues/2
  [
    "tensorflow.python.framework.errors_impl.NotFoundError: double_tfrs/0; No such file or directory",
    "double_tfrs/0",
  ],
  [
    "tensorflow.python.framework.errors_impl.NotFoundError: {{function_node __wrapped__ReadFile}} " +
    "/data/a.tfrecord; No such file or directory [Op:ReadFile]",
    "/data/a.tfrecord",
  ],
  // https://github.com/tensorflow/models/issues/6489
  ["tensorflow.python.framework.errors_impl.NotFoundError: ; No such file or directory", undefined],
  [
    "FileNotFoundError: [Errno 2] Failed to open local file '/data/a.parquet'. Detail: [errno 2] No " +
    "such file or directory",
    "/data/a.parquet",
  ],
  ["FileNotFoundError: data/a.parquet", "data/a.parquet"],
  ["FileNotFoundError: rows.csv not found.", "rows.csv"],
  [
    "FileNotFoundError: [Errno 2] Unable to synchronously open file (unable to open file: name = " +
    "'m.h5', errno = 2, error message = 'No such file or directory', flags = 0, o_flags = 0)",
    "m.h5",
  ],
  [
    "xgboost.core.XGBoostError: [12:00:00] /src/local_filesys.cc:209: Check failed: allow_null: " +
    ' LocalFileSystem::Open "train.svm": No such file or directory',
    "train.svm",
  ],
  ["OSError: Cannot save file into a non-existent directory: 'out'", "out"],
  ["RuntimeError: Parent directory out/a does not exist.", "out/a"],
  ["PermissionError: [Errno 13] Permission denied: 'x.csv'", undefined],
  ["IsADirectoryError: [Errno 21] Is a directory: 'x.csv'", undefined],
  ["KeyError: 'x.csv'", undefined],
  // The image's own program was started with another file.
  // https://github.com/aws-samples/amazon-sagemaker-local-mode/issues/30
  [
    "python3: can't open file '/opt/ml/processing/input/code/processing_script.py': [Errno 2] No " +
    "such file or directory",
    undefined,
  ],
];

suite("missingPath", () => {
  for (const [words, path] of WORDS) {
    it(`missingPath returns ${path} for: ${words.slice(0, 100)}`, () =>
      assertEquals(missingPath(words), path));
  }
});

const TRAINING = { training: [".gitkeep", "deep/reviews.csv", "b.csv"] };
const FOLDER = "flats/mlcli_base/local_test/test_dir/input/data";
const NO_MODEL =
  `Put the data into ${FOLDER}/processing, or pass it with --input DIR. Write results to ` +
  "/opt/ml/processing/output. A processing job on SageMaker has no /opt/ml/model.";

/** A failure with this path, by code in this line, and its hint. */
interface Row extends Failure {
  readonly path: string;
  readonly line?: string;
  readonly hint: string | undefined;
}

const OPEN = "reviews.csv in channel training:";

const ROWS: Readonly<Record<string, Row>> = {
  "a path of the user's machine": {
    path: "/Users/me/flats/reviews.csv",
    data: TRAINING,
    hint: `Open deep/${OPEN} f"{input_data_path}/deep/reviews.csv"`,
  },
  // https://github.com/aws-samples/sagemaker-serverless-inference-benchmarking/issues/2
  "a path of Windows": {
    path: "C:\\\\data\\\\reviews.csv",
    data: TRAINING,
    hint: `Open deep/${OPEN} f"{input_data_path}/deep/reviews.csv"`,
  },
  "other capitals": {
    path: "~/data/Reviews.CSV",
    data: TRAINING,
    hint: `Open deep/${OPEN} f"{input_data_path}/deep/reviews.csv"`,
  },
  "another channel than train() gets": {
    path: "v.csv",
    data: { ...TRAINING, validation: ["v.csv"] },
    hint: 'Open v.csv in channel validation: "/opt/ml/input/data/validation/v.csv"',
  },
  "one of two channels, of which none is training": {
    path: "v.csv",
    data: { test: ["t.csv"], validation: ["v.csv"] },
    hint: 'Open v.csv in channel validation: f"{input_data_path}/validation/v.csv"',
  },
  // https://github.com/aws/amazon-sagemaker-examples/issues/1740
  "a script": {
    path: "/opt/ml/input/data/train/reviews.csv",
    isSent: true,
    data: { training: ["reviews.csv"] },
    hint:
      `Put data into ${FOLDER}/train, or pass it with --input train=DIR. The run has no channel ` +
      `train, only training. Or open ${OPEN} os.path.join(os.environ["SM_CHANNEL_TRAINING"], ` +
      `"reviews.csv")`,
  },
  "a program of the image": {
    path: "reviews.csv",
    launcher: "command",
    data: { training: ["reviews.csv"] },
    hint: `Open ${OPEN} "/opt/ml/input/data/training/reviews.csv"`,
  },
  "an image without the harness": {
    path: "reviews.csv",
    isHarness: false,
    data: { training: ["reviews.csv"] },
    hint: `Open ${OPEN} "/opt/ml/input/data/training/reviews.csv"`,
  },
  "a processing script": {
    path: "../data/reviews.csv",
    kind: "process",
    data: { input: ["reviews.csv"] },
    hint: 'Open reviews.csv in the input: "/opt/ml/processing/input/reviews.csv"',
  },
  // https://github.com/aws-samples/sagemaker-serverless-inference-benchmarking/issues/2
  "one of two inputs of processing": {
    path: "/opt/ml/processing/input/data\\\\args.pkl",
    kind: "process",
    data: { input_1: ["args.pkl"], input_2: ["b.csv"] },
    hint: 'Open args.pkl in input input_1: "/opt/ml/processing/input/input_1/args.pkl"',
  },
  "a file that no channel has": {
    path: "data/c.csv",
    data: { training: [".gitkeep", "1.csv", "2.csv", "3.csv", "4.csv"] },
    hint:
      `Put the file into ${FOLDER}/training, or open a file in channel training (1.csv, 2.csv, ` +
      '3.csv and 1 more): f"{input_data_path}/1.csv"',
  },
  // https://github.com/aws/amazon-sagemaker-examples/issues/670
  "a channel that the run does not have": {
    path: "/opt/ml/input/data/training",
    data: { train: ["a.csv"] },
    hint: `Put data into ${FOLDER}/training, or pass it with --input training=DIR. The run has ` +
      "no channel training, only train.",
  },
  "a training without data": {
    path: "a.csv",
    isSent: true,
    hint: "Pass a directory with data, because the run has none: --input training=DIR",
  },
  "processing without data": {
    path: "a.csv",
    kind: "process",
    data: { input: [".gitkeep"] },
    hint: "Pass a directory with data, because the run has none: --input DIR",
  },
  // https://github.com/SC4RECOIN/LSTM-Crypto-Price-Prediction/issues/1
  "a model that is written to a directory that does not exist": {
    path: "models/scaler.dump",
    line: 'joblib.dump(scaler, "models/scaler.dump")',
    hint:
      'Create the directory first: os.makedirs("models", exist_ok=True). SageMaker keeps only ' +
      "/opt/ml/model and /opt/ml/output/data.",
  },
  // https://github.com/bmsookim/gradcam.pytorch/issues/1
  "a log that is written to a directory that does not exist": {
    path: "./logs/resnet.csv",
    line: "with open('./logs/resnet.csv', 'w') as file:",
    kind: "process",
    hint:
      'Create the directory first: os.makedirs("./logs", exist_ok=True). SageMaker keeps only ' +
      "/opt/ml/processing/output.",
  },
  // https://github.com/aws/amazon-sagemaker-examples/issues/368
  "a checkpoint below the results": {
    path: "/opt/ml/output/data/run/1.pt",
    line: "torch.save(state, path)",
    hint: 'Create the directory first: os.makedirs("/opt/ml/output/data/run", exist_ok=True)',
  },
  "a file that is read in a mode": {
    path: "b.csv",
    line: 'open("b.csv", "rb")',
    data: TRAINING,
    hint: 'Open b.csv in channel training: f"{input_data_path}/b.csv"',
  },
  "a file whose name is that of a mode": {
    path: "w",
    line: 'open("w")',
    data: { training: ["w"] },
    hint: 'Open w in channel training: f"{input_data_path}/w"',
  },
  "a file that another host has": {
    path: "/opt/ml/input/data/training/b.csv",
    data: TRAINING,
    hint: undefined,
  },
  "a line that reads one file and writes another": {
    path: "reviews.csv",
    line: 'pd.read_csv("reviews.csv").to_csv("/opt/ml/model/clean.csv")',
    data: { training: ["reviews.csv"] },
    hint: `Open ${OPEN} f"{input_data_path}/reviews.csv"`,
  },
  "a file that is written below a channel": {
    path: "/opt/ml/input/data/training/out/a.csv",
    line: "df.to_csv(path)",
    data: TRAINING,
    hint: "Write to /opt/ml/model or /opt/ml/output/data: /opt/ml/input/data/training is " +
      "read-only",
  },
  "a file that is written below a copy of a channel": {
    path: "/opt/ml/input/data/training/out/a.csv",
    line: "df.to_csv(path)",
    data: TRAINING,
    asked: { network: undefined, strict: false, copyInputs: true },
    hint:
      'Create the directory first: os.makedirs("/opt/ml/input/data/training/out", exist_ok=True)',
  },
  "a channel that lacks the file, beside one that has it": {
    path: "/opt/ml/input/data/validation/b.csv",
    data: { ...TRAINING, validation: ["v.csv"] },
    hint: `Put the file into ${FOLDER}/validation, or open a file in channel validation (v.csv): ` +
      '"/opt/ml/input/data/validation/v.csv"',
  },
  "a file beside the channels": {
    path: "/opt/ml/input/data/b.csv",
    data: TRAINING,
    hint: 'Open b.csv in channel training: f"{input_data_path}/b.csv"',
  },
  "a name with braces and characters that are not printed": {
    path: "x{1}\u200d.csv",
    data: { training: ["x{1}\u200d.csv"] },
    hint: 'Open x{1}?.csv in channel training: f"{input_data_path}/x{{1}}\\u200d.csv"',
  },
  "the input of processing jobs in a training job": {
    path: "/opt/ml/input/data/processing/p.csv",
    data: TRAINING,
    hint:
      `Put the data into a channel, such as ${FOLDER}/extra, or pass it with --input extra=DIR. ` +
      "A training job on SageMaker has no /opt/ml/input/data/processing.",
  },
  "a channel that is called processing": {
    path: "/opt/ml/input/data/processing/p.csv",
    data: { processing: ["a.csv"] },
    hint: `Put the file into ${FOLDER}/processing, or open a file in channel processing (a.csv): ` +
      'f"{input_data_path}/a.csv"',
  },
  "the model in a processing job": {
    kind: "process",
    path: "/opt/ml/model/model.json",
    data: { input: ["a.csv"] },
    hint: NO_MODEL,
  },
  "a model that a processing job writes": {
    kind: "process",
    path: "/opt/ml/model/model.json",
    line: 'open(path, "w")',
    data: { input: ["a.csv"] },
    hint: NO_MODEL,
  },
  "hyperparameters in a processing job": {
    kind: "process",
    path: "/opt/ml/input/config/hyperparameters.json",
    data: { input: ["a.csv"] },
    hint: `Put the data into ${FOLDER}/processing, or pass it with --input DIR. Write results to ` +
      "/opt/ml/processing/output. A processing job on SageMaker has no /opt/ml/input.",
  },
  "a file of the input by its path in a training job": {
    kind: "process",
    path: "/opt/ml/input/data/training/a.csv",
    data: { input: ["a.csv"] },
    hint: 'Open a.csv in the input: "/opt/ml/processing/input/a.csv"',
  },
  "a model that training should have written": {
    path: "/opt/ml/model/best.pt",
    data: TRAINING,
    hint: undefined,
  },
  "a file of the system": { path: "/etc/app/settings.yaml", data: TRAINING, hint: undefined },
  "a cache of a library": { path: "/root/.cache/x/config.json", data: TRAINING, hint: undefined },
};

suite("the hint for a file that does not exist", () => {
  for (
    const [name, { path, line = "pd.read_csv(path)", hint, ...failure }] of Object.entries(ROWS)
  ) {
    it(`missingFileHint returns ${hint === undefined ? "no hint" : "a hint"} for ${name}`, async () => {
      await using directory = await makeDirectory({
        "flats/mlcli_base/training/training.py": "def train(input_data_path, model_save_path):\n",
      });
      const words = errno(path);
      const output = traceback(line, words);
      const code = failedCode({ directory: directory.path, ...failure, words, output });
      assertEquals(await missingFileHint(code), hint);
    });
  }

  it("missingFileHint names the directory that pandas and torch do not make", async () => {
    for (
      const words of [
        "OSError: Cannot save file into a non-existent directory: '/opt/ml/model/out'",
        "RuntimeError: Parent directory /opt/ml/model/out does not exist.",
      ]
    ) {
      assertEquals(
        await missingFileHint(failedCode({ words })),
        'Create the directory first: os.makedirs("/opt/ml/model/out", exist_ok=True)',
      );
    }
  });

  it("missingFileHint names a program that the image lacks", async () => {
    const words = errno("ffmpeg");
    const output =
      'Traceback (most recent call last):\n  File "/opt/ml/code/a.py", line 1, in f\n' +
      `  File "/usr/lib/python3.11/subprocess.py", line 1955, in _execute_child\n${words}\n`;
    assertEquals(
      await missingFileHint(failedCode({ words, output })),
      "Install the program ffmpeg in the image",
    );
  });

  it("missingFileHint does not take a missing working directory for a program", async () => {
    const words = errno("build");
    const output = "Traceback (most recent call last):\n" +
      '  File "/opt/ml/code/a.py", line 1, in f\n    subprocess.run(["make"], cwd="build")\n' +
      `  File "/usr/lib/python3.11/subprocess.py", line 1955, in _execute_child\n${words}\n`;
    assertEquals(await missingFileHint(failedCode({ words, output })), undefined);
  });

  it("missingFileHint returns undefined for a file in S3", async () => {
    const words = "FileNotFoundError: my-bucket/train.csv";
    const output =
      'Traceback (most recent call last):\n  File "/opt/ml/code/a.py", line 1, in f\n' +
      `  File "/usr/lib/python3/site-packages/s3fs/core.py", line 1, in _info\n${words}\n`;
    assertEquals(await missingFileHint(failedCode({ words, output })), undefined);
  });

  it("missingFileHint names the build for a file of the app that the image lacks", async () => {
    await using directory = await makeDirectory({
      "flats/mlcli_base/training/labels.json": "",
    });
    for (const path of ["labels.json", "/opt/ml/code/labels.json"]) {
      const code = failedCode({
        ...{ words: errno(path), directory: directory.path, remedyOfOtherCode: "mlcli build" },
      });
      assertEquals(await missingFileHint(code), "mlcli build");
    }
  });

  it("missingFileHint uses the parameter of train(), and finds files beside the code", async () => {
    await using directory = await makeDirectory({
      "flats/mlcli_base/training/training.py":
        "import os\n\ndef train(folder: str, model):\n  pass\n",
      "flats/mlcli_base/training/labels.json": "",
      "flats/mlcli_base/common/units.json": "",
      "src/config.yaml": "",
    });
    const hintFor = (path: string, failure: Failure = {}) =>
      missingFileHint(failedCode({ ...failure, words: errno(path), directory: directory.path }));
    const data = { training: ["a.csv"] };
    assertEquals(
      [
        await hintFor("/a.csv", { data }),
        await hintFor("training/labels.json", { data }),
        await hintFor("../common/units.json", { data }),
        await hintFor("src/config.yaml", { data, isSent: true }),
        await hintFor("src/config.yaml", { kind: "process", isSent: true }),
      ],
      [
        'Open a.csv in channel training: f"{folder}/a.csv"',
        'Open "/opt/ml/code/labels.json", which is flats/mlcli_base/training/labels.json in ' +
        "the container",
        'Open "/opt/program/common/units.json", which is flats/mlcli_base/common/units.json in ' +
        "the container",
        'Open "/opt/ml/code/config.yaml", which is src/config.yaml in the container',
        'Open "/opt/ml/processing/input/code/config.yaml", which is src/config.yaml in the ' +
        "container",
      ],
    );
  });
});
