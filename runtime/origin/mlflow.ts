/** An app made of an MLflow model. Source of its form: mlflow/mlflow:mlflow/models/model.py. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { basePath } from "../app/app.ts";
import { accepts, DEFAULT_PYTHON_VERSION } from "../app/configuration.ts";
import type { RequirementLine } from "../contract/requirement_lines.ts";
import { MlcliError } from "../errors.ts";
import { isFile } from "../files.ts";
import { readTemplate } from "../image/scaffold.ts";
import { inOneLine, isObject, shellWord } from "../text.ts";
import { nameOf, type Origin, type Read, requirementsFile, testDirectory } from "./origin.ts";
import { copiesOf, leftOutText, type Project, textIn } from "./project.ts";
import { takenRequirements } from "./requirements.ts";
import { mappingIn } from "./yaml.ts";

/** The model is the project, or lies in it: in a logged model of mlflow 3, or in a run before it. */
export async function findModel(project: Project): Promise<Read | undefined> {
  for (const folder of ["", "artifacts", "artifacts/model"]) {
    if (await isFile(join(project.path, folder, "MLmodel"))) {
      return () => mlflowOrigin(project, folder);
    }
  }
}

/** @throws MlcliError for a model without python_function, which mlflow does not serve, either. */
async function mlflowOrigin(project: Project, folder: string): Promise<Origin> {
  const [path, shown] = [join(project.path, folder), join(project.shown, folder)];
  const model = { ...project, path, shown };
  const { flavors, mlflow_version: mlflow } = await yamlIn(model, "MLmodel");
  const flavor = isObject(flavors) ? flavors["python_function"] : undefined;
  if (!isObject(flavor)) {
    throw new MlcliError(`The model has no flavor python_function: ${inOneLine(shown)}`, {
      hint: "MLflow serves only models that have it. Wrap yours in a PythonModel of MLflow.",
    });
  }
  const name = nameOf(project.name, basename(project.path));
  const base = basePath(name);
  const place = `${testDirectory(name)}/model`;
  const [training, serve] = [`${base}/training/training.py`, `${base}/prediction/serve`];
  // Of the app's own: one in this directory may be the model's, or for something else.
  const requirements = `${name}/requirements.txt`;
  const { python, pythonLeft } = pythonOf(flavor["python_version"]);
  const { source, lines, referred, packagesLeft } = await packagesOf(
    model,
    mlflow,
    name,
    requirements,
  );
  // An app that lies in the model's directory is not copied into itself.
  const own = join(relative(path, project.cwd), name);
  const isOwn = (file: string): boolean =>
    file.startsWith(`${own}/`) || [`${own}.json`, ".dockerignore"].includes(file);
  const { files, leftOut } = await copiesOf(model, "", place, isOwn);
  const example = files.find(({ path }) => path === `${place}/serving_input_example.json`);
  const request = shellWord(example?.path ?? "REQUEST.json");
  const toWrite = `A model has no training code: to train, write it in ${training}.`;
  return {
    what: `the MLflow model ${inOneLine(join(shown, "MLmodel"))}`,
    name,
    configuration: { image_name: name.toLowerCase(), python_version: python, requirements },
    files: [
      requirementsFile(requirements, source, lines),
      { path: serve, content: await readTemplate("from/mlflow_serve.py") },
      { path: training, content: await readTemplate("from/training.py") },
      ...files,
      ...referred,
    ],
    taken: [
      ["the files of the model", place],
      [source, requirements],
      ["`python_version` of MLmodel", `Python ${python}`],
      ["`mlflow models serve`", serve],
    ],
    left: [toWrite, ...pythonLeft, ...packagesLeft, ...leftOutText(leftOut)],
    next: ["mlcli build", "mlcli local deploy", `mlcli local invoke ${request}`],
  };
}

async function yamlIn(model: Project, file: string): Promise<Readonly<Record<string, unknown>>> {
  return mappingIn(await textIn(model, file) ?? "{}", join(model.shown, file));
}

/** The Python of the image. @param found `3.10.12`, or anything. */
function pythonOf(found: unknown) {
  const text = typeof found === "string" ? inOneLine(found) : "";
  const [minor = DEFAULT_PYTHON_VERSION] = /^\d{1,2}\.\d{1,3}(?=\.|$)/.exec(text) ?? [];
  // Of the Pythons that mlcli has, the oldest is the closest to those before it.
  const python = accepts("python_version", minor) ? minor : "3.8";
  if (text.startsWith(python)) return { python, pythonLeft: [] };
  const was = `The model is of ${text === "" ? "an unknown Python" : `Python ${text}`}`;
  return { python, pythonLeft: [`${was}, the image has ${python}: pickled parts may not load.`] };
}

/** A package of an index, with its versions and conditions: no option, address or file of pip's. */
const PACKAGE =
  /^[A-Za-z\d][\w.-]*([ \t]*\[[\w \t,.-]*\])?[ \t]*([(<>=!~;][\w \t.,*+!<>=~;()'"-]*)?$/;

/** What pip is to install: the model's requirements.txt, or else what conda.yaml has for pip. */
async function packagesOf(model: Project, version: unknown, name: string, to: string) {
  const text = await textIn(model, "requirements.txt");
  // Without its version, it may be a later mlflow, which answers otherwise.
  const isPackage = (line: string): boolean => PACKAGE.test(line) && line !== "mlflow";
  const fits = ({ text, reference }: RequirementLine): boolean =>
    reference === undefined ? isPackage(text) : !/:\/\/|\$\{/.test(text);
  const taken = await takenRequirements(model, "requirements.txt", to, name, fits);
  const { dependencies } = await yamlIn(model, "conda.yaml");
  const ofConda: readonly unknown[] = Array.isArray(dependencies) ? dependencies : [];
  const ofPip = ofConda.flatMap((one) => isObject(one) ? one["pip"] : [])
    .filter((line) => typeof line === "string")
    .map((line) => line.replace(/(^|\s)#.*/, "").trim());
  const kept = text === undefined ? ofPip.filter(isPackage) : taken.lines;
  const isRelease = typeof version === "string" && /^\d+(\.\d+)+$/.test(version);
  const hasMlflow = kept.some((line) => /^mlflow(?![\w.-])/i.test(line));
  const dropped = (text === undefined ? ofPip : taken.dropped)
    .filter((line) => line !== "" && !PACKAGE.test(line));
  const others = ofConda.filter((one) => typeof one === "string")
    .filter((one) => !/^(python|pip)(?![\w.-])/.test(one));
  const named = (words: string, names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [`${words}: ${names.map(inOneLine).join(", ")}`];
  return {
    source: text === undefined ? "conda.yaml" : "requirements.txt",
    lines: hasMlflow ? kept : [isRelease ? `mlflow==${version}` : "mlflow", ...kept],
    referred: taken.files,
    packagesLeft: [
      ...taken.left,
      ...hasMlflow || isRelease ? [] : [`Write the model's version of mlflow into ${to}.`],
      ...named(`Not packages of an index; add to ${to} what you trust`, dropped),
      ...named("Packages of conda, which the image has only by pip or apt", others),
    ],
  };
}
