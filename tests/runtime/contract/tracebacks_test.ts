import { assertEquals } from "@std/assert";
import { raisedAs, raisedIn, userPlace } from "../../../runtime/contract/tracebacks.ts";
import { it, suite } from "../../helpers/suite.ts";

const HEADING = "Traceback (most recent call last):\n";

/** A program's output, the headline of the failure, and where the user's code failed. */
interface Row {
  readonly output: string;
  readonly headline: string;
  readonly place: string | undefined;
}

const ROWS: Readonly<Record<string, Row>> = {
  "code that the harness runs": {
    output: `epoch 1\n${HEADING}  File "/opt/ml/code/training.py", line 12, in train\n` +
      "    rows['text']\n    ~~~~^^^^^^^^\nKeyError: 'text'\n",
    headline: "KeyError: 'text'",
    place: "training.py, line 12",
  },
  // https://github.com/aws/amazon-sagemaker-examples/issues/1740
  "the caller of a package, in a script of AWS's toolkit": {
    output: "Invoking script with the following command:\n" +
      "/miniconda3/bin/python script_updated.py --max-leaf-nodes 3\nreading data\n" +
      `${HEADING}  File "script_updated.py", line 44, in <module>\n` +
      "    train_df = pd.read_csv(os.path.join(args.train, args.train_file))\n" +
      '  File "/miniconda3/lib/python3.7/site-packages/pandas/io/parsers.py", line 686, in read_csv\n' +
      "    return _read(filepath_or_buffer, kwds)\n" +
      '  File "pandas/_libs/parsers.pyx", line 382, in pandas._libs.parsers.TextReader.__cinit__\n' +
      "FileNotFoundError: [Errno 2] File b'/opt/ml/input/data/train/x.csv' does not exist\n",
    headline: "FileNotFoundError: [Errno 2] File b'/opt/ml/input/data/train/x.csv' does not exist",
    place: "script_updated.py, line 44",
  },
  // https://github.com/awsdocs/amazon-sagemaker-developer-guide/issues/251
  "the caller of Python's own module in conda": {
    output: `${HEADING}  File "cifar10.py", line 158, in <module>\n` +
      "    parser.add_argument('--data-dir', type=str, default=os.environ['SM_CHANNEL_TRAINING'])\n" +
      '  File "/opt/conda/lib/python3.6/os.py", line 669, in __getitem__\n' +
      "    raise KeyError(key) from None\nKeyError: 'SM_CHANNEL_TRAINING'\n",
    headline: "KeyError: 'SM_CHANNEL_TRAINING'",
    place: "cifar10.py, line 158",
  },
  "an error whose headline lacks the module's name": {
    output: `${HEADING}  File "/opt/ml/code/train.py", line 14, in <module>\n` +
      '  File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode\n' +
      "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)\n",
    headline: "JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
    place: "train.py, line 14",
  },
  // https://github.com/LocalCascadeEnsemble/LCE/issues/9
  "an error whose message begins with a line break": {
    output: `${HEADING}  File "/opt/ml/code/training.py", line 15, in train\n` +
      "    search.fit(x, y)\nValueError: \nAll the 5 fits failed.\nIt is very likely ...\n",
    headline: "ValueError: All the 5 fits failed.",
    place: "training.py, line 15",
  },
  // https://github.com/inveniosoftware/dictdiffer/issues/193
  "a package that lacks a package": {
    output:
      `${HEADING}  File "/opt/ml/code/training.py", line 1, in <module>\n    import dictdiffer\n` +
      '  File "/venv/lib/python3.13/site-packages/dictdiffer/__init__.py", line 15, in <module>\n' +
      "    import pkg_resources\nModuleNotFoundError: No module named 'pkg_resources'\n",
    headline: "ModuleNotFoundError: No module named 'pkg_resources'",
    place: "training.py, line 1",
  },
  "what processing and training share": {
    output: `${HEADING}  File "/opt/program/common/tables.py", line 3, in read\nOSError: no\n`,
    headline: "OSError: no",
    place: "common/tables.py, line 3",
  },
  "a script of processing, below a directory": {
    output:
      `${HEADING}  File "/opt/ml/processing/input/code/steps/clean.py", line 9, in <module>\nKeyError: 1\n`,
    headline: "KeyError: 1",
    place: "steps/clean.py, line 9",
  },
  "code that is sent to the harness": {
    output:
      `${HEADING}  File "/tmp/mlcli-code-a1_b2/code/training.py", line 2, in train\nKeyError: 1\n`,
    headline: "KeyError: 1",
    place: "training.py, line 2",
  },
  // https://github.com/aws/amazon-sagemaker-examples/issues/1618
  "a program of the image": {
    output: `${HEADING}  File "/opt/program/train", line 48, in train\n` +
      '  File "/usr/local/lib/python2.7/dist-packages/pandas/io/parsers.py", line 702, in parser_f\n' +
      "ParserError: Error tokenizing data. C error: Calling read(nbytes) on source failed.\n",
    headline: "ParserError: Error tokenizing data. C error: Calling read(nbytes) on source failed.",
    place: "train, line 48",
  },
  "the second of two errors": {
    output: `${HEADING}  File "a.py", line 1, in f\nKeyError: 'a'\n\nThe above exception was the ` +
      `direct cause of the following exception:\n\n${HEADING}  File "a.py", line 3, in f\n` +
      "ValueError: two\n",
    headline: "ValueError: two",
    place: "a.py, line 3",
  },
  "a group of errors": {
    output:
      '  + Exception Group Traceback (most recent call last):\n  |   File "a.py", line 5, in f\n' +
      "  |     raise ExceptionGroup('two', errors)\n  | ExceptionGroup: two (1 sub-exception)\n" +
      `  +-+---------------- 1 ----------------\n    | ${HEADING}    |   File "a.py", line 2, in g\n` +
      "    | KeyError: 1\n    +------------------------------------\n",
    headline: "ExceptionGroup: two (1 sub-exception)",
    place: "a.py, line 5",
  },
  "a script that cannot be compiled": {
    output: '  File "/opt/ml/code/train.py", line 3\n    print(foo\n         ^\n' +
      "SyntaxError: '(' was never closed\n",
    headline: "SyntaxError: '(' was never closed",
    place: "train.py, line 3",
  },
  "an error between lines of another thread": {
    output:
      `${HEADING}  File "a.py", line 1, in f\n50%|#####     |\nINFO: loading\n    f()\nOSError: no\n`,
    headline: "OSError: no",
    place: "a.py, line 1",
  },
  "an error of a package whose name has a capital": {
    output: `${HEADING}  File "a.py", line 1, in f\nPIL.UnidentifiedImageError: no image\n`,
    headline: "PIL.UnidentifiedImageError: no image",
    place: "a.py, line 1",
  },
  "an error whose text cannot be made": {
    output: `${HEADING}  File "a.py", line 7, in f\na.Bad: <exception str() failed>\n`,
    headline: "Bad",
    place: "a.py, line 7",
  },
  "an error with more than the headline": {
    output: `${HEADING}  File "a.py", line 1, in f\nKeyError: 1\n` +
      `${HEADING}  File "a.py", line 2, in f\nKeyError: 12\n`,
    headline: "KeyError: 1",
    place: "a.py, line 1",
  },
  // https://docs.python.org/3/library/multiprocessing.html, as Python 3.11 prints it
  "an error in another process": {
    output: 'multiprocessing.pool.RemoteTraceback: \n"""\n' +
      `${HEADING}  File "a.py", line 5, in work\nKeyError: 1\n"""\n\nThe above exception was ` +
      `the direct cause of the following exception:\n\n${HEADING}  File "a.py", line 20, in f\n` +
      "KeyError: 1\n",
    headline: "KeyError: 1",
    place: "a.py, line 5",
  },
  "an error that Python ignored": {
    output: `Exception ignored in: <function C.__del__ at 0x7f>\n${HEADING}` +
      '  File "a.py", line 4, in __del__\nKeyError: 1\n',
    headline: "KeyError: 1",
    place: undefined,
  },
  "frames that are only a package's": {
    output: `${HEADING}  File "/usr/lib/python3/dist-packages/x/y.py", line 1, in f\nOSError: no\n`,
    headline: "OSError: no",
    place: undefined,
  },
  "another error than the headline's": {
    output: `${HEADING}  File "a.py", line 1, in f\nOSError: no\n`,
    headline: "no data",
    place: undefined,
  },
  "a stack without an error": {
    output: '\n  File "a.py", line 1, in f\n    traceback.print_stack()\nEpoch: 1\n',
    headline: "Epoch: 1",
    place: undefined,
  },
};

suite("userPlace", () => {
  for (const [name, { output, headline, place }] of Object.entries(ROWS)) {
    it(`userPlace returns ${place ?? "undefined"} for ${name}`, () => {
      const raised = raisedAs(headline, output);
      assertEquals(raised && userPlace(raised), place);
    });
  }
});

suite("raisedIn", () => {
  it("raisedIn returns the code of each frame, if the traceback has it", () => {
    const output = `${HEADING}  File "a.py", line 1, in <module>\n    f(\n    ^^\n` +
      '  File "<string>", line 2, in f\nKeyError: 1\n';
    assertEquals(raisedIn(output), [{
      ...{ words: "KeyError: 1", end: 6, isLedTo: false },
      frames: [
        { file: "a.py", line: "1", name: "<module>", text: "f(" },
        { file: "<string>", line: "2", name: "f", text: "" },
      ],
    }]);
  });
});
