/** What to do with a project that mlcli cannot take over. A bounded look; nothing of it is run. */

import { basename } from "@std/path/basename";
import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { DEFAULT_PYTHON_VERSION } from "../app/configuration.ts";
import { cleanedPath, isOutside } from "../app/typed_path.ts";
import { isFile } from "../files.ts";
import { isNoCode } from "../source/source.ts";
import { inOneLine, shellWord } from "../text.ts";
import { nameOf, testDirectory } from "./origin.ts";
import { type Project, textIn } from "./project.ts";

const WEB = "is a web application. Add a program named serve to the PATH of its image, to handle " +
  "GET /ping and POST /invocations on 0.0.0.0:8080. Then --from accepts its Dockerfile.";

/** A module that a Python file imports, to what to do. */
const HINTS: Readonly<Record<string, string>> = {
  sagemaker: "starts SageMaker jobs. Create an app from a job: mlcli init --from training-job/NAME",
  bentoml: "is a BentoML service. Export its model, create an app with mlcli init, and move the " +
    "code of __init__ to model_fn and the code of its API to predict_fn.",
  ts: "is a TorchServe handler. Create an app with mlcli init. Move the code of initialize to " +
    "model_fn, and the code of handle to predict_fn, which receives a single request.",
  fastapi: WEB,
  flask: WEB,
};

const IMPORT = new RegExp(`^[ \\t]*(?:from|import) +(${Object.keys(HINTS).join("|")})\\b`, "gm");

/** Returns what to do with a directory of no kind that mlcli knows; `undefined` if it cannot tell. */
export async function hintFor(project: Project): Promise<string | undefined> {
  const scripts: string[] = [];
  let other: { readonly path: string; readonly module: string } | undefined;
  for (const path of pythonFilesIn(project.path).slice(0, 200)) {
    const text = await textIn(project, path).catch(() => "") ?? "";
    const startsJobs = /\.fit\(|\bModelTrainer\(/.test(text);
    const [module] = [...text.matchAll(IMPORT)].map(([, name = ""]) => name)
      .filter((name) => name !== "sagemaker" || startsJobs);
    if (module === undefined) scripts.push(path);
    else other ??= { path, module };
  }
  const [train, inference] = ["train.py", "inference.py"]
    .map((name) => scripts.find((path) => basename(path) === name));
  const hint = await scriptHint(project, train, inference);
  if (hint !== undefined || other === undefined) return hint;
  return `${inOneLine(other.path)} ${HINTS[other.module]}`;
}

/** Returns the commands that run scripts for AWS's images in a new app, if there are any. */
async function scriptHint(
  project: Project,
  train: string | undefined,
  inference: string | undefined,
): Promise<string | undefined> {
  const { path, cwd, name } = project;
  const directory = isOutside(relative(cwd, path)) ? path : cwd;
  const shown = (file: string): string =>
    inOneLine(cleanedPath(relative(directory, join(path, file))) || ".").replace(/^-/, "./-");
  const options = (script: string): string =>
    `--source-dir ${shellWord(shown(dirname(script)))} --entry-point ${basename(script)}`;
  const taken = Array.from(Deno.readDirSync(directory), ({ name }) => name.replace(/\.json$/, ""));
  let app = nameOf(name, basename(directory));
  while (taken.includes(app)) app += "-app";
  const change = directory === cwd ? "" : `cd ${shellWord(inOneLine(directory))} && `;
  const init = `  ${change}mlcli init ${app} --image`;
  const lines: string[] = [];
  if (train !== undefined) {
    const requirements = join(dirname(train), "requirements.txt");
    const variables = (await textIn(project, train).catch(() => "") ?? "").matchAll(CHANNEL);
    const channels = new Set(Array.from(variables, ([, name = ""]) => name.toLowerCase()));
    const write = `List the packages that it imports in ${shown(requirements)}.`;
    const image = `python:${DEFAULT_PYTHON_VERSION}`;
    lines.push(
      `${shown(train)} trains a model. Run it in ${image} or in an AWS image:`,
      `${init} ${image} ${options(train)}`,
      ...await isFile(join(path, requirements)) ? [] : [write],
      ...channels.size === 0 ? [] : ["Put the data of each channel into its directory:"],
      ...[...channels].slice(0, 20).map((one) => `  ${testDirectory(app)}/input/data/${one}/`),
      "Then train the model:",
      `  mlcli local train --app-name ${app}`,
    );
  }
  if (inference !== undefined) {
    const put = `Put the model into ${testDirectory(app)}/model/ and start the server:`;
    lines.push(
      `${shown(inference)} serves a model. Run it in IMAGE, an AWS image for inference:`,
      ...train === undefined ? [`${init} IMAGE`, put] : [],
      `  mlcli local deploy --app-name ${app} --image IMAGE ${options(inference)}`,
    );
  }
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** A variable that holds the directory of a channel. */
const CHANNEL = /\bSM_CHANNEL_([A-Za-z\d_]{1,64})\b/g;

/** Returns the Python files at the top, then those one level below. Links count for none. */
function pythonFilesIn(root: string, folder = ""): readonly string[] {
  const entries = [...Deno.readDirSync(join(root, folder))];
  const below = entries.filter(({ name, isDirectory }) =>
    isDirectory && folder === "" && !isNoCode(join(root, name), root)
  );
  return entries.filter(({ name, isFile }) => isFile && name.endsWith(".py"))
    .map(({ name }) => join(folder, name)).sort()
    .concat(below.map(({ name }) => name).sort().flatMap((name) => pythonFilesIn(root, name)));
}
