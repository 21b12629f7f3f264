import { assertEquals } from "@std/assert";
import {
  commandOf,
  launcherIn,
  launchOf,
  processingLaunchOf,
  type Program,
} from "../../../runtime/contract/launch.ts";
import { it, suite } from "../../helpers/suite.ts";

const JOB = { name: "shop-1", region: "eu-west-1" };
const NOTHING = { entrypoint: undefined, arguments: undefined, hyperparameters: {} };

suite("what a training is started with", () => {
  for (
    const [what, program, launch, command] of [
      ["the image's own", { launcher: "image" }, NOTHING, ["train"]],
      [
        "a command",
        { launcher: "command", command: ["bash", "-c"], arguments: ["echo 1"] },
        { ...NOTHING, entrypoint: ["bash", "-c"], arguments: ["echo 1"] },
        ["echo 1"],
      ],
      [
        "a command without arguments",
        { launcher: "command", command: ["/train"], arguments: [] },
        { ...NOTHING, entrypoint: ["/train"], arguments: [] },
        [],
      ],
      [
        "a script, by mlcli's start script",
        { launcher: "script", entryPoint: "src/train.py" },
        {
          ...NOTHING,
          entrypoint: ["/bin/sh"],
          arguments: ["/opt/ml/input/data/code/start.sh", "src/train.py"],
        },
        ["/opt/ml/input/data/code/start.sh", "src/train.py"],
      ],
      [
        "a script, by AWS's toolkit: five hyperparameters, in JSON",
        { launcher: "toolkit", entryPoint: "train.py" },
        {
          ...NOTHING,
          hyperparameters: {
            sagemaker_submit_directory: '"/opt/ml/input/data/code/sourcedir.tar.gz"',
            sagemaker_program: '"train.py"',
            sagemaker_container_log_level: "20",
            sagemaker_job_name: '"shop-1"',
            sagemaker_region: '"eu-west-1"',
          },
        },
        ["train"],
      ],
    ] as const satisfies readonly (readonly [string, Program, unknown, readonly string[]])[]
  ) {
    it(what, () => {
      const found = launchOf(program, JOB);
      assertEquals(found, launch);
      assertEquals(commandOf(found), command);
    });
  }

  it("asks for torchrun by the toolkit's own hyperparameter, whatever starts it", () => {
    const asked = { sagemaker_torch_distributed_enabled: "true" };
    for (const launcher of ["image", "script", "toolkit"] as const) {
      const program = { launcher, entryPoint: "train.py" };
      const { hyperparameters, ...launch } = launchOf(program, JOB);
      const distributed = launchOf({ ...program, distribution: "torchrun" }, JOB);
      assertEquals(distributed, { ...launch, hyperparameters: { ...hyperparameters, ...asked } });
    }
  });

  it("is the toolkit where the image says that it holds it", () => {
    assertEquals(launcherIn(["PATH=/bin", "SAGEMAKER_TRAINING_MODULE=x:main"]), "toolkit");
    assertEquals(launcherIn(["PATH=/bin", "SAGEMAKER_TRAINING_MODULES=1"]), "script");
    assertEquals(launcherIn([]), "script");
  });
});

suite("what a processing job is started with", () => {
  const none = { entryPoint: undefined, command: [], file: undefined, arguments: ["-x", "a b"] };
  for (
    const [what, program, launch] of [
      ["the image's own", {}, ["image", undefined, ["-x", "a b"]]],
      ["a script", { file: "a.py" }, ["image", undefined, ["process", "a.py", "-x", "a b"]]],
      ["a command", { command: ["bash", "-c"] }, ["command", ["bash", "-c"], ["-x", "a b"]]],
      ["a file of the code", { entryPoint: "src/a.py" }, [
        "script",
        ["/bin/sh", "/opt/ml/processing/input/code/start.sh", "src/a.py"],
        ["-x", "a b"],
      ]],
    ] as const
  ) {
    it(what, () => {
      const { command, entryPoint, file } = { ...none, ...program };
      const found = processingLaunchOf(command, entryPoint, file, none.arguments);
      assertEquals([found.launcher, found.entrypoint, found.arguments], [...launch]);
    });
  }
});
