/** What to do with a project that mlcli cannot take over. A bounded look; nothing of it is run. */

import { join } from "@std/path/join";
import { isNoCode } from "../source/source.ts";
import { inOneLine } from "../text.ts";
import { type Project, textIn } from "./project.ts";

/** How many Python files are looked into. */
const MOST_FILES = 200;

const WEB = "is a web application: put a program serve on the PATH of its image that listens on " +
  "0.0.0.0:8080 and answers GET /ping and POST /invocations. --from then takes its Dockerfile.";

/** A module that a Python file imports, to what to do. */
const HINTS: Readonly<Record<string, string>> = {
  sagemaker: "starts jobs on SageMaker. Make an app of one: mlcli init --from training-job/NAME",
  bentoml: "is a service of BentoML: export its model, make an app with mlcli init, and write " +
    "what its __init__ does into model_fn, and what its api does into predict_fn.",
  ts: "is a handler of TorchServe: make an app with mlcli init, and write what its initialize " +
    "does into model_fn, and what its handle does, for one request, into predict_fn.",
  fastapi: WEB,
  flask: WEB,
};

const IMPORT = new RegExp(`^[ \\t]*(?:from|import) +(${Object.keys(HINTS).join("|")})\\b`, "gm");

/** What to do with a directory of no kind that mlcli knows; `undefined` where nothing tells. */
export async function hintFor(project: Project): Promise<string | undefined> {
  for (const path of pythonFilesIn(project.path, "").slice(0, MOST_FILES)) {
    const text = await textIn(project, path).catch(() => "") ?? "";
    const startsJobs = /\.fit\(|\bModelTrainer\(/.test(text);
    const [module] = [...text.matchAll(IMPORT)].map(([, name = ""]) => name)
      .filter((name) => name !== "sagemaker" || startsJobs);
    if (module !== undefined) return `${inOneLine(path)} ${HINTS[module]}`;
  }
}

/** Those at the top, and one level below. Links count for none. */
function pythonFilesIn(root: string, folder: string): readonly string[] {
  return [...Deno.readDirSync(join(root, folder))].flatMap(({ name, isFile, isDirectory }) => {
    if (isFile) return name.endsWith(".py") ? [join(folder, name)] : [];
    const isRead = isDirectory && folder === "" && !isNoCode(join(root, name), root);
    return isRead ? pythonFilesIn(root, name) : [];
  }).sort();
}
