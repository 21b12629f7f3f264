import { assertEquals } from "@std/assert";
import { FoldedFrames } from "../../../../runtime/local/container/folded.ts";
import { NOWHERE, overlaid } from "../../../../runtime/streams.ts";
import { it, suite } from "../../../helpers/suite.ts";

const LOG = "flats/jobs/RUN/log";

const HEADING = "Traceback (most recent call last):\n";
const OWN = '  File "/opt/ml/code/train.py", line 44, in <module>\n    pd.read_csv(path)\n';
const ERROR = "FileNotFoundError: [Errno 2] No such file or directory: 'x.csv'\n";

/** A frame of a package, with the line of code and the marks that Python 3.11 prints. */
function frame(path: string, line: number): string {
  return `  File "${path}", line ${line}, in read\n    return _read(path)\n           ^^^^^^^^^^^\n`;
}

const PANDAS = [1, 2, 3].map((line) =>
  frame("/usr/local/lib/python3.11/site-packages/pandas/io/parsers.py", line)
);
const JSON_FRAMES = [1, 2].map((line) => frame("/usr/lib/python3.11/json/decoder.py", line));

/** What a program writes, and what the terminal shows of it. */
const ROWS: Readonly<Record<string, readonly [written: string, shown: string]>> = {
  "the frames of a package, except the last, which raised the error": [
    HEADING + OWN + PANDAS.join("") + ERROR,
    `${HEADING}${OWN}  ... 2 frames in pandas (see ${LOG})\n${PANDAS[2]}${ERROR}`,
  ],
  // https://github.com/aws/amazon-sagemaker-examples/issues/1740
  "frames without code, and those of Cython": [
    HEADING + OWN + PANDAS.join("") +
    '  File "pandas/_libs/parsers.pyx", line 382, in pandas._libs.parsers.TextReader.__cinit__\n' +
    '  File "pandas/_libs/parsers.pyx", line 689, in pandas._libs.parsers.TextReader._setup\n' +
    ERROR,
    `${HEADING}${OWN}  ... 4 frames in pandas (see ${LOG})\n` +
    '  File "pandas/_libs/parsers.pyx", line 689, in pandas._libs.parsers.TextReader._setup\n' +
    ERROR,
  ],
  "the frames below a second heading": [
    HEADING + HEADING + OWN + PANDAS.join("") + ERROR,
    `${HEADING}${HEADING}${OWN}  ... 2 frames in pandas (see ${LOG})\n${PANDAS[2]}${ERROR}`,
  ],
  "all frames between two of the user's code": [
    HEADING + OWN + PANDAS.join("") + OWN + ERROR,
    `${HEADING}${OWN}  ... 3 frames in pandas (see ${LOG})\n${OWN}${ERROR}`,
  ],
  "frames of several packages and of Python": [
    HEADING + OWN + PANDAS.join("") + JSON_FRAMES.join("") + ERROR,
    `${HEADING}${OWN}  ... 4 frames in pandas, Python (see ${LOG})\n${JSON_FRAMES[1]}${ERROR}`,
  ],
  "frames of which none is the user's": [
    HEADING + PANDAS.join("") + ERROR,
    `${HEADING}  ... 2 frames in pandas (see ${LOG})\n${PANDAS[2]}${ERROR}`,
  ],
  "each of two errors that follow one another": [
    `${HEADING}${OWN}${PANDAS.join("")}${ERROR}\nDuring handling of the above exception, another ` +
    `exception occurred:\n\n${HEADING}${PANDAS.join("")}${ERROR}`,
    `${HEADING}${OWN}  ... 2 frames in pandas (see ${LOG})\n${PANDAS[2]}${ERROR}\n` +
    `During handling of the above exception, another exception occurred:\n\n${HEADING}` +
    `  ... 2 frames in pandas (see ${LOG})\n${PANDAS[2]}${ERROR}`,
  ],
  "frames behind a progress bar without a line end": [
    `\r 50%|#####     | 5/10\r 60%|######    | 6/10${HEADING}${PANDAS.join("")}${ERROR}`,
    `\r 50%|#####     | 5/10\r 60%|######    | 6/10${HEADING}  ... 2 frames in pandas (see ${LOG})\n${
      PANDAS[2]
    }${ERROR}`,
  ],
  "a call that repeats itself": [
    `${HEADING}${PANDAS[0]}${PANDAS[1]}  [Previous line repeated 994 more times]\n${PANDAS[2]}` +
    "RecursionError: maximum recursion depth exceeded\n",
    `${HEADING}  ... 2 frames in pandas (see ${LOG})\n${PANDAS[2]}` +
    "RecursionError: maximum recursion depth exceeded\n",
  ],
};

