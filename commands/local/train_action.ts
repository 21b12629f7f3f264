import { basename } from "@std/path/basename";
import { APP_NAME } from "../../runtime/app/app.ts";
import { absolutePath, shellWord } from "../../runtime/app/typed_path.ts";
import type { Context } from "../../runtime/context.ts";
import { MlcliError, NoAppHere } from "../../runtime/errors.ts";
import type { TrainingJob } from "../../runtime/local/jobs.ts";
import { train } from "../../runtime/local/train.ts";
import type { ConfigurableCall } from "../command.ts";
import { requireCompatible } from "../usage.ts";
import { programOf } from "../program.ts";
import { containerRequest } from "./container_request.ts";
import { imageAccess, runHost } from "./image_access.ts";
import type { TrainDeclaration, TrainOptions } from "./train.ts";

/** `--watch` runs more than once; the others are about one run. */
const CONTRADICTIONS = [
  ["--watch", "--strict"],
  ["--watch", "--interactive"],
  ["--watch", "--stop-after"],
] as const;

/** Without an app, the line that makes one of what was typed. */
function initInstead(
  error: unknown,
  { cwd }: Context,
  { image, sourceDir = ".", entryPoint, launcher }: TrainOptions,
): never {
  const isNowhere = error instanceof NoAppHere && error.above === undefined;
  if (!isNowhere || image === undefined) throw error;
  const name = basename(cwd);
  const words = [
    ...["mlcli", "init", APP_NAME.test(name) ? name : "app", "--image", image],
    ...entryPoint === undefined ? [] : ["--source-dir", sourceDir, "--entry-point", entryPoint],
    ...launcher === undefined ? [] : ["--launcher", launcher],
  ];
  throw new MlcliError(error.message, { hint: words.map(shellWord).join(" "), cause: error });
}

/** Trains on the app's test data. */
export async function trainAction(
  context: Context,
  options: TrainOptions,
  call: ConfigurableCall<TrainDeclaration>,
): Promise<void> {
  requireCompatible("mlcli local train", CONTRADICTIONS, {
    "--watch": options.watch,
    "--strict": options.strict,
    "--interactive": options.interactive,
    "--stop-after": options.stopAfter !== undefined,
  });
  const request = await containerRequest(context, options, call)
    .catch((error) => initInstead(error, context, options));
  const { app, isImageTyped, program } = await programOf(
    request.app,
    "train",
    options,
    options.args,
    context,
  );
  const job: TrainingJob = {
    ...request,
    app,
    images: imageAccess(context, { app, isImageTyped, command: "mlcli local train" }),
    program,
    usesNetworkSettings: options.networkSettings,
    interactive: options.interactive,
    grace: options.grace,
    copyInputs: options.copyInputs,
    stopAfter: options.stopAfter,
    checkpoints: options.checkpoints || options.stopAfter !== undefined,
    hyperparameters: options.hyperparameter,
    inputs: options.input.map(({ name, directory }) => ({
      name,
      source: absolutePath(context.cwd, directory),
    })),
  };
  const host = runHost(context, app);
  if (options.watch) {
    const { watchTraining } = await import("./watch.ts");
    return await watchTraining(job, host);
  }
  await train(job, host);
}
