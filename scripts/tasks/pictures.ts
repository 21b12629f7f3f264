/**
 * Draws the pictures of the documents anew, from real runs: `deno task pictures`, or those that are
 * named, such as `deno task pictures road page`. Fails if a run fails.
 *
 * Needs PyPI, and port 8080. Replaces no image: where one has the name of an app below, it fails.
 */

import { fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { removeImage, withEngine } from "../../tests/helpers/engine.ts";
import { mlcli, type Place, prepare } from "../demonstration.ts";
import type { BaseImageKind } from "../engine/base_image.ts";
import { ensureChromium } from "../engine/chromium.ts";
import { copy } from "../files.ts";
import { type Frame, framesOf, type Line } from "../pictures/frames.ts";
import { pagePictures } from "../pictures/page.ts";
import { ROAD, roadPicture } from "../pictures/road.ts";
import { recordSession } from "../pictures/session.ts";
import { terminalPicture } from "../pictures/terminal.ts";
import { runScript, step } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** A picture as SVG, or several by the names of their files. */
type Drawn = string | Readonly<Record<string, Uint8Array>>;

/** By the names of their files in docs/pictures/, or what those begin with. */
const PICTURES: Readonly<Record<string, (signal: AbortSignal) => Promise<Drawn>>> = {
  road: () => Promise.resolve(roadPicture(ROAD)),
  first_minutes: (signal) => withApp("flats", "plain", signal, firstMinutes),
  strict: (signal) => withApp("flats", "plain", signal, strictRun),
  build: (signal) => withApp("rentals", "pip", signal, halfBuilt),
  page: (signal) => withApp("digits", "sklearn", signal, pageOfRuns),
};

async function main(signal: AbortSignal): Promise<number> {
  for (const name of Deno.args.length > 0 ? Deno.args : Object.keys(PICTURES)) {
    const draw = PICTURES[name];
    if (draw === undefined) throw new MlcliError(`No picture has the name ${name}`);
    await step(name, async () => {
      const drawn = await draw(signal);
      const files = typeof drawn === "string"
        ? { [`${name}.svg`]: new TextEncoder().encode(drawn) }
        : drawn;
      for (const [file, bytes] of Object.entries(files)) {
        await Deno.writeFile(`${ROOT}docs/pictures/${file}`, bytes);
      }
    });
  }
  return 0;
}

/** Where an app of a picture is made, and the image that it is built upon. */
interface AppPlace extends Place {
  readonly baseImage: string;
}

/** Does something with an app in an empty directory. Nothing remains of it. */
async function withApp<T>(
  app: string,
  kind: BaseImageKind,
  signal: AbortSignal,
  work: (place: AppPlace) => Promise<T>,
): Promise<T> {
  const baseImage = await prepare(signal, kind);
  const image = `${app}:latest`;
  if (await withEngine((engine) => engine.image(image))) {
    throw new MlcliError(`The image ${image} is there already`, {
      hint: `Remove it (docker rmi ${image}), or give it another name.`,
    });
  }
  const directory = await Deno.makeTempDir({ prefix: "mlcli-pictures-" });
  try {
    return await work({ directory, signal, baseImage });
  } finally {
    await removeTreeIfThere(directory);
    await removeImage(image);
  }
}

/** Changes an app's configuration file. */
async function configure(file: string, change: Readonly<Record<string, unknown>>): Promise<void> {
  const { python_version: _, ...before } = JSON.parse(await Deno.readTextFile(file));
  await Deno.writeTextFile(file, JSON.stringify({ ...before, ...change }, null, 2));
}

async function firstMinutes(place: AppPlace): Promise<string> {
  const { directory, baseImage } = place;
  const begin = await recordSession(["mlcli init flats"], directory);
  // Which image an engine has differs from machine to machine.
  await configure(join(directory, "flats.json"), { base_image: baseImage });
  try {
    const rest = await recordSession([
      "mlcli build",
      "mlcli local train",
      "mlcli local deploy",
      "echo 72,3,15 | mlcli local invoke --accept text/csv",
      "mlcli local stop",
    ], directory);
    const title = "From an empty directory to a prediction";
    const desc =
      "A terminal: mlcli init writes an app, mlcli build makes its image, mlcli local train " +
      "trains a model, mlcli local deploy serves it, mlcli local invoke prints a prediction, " +
      "mlcli local stop ends the server.";
    return terminalPicture(
      { title, desc },
      await framesOf([...begin, ...rest.slice(rest.findIndex(({ isTyped }) => isTyped))]),
    );
  } catch (error) {
    await mlcli("Stop the server", place, ["local", "stop"]).catch(() => {});
    throw error;
  }
}

/** Draws a run that works locally, but whose code reads a file that the image lacks; and the fix. */
async function strictRun(place: AppPlace): Promise<string> {
  const { directory, baseImage } = place;
  await mlcli("Make an app", place, ["init", "flats"]);
  await configure(join(directory, "flats.json"), { base_image: baseImage });
  const training = "flats/mlcli_base/training";
  await Deno.writeTextFile(join(directory, training, "areas.csv"), "centre,1.4\nsouth,0.9\n");
  await Deno.writeTextFile(join(directory, ".dockerignore"), "**/*.csv\n", { append: true });
  const code = join(directory, training, "training.py");
  const sample = await Deno.readTextFile(code);
  const reading = sample
    .replace("epoch % 30 == 0 or ", "") // prints one line instead of eleven
    .replace(/^ {4}print\("trained on .*\n/m, "")
    .replace(/^( {4}settings = .*\n)/m, '$1    areas = list(open("/opt/ml/code/areas.csv"))\n');
  await Deno.writeTextFile(code, reading);
  await mlcli("Build its image", place, ["build"]);
  await mlcli("Train without --strict", place, ["local", "train"]);
  const frames = await framesOf(
    await recordSession([
      { typed: "mlcli local train --strict", exitCode: 1 },
      `echo '!${training}/areas.csv' >> .dockerignore`,
      "mlcli build && mlcli local train --strict",
    ], directory),
  );
  const title = "A difference from SageMaker, found locally and fixed";
  const desc =
    "A terminal: mlcli local train --strict fails, because the code reads a file that is not in " +
    "the image. A hint says which line to add to .dockerignore. After that, mlcli build && mlcli " +
    "local train --strict succeeds.";
  return terminalPicture({ title, desc }, [wholeSession(frames)]);
}

/** Returns one frame with all lines of a session, without the prompts before and after it. */
function wholeSession(frames: readonly Frame[]): Frame {
  const { lines } = frames.at(-1)!;
  const isTyped = ({ text }: Line): boolean => /^\$ \w/.test(text);
  const end = lines.findLastIndex(({ text }) => text !== "" && !text.startsWith("$ "));
  return { at: 0, lines: lines.slice(lines.findIndex(isTyped), end + 1), rolled: 0 };
}

async function halfBuilt({ directory, baseImage }: AppPlace): Promise<string> {
  await copy(`${ROOT}fixtures/apps/rentals`, directory);
  await configure(join(directory, "rentals.json"), { base_image: baseImage });
  // Another file than that of a build before: so pip runs.
  const requirements = join(directory, "requirements.txt");
  await Deno.writeTextFile(requirements, `# ${crypto.randomUUID()}\n`, { append: true });
  const frames = await framesOf(await recordSession(["mlcli build"], directory));
  const installing = frames.filter(({ lines }) =>
    lines.some(({ text }) => /Collecting|Downloading|Installing/.test(text))
  );
  const frame = installing[Math.floor(installing.length / 2)];
  if (frame === undefined) throw new MlcliError("The build showed nothing of what pip does");
  const title = "A build in progress";
  const desc =
    "A terminal shows each step of mlcli build with its clock. Steps that are done have a " +
    "check mark; below the running one stands what pip said last.";
  const lines = frame.lines.filter(({ text }) => text !== "");
  return terminalPicture({ title, desc }, [{ at: 0, lines, rolled: 0 }]);
}

/** Draws the page with runs of an app that learns to read digits. */
async function pageOfRuns(place: AppPlace): Promise<Drawn> {
  const { directory, baseImage, signal } = place;
  await ensureChromium(signal);
  await mlcli("Make an app", place, ["init", "digits"]);
  const names = ["train_loss", "val_loss", "train_accuracy", "val_accuracy"];
  await configure(join(directory, "digits.json"), {
    base_image: baseImage,
    metric_definitions: names.map((name) => ({ Name: name, Regex: `${name}=([0-9.]+)` })),
  });
  const code = join(directory, "digits/mlcli_base/training/training.py");
  await copy(`${ROOT}scripts/pictures/training.py`, code);
  await mlcli("Build its image", place, ["build"]);
  for (const rate of [0.0005, 0.001, 0.002, 0.01, 0.05]) {
    const given = ["--hyperparameter", `learning_rate=${rate}`];
    await mlcli(`Train at a rate of ${rate}`, place, ["local", "train", ...given]);
  }
  return await pagePictures(directory);
}

if (import.meta.main) runScript(main);
