import { assertEquals, assertMatch } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { completeApp } from "../../helpers/app.ts";
import {
  type FakeContainer,
  fakeContainers,
  HARNESS_IMAGE,
} from "../../helpers/fake_containers.ts";
import { NO_FILES } from "../../helpers/files_label.ts";
import { Keys, runInProcess } from "../../helpers/in_process.ts";
import { runsOf } from "../../helpers/runs.ts";
import { it, suite } from "../../helpers/suite.ts";

interface Ending {
  /** Whether the image was built from other files. */
  readonly isOther?: boolean;
  readonly args?: readonly string[];
  readonly status?: number;
  readonly said?: string;
  readonly isStopped?: boolean;
  readonly writesNoModel?: boolean;
}

/** What a run says, with APP and RUN for the names. */
async function lastWords(ending: Ending): Promise<string> {
  const { isOther = false, args = ["train"], status = 0, said = "" } = ending;
  const { isStopped = false, writesNoModel = false } = ending;
  await using app = await completeApp();
  const Config = {
    ...HARNESS_IMAGE,
    Labels: { "mlcli.app": app.name, ...isOther ? NO_FILES : {} },
  };
  const image = { Os: "linux", Architecture: "amd64", Config };
  const keys = new Keys();
  await using engine = await fakeContainers({
    writesNoModel,
    answers: { "GET /images/NAME/json": () => Response.json(image) },
    program: ({ err, end }: FakeContainer) => {
      if (said) err(said);
      return isStopped ? keys.press() : end(status);
    },
    onStop: ({ end }) => end(1),
  });
  const result = await runInProcess(["local", ...args], { cwd: app.directory, engine, keys });
  const [run] = await runsOf(app);
  assertEquals(result.stdout, "");
  return result.stderr.replaceAll(run!, "RUN").replaceAll(app.name, "APP");
}

const HEADING = "Traceback (most recent call last):\n";
const OTHER = { isOther: true };
const STRICT = ["train", "--strict"];
const PROCESS = ["process", "--file", "p.py"];
const MODEL = "note: Model: APP/mlcli_base/local_test/test_dir/model (run RUN)\n";
const LOOK = "note: See this run: mlcli local describe RUN\n";
const DIFFERS = "APP:latest differs from APP/mlcli_base/Dockerfile and requirements.txt: " +
  "SageMaker runs the image as it is\n";

const CASES: Readonly<Record<string, readonly [Ending, RegExp | string]>> = {
  "where the model is": [{}, MODEL],
  "that, on a line of its own": [{ said: "epoch 1" }, `epoch 1\n${MODEL}`],
  "nothing of a model that was not written": [
    { writesNoModel: true },
    /^warning: The training run wrote no file to \/opt\/ml\/model\nhint: On SageMaker, .* The earlier model .*\n$/,
  ],
  "nothing of a model after processing": [{ args: PROCESS }, ""],
  "where to look after a failure": [
    { status: 3 },
    `${LOOK}error: Training failed: exit code 3\n`,
  ],
  "where to look after a stop": [
    { isStopped: true },
    /^Stopping .*\n(note: .*\n)?note: See this run: mlcli local describe RUN\n$/,
  ],
  "the build and the run, where the image differs": [
    OTHER,
    `warning: ${DIFFERS}${MODEL}hint: mlcli build && mlcli local train\n`,
  ],
  "the same after a failure": [
    { ...OTHER, status: 3 },
    `warning: ${DIFFERS}${LOOK}error: Training failed: exit code 3\n` +
    "hint: If your changes since the last build are the cause, rebuild: mlcli build && mlcli " +
    "local train\n",
  ],
  "no build for a file of data that does not exist, though the image differs": [
    {
      ...OTHER,
      status: 1,
      said:
        `${HEADING}  File "/opt/ml/code/training.py", line 4, in train\n    open("reviews.csv")\n` +
        "FileNotFoundError: [Errno 2] No such file or directory: 'reviews.csv'\n",
    },
    /\nerror: Training failed: FileNotFoundError: .* \(training\.py, line 4\)\nhint: Put the file into /,
  ],
  "no build for a missing file of the data, under --strict, if the code in the image differs": [
    {
      ...OTHER,
      args: STRICT,
      status: 1,
      said:
        `${HEADING}  File "/opt/ml/code/training.py", line 4, in train\n    open("reviews.csv")\n` +
        "FileNotFoundError: [Errno 2] No such file or directory: 'reviews.csv'\n",
    },
    /\nhint: Put the file into APP\S+training, or open a file in channel training \(data\.csv\): "\/opt\/ml\/input\/data\/training\/data\.csv"/,
  ],
  "the same of processing": [
    { ...OTHER, args: PROCESS },
    `warning: ${DIFFERS}hint: mlcli build && mlcli local process --file p.py\n`,
  ],
  "the same of another tag": [
    { ...OTHER, args: ["train", "--docker-tag", "v2"] },
    /\nhint: mlcli build --docker-tag v2 && mlcli local train --docker-tag v2\n$/,
  ],
  "the same under --strict, and not that the model is in place": [
    { ...OTHER, args: STRICT },
    /^note: The model of this run is in \S+; \S+ is unchanged\nnote: See this run: mlcli local describe RUN\nerror: --strict found 1 difference .*\n {2}APP:latest differs from .*\nhint: mlcli build && mlcli local train --strict\n$/,
  ],
  "the same of a failure under --strict": [
    { ...OTHER, args: STRICT, status: 3 },
    /^warning: .*\nnote: .*\nerror: Training failed: exit code 3\nhint: mlcli build && mlcli local train --strict\n$/,
  ],
};

suite("the last that a run says", () => {
  for (const [title, [ending, expected]] of Object.entries(CASES)) {
    it(`is ${title}`, async () => {
      const said = await lastWords(ending);
      if (typeof expected === "string") assertEquals(said, expected);
      else assertMatch(said, expected);
    });
  }
});

suite("a run whose messages cannot be printed", () => {
  it("a training run puts its model in place though standard error cannot be written", async () => {
    await using app = await completeApp();
    const Config = { ...HARNESS_IMAGE, Labels: { "mlcli.app": app.name, ...NO_FILES } };
    const image = { Os: "linux", Architecture: "amd64", Config };
    await using engine = await fakeContainers({
      answers: { "GET /images/NAME/json": () => Response.json(image) },
      program: ({ end }: FakeContainer) => end(0),
    });
    let warnings = 0;
    const onMessage = (text: string): void => {
      if (text.startsWith("warning: ")) warnings++;
      throw new MlcliError("Standard error cannot be written");
    };
    await runInProcess(["local", "train"], { cwd: app.directory, engine, onMessage });
    const listed = await runInProcess(["local", "list-jobs", "--output", "json"], {
      cwd: app.directory,
    });
    const [{ status }] = JSON.parse(listed.stdout);
    assertEquals({ status, warnings }, { status: "Completed", warnings: 1 });
  });
});