/** What a program writes, all of which is shown. */
const AS_IT_IS: Readonly<Record<string, string>> = {
  "text without a traceback": "epoch 1\n  File of weights\nloss=0.5",
  "two frames of a package": `${HEADING}${OWN}${PANDAS[0]}${PANDAS[1]}${ERROR}`,
  "frames of the user's code alone": HEADING + OWN.repeat(9) + ERROR,
  // `faulthandler`: the innermost comes first, and the program may hang there.
  "the stacks of a program that hangs": "Thread 0x00007f0 (most recent call first):\n" +
    '  File "/usr/lib/python3.11/threading.py", line 327 in wait\n'.repeat(4),
  "a stack without an error": PANDAS.join(""),
  "a traceback that is cut": HEADING + PANDAS.join("").slice(0, -30),
  "a group of errors": `  + Exception Group ${HEADING}${
    PANDAS.join("").replace(/^/gm, "  |")
  }  | ExceptionGroup: two\n`,
};

/** A terminal that folds, and what it shows, each byte as a letter. */
function terminal(): { readonly frames: FoldedFrames; readonly screen: () => string } {
  let screen = "";
  const output = overlaid({ ...NOWHERE, isTerminal: true }, {
    write: (bytes) => {
      screen += new TextDecoder("latin1").decode(bytes);
      return Promise.resolve();
    },
  });
  return { frames: new FoldedFrames(output, LOG), screen: () => screen };
}

async function shown(written: Uint8Array, length: number): Promise<string> {
  const { frames, screen } = terminal();
  for (let at = 0; at < written.length; at += length) {
    await frames.output.write(written.slice(at, at + length));
  }
  await frames.end();
  return screen();
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

suite("FoldedFrames", () => {
  for (const [name, [written, expected]] of Object.entries(ROWS)) {
    it(`FoldedFrames folds ${name}, in pieces of any length`, async () => {
      for (const length of [1, 7, 4096]) {
        assertEquals(await shown(bytesOf(written), length), expected);
      }
    });
  }

  for (const [name, text] of Object.entries(AS_IT_IS)) {
    it(`FoldedFrames does not change ${name}`, async () => {
      for (const length of [1, 7, 4096]) assertEquals(await shown(bytesOf(text), length), text);
    });
  }

  it("FoldedFrames folds the lines of one of several hosts", async () => {
    const written = (HEADING + OWN + PANDAS.join("") + ERROR).replace(/^(?=.)/gm, "algo-2: ");
    assertEquals(
      await shown(bytesOf(written), written.length),
      `${HEADING}${OWN}  ... 2 frames in pandas (see ${LOG})\n${PANDAS[2]}${ERROR}`
        .replace(/^(?=.)/gm, "algo-2: "),
    );
  });

  it("FoldedFrames keeps bytes that are not UTF-8", async () => {
    const bytes = bytesOf(`${HEADING}${OWN}X`);
    bytes[bytes.length - 1] = 0xff;
    assertEquals(await shown(bytes, 5), `${HEADING}${OWN}\xff`);
  });

  it("FoldedFrames shows the line of another thread between two frames at once", async () => {
    const { frames, screen } = terminal();
    await frames.output.write(bytesOf(HEADING + OWN + PANDAS[0]));
    assertEquals(screen(), HEADING + OWN);
    await frames.output.write(bytesOf("epoch 2"));
    assertEquals(screen(), `${HEADING}${OWN}${PANDAS[0]}epoch 2`);
  });

  it("FoldedFrames holds back no part of a very long line", async () => {
    const { frames, screen } = terminal();
    await frames.output.write(bytesOf(HEADING + " ".repeat(10_000)));
    assertEquals(screen(), HEADING + " ".repeat(10_000));
  });

  it("FoldedFrames shows indented lines of another program that go on after a frame", async () => {
    const { frames, screen } = terminal();
    const lines = "    a line of another program\n".repeat(400);
    await frames.output.write(bytesOf(HEADING + PANDAS[0] + lines));
    assertEquals(screen(), HEADING + PANDAS[0] + lines);
  });

  it("FoldedFrames does not change a stream that is not a terminal", () => {
    assertEquals(new FoldedFrames(NOWHERE, LOG).output, NOWHERE);
  });
});
