import { assertEquals } from "@std/assert";
import { channelHint, noneHint } from "../../../runtime/local/missing_channel.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { failedCode, type Failure, traceback } from "../../helpers/failed_code.ts";
import { it, suite } from "../../helpers/suite.ts";

const NONE = "TypeError: expected str, bytes or os.PathLike object, not NoneType";
const JOIN = "rows = open(os.path.join(args.train, 'a.csv'))";
const PARSED =
  'parser.add_argument("--train", type=str, default=os.environ.get("SM_CHANNEL_TRAIN"))';

interface Row {
  readonly words?: string;
  /** The text of the file that fails. */
  readonly code: string;
  /** The line that fails. */
  readonly line?: string;
  readonly channels?: readonly string[];
  /** The channel that the hint names. */
  readonly named: string | undefined;
}

/** The lines are of https://github.com/aws/sagemaker-python-sdk/issues/2521, with `get`. */
const ROWS: Readonly<Record<string, Row>> = {
  "an option's default": { code: PARSED, named: "train" },
  "an option's default on several lines": {
    code: 'parser.add_argument(\n    "--train-dir",\n    default=os.getenv("SM_CHANNEL_TRAIN"))',
    line: "load(args.train_dir)",
    named: "train",
  },
  "a variable": {
    code: "folder = os.environ.get('SM_CHANNEL_TRAIN')",
    line: "os.listdir(folder + '/x')",
    words: "TypeError: unsupported operand type(s) for +: 'NoneType' and 'str'",
    named: "train",
  },
  "the line that fails itself": {
    code: "",
    line: 'Path(os.environ.get("SM_CHANNEL_TEST"))',
    words: "TypeError: expected str, bytes or os.PathLike object, not NoneType",
    named: "test",
  },
  "a channel that the run has": { code: PARSED, channels: ["train"], named: undefined },
  "another variable that is None": { code: PARSED, line: "open(args.config)", named: undefined },
  "a channel with another default": {
    code: 'parser.add_argument("--train", default=os.environ.get("SM_CHANNEL_TRAIN", "data"))',
    named: undefined,
  },
  "a function with the name of the option": {
    code: PARSED,
    line: "train(model)",
    named: undefined,
  },
  "another error": { code: PARSED, words: "ValueError: no age", named: undefined },
};

suite("the hint for a channel that is None", () => {
  for (
    const [name, { words = NONE, code, line = JOIN, channels = [], named }] of Object.entries(ROWS)
  ) {
    it(`noneHint returns ${named === undefined ? "no hint" : "a hint"} for ${name}`, async () => {
      await using directory = await makeDirectory({ "src/train.py": `${code}\n${line}\n` });
      const failure: Failure = {
        words,
        output: traceback(line, words, "/opt/ml/code/train.py"),
        directory: directory.path,
        isSent: true,
        data: Object.fromEntries(["training", ...channels].map((name) => [name, ["a.csv"]])),
      };
      assertEquals((await noneHint(failedCode(failure)))?.match(/--input (\w+)=DIR/)?.[1], named);
    });
  }

  it("noneHint reads no file outside of the code, whatever the traceback names", async () => {
    await using directory = await makeDirectory({ "src/a.py": "", "secret.py": PARSED });
    await Deno.symlink("../secret.py", `${directory.path}/src/link.py`);
    for (const file of ["../secret.py", "link.py", "/../secret.py"]) {
      const output = traceback(JOIN, NONE, `/opt/ml/code/${file}`);
      const failure = { words: NONE, output, directory: directory.path, isSent: true };
      assertEquals(await noneHint(failedCode(failure)), undefined);
    }
  });
});

suite("the hint for the variable of a channel that is not set", () => {
  const folder = "flats/mlcli_base/local_test/test_dir/input/data/train";

  // https://github.com/aws/sagemaker-python-sdk/issues/1036
  it("channelHint names the directory for the data, and the channels of the run", () => {
    const words = "KeyError: 'SM_CHANNEL_TRAIN'";
    const put = `Put data into ${folder}, or pass it with --input train=DIR. `;
    assertEquals(
      [
        channelHint(failedCode({ words })),
        channelHint(failedCode({ words, data: { training: ["a.csv"], test: ["b.csv"] } })),
        channelHint(failedCode({ words: "KeyError: 'SM_MODEL_DIR'" })),
        channelHint(failedCode({ words, kind: "process" })),
        channelHint(failedCode({ words, data: { train: ["a.csv"] }, isHarness: false })),
      ],
      [
        `${put}A channel without data does not exist, neither locally nor on SageMaker.`,
        `${put}The run has no channel train, only training, test.`,
        undefined,
        undefined,
        'Use "/opt/ml/input/data/train" in the code: the image does not set SM_CHANNEL_TRAIN',
      ],
    );
  });
});
