/** An app made of an MLflow model. Source of its form: mlflow/mlflow:mlflow/models/model.py. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { relative } from "@std/path/relative";
import { basePath } from "../app/paths.ts";
import { accepts, DEFAULT_PYTHON_VERSION } from "../app/configuration.ts";
import type { RequirementLine } from "../contract/requirement_lines.ts";
import { MlcliError } from "../errors.ts";
import { isFile } from "../files.ts";
import { readTemplate } from "../image/scaffold.ts";
import { inOneLine, isObject, shellWord } from "../text.ts";
import { nameOf, type Origin, type Read, requirementsFile, testDirectory } from "./origin.ts";
import { copiesOf, leftOutText, named, type Project, textIn, textOf } from "./project.ts";
import { droppedText, takenRequirements } from "./requirements.ts";
import { mappingIn, withStrings } from "./yaml.ts";

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
    throw new MlcliError(`The model has no python_function flavor: ${inOneLine(shown)}`, {
      hint: "MLflow serves only models with this flavor. Wrap yours in an MLflow PythonModel.",
    });
  }
  const name = nameOf(project.name, basename(project.path));
  const base = basePath(name);
  const place = `${testDirectory(name)}/model`;
  const [training, serve] = [`${base}/training/training.py`, `${base}/prediction/serve`];
  const { python, pythonLeft } = pythonOf(flavor["python_version"]);
  const packages = await packagesOf(model, mlflow, python, name);
  const { source, requirements, lines, referred, packagesLeft } = packages;
  // An app that lies in the model's directory is not copied into itself.
  const own = join(relative(path, project.cwd), name);
  const isOwn = (file: string): boolean =>
    file.startsWith(`${own}/`) || [`${own}.json`, ".dockerignore"].includes(file);
  const { files, leftOut } = await copiesOf(model, "", place, isOwn);
  const { text, changed } = withSlashes(
    await textIn(model, "MLmodel") ?? "",
    files.map(({ path }) => path.slice(place.length + 1)),
  );
  const example = files.find(({ path }) => path === `${place}/serving_input_example.json`);
  const request = shellWord(example?.path ?? "REQUEST.json");
  const toWrite = `MLflow models have no training code. To train, write it in ${training}.`;
  return {
    what: `the MLflow model ${inOneLine(join(shown, "MLmodel"))}`,
    name,
    configuration: { image_name: name.toLowerCase(), python_version: python, requirements },
    files: [
      requirementsFile(requirements, source, lines),
      { path: serve, content: await readTemplate("from/mlflow_serve.py") },
      { path: training, content: await readTemplate("from/training.py") },
      ...files.map((file) =>
        changed.length > 0 && file.path === `${place}/MLmodel` ? { ...file, content: text } : file
      ),
      ...referred,
    ],
    taken: [
      ["the model's files", place],
      [source, requirements],
      ["`python_version` of MLmodel", `Python ${python}`],
      ["`mlflow models serve`", serve],
    ],
    left: [
      toWrite,
      ...pythonLeft,
      ...packagesLeft,
      ...named("The copy of MLmodel has slashes instead of backslashes in", changed),
      ...leftOutText(leftOut),
    ],
    next: ["mlcli build", "mlcli local deploy", `mlcli local invoke ${request}`],
  };
}

/** Paths from the machine that saved the model. mlflow reads only their last part. */
const FOREIGN_PATH = /^model_(code_path|config)$/;

/**
 * Converts paths of MLmodel that mlflow wrote on Windows (mlflow/mlflow#9278, #19744), each only if
 * it then leads to a file or directory of the model.
 *
 * @param files paths in the model, with slashes.
 */
function withSlashes(mlmodel: string, files: readonly string[]) {
  const places = new Set(
    files.flatMap((file) =>
      Array.from(file.matchAll(/\/|$/g), ({ index }) => file.slice(0, index))
    ),
  );
  const changed: string[] = [];
  const text = withStrings(mlmodel, (value, key) => {
    if (!value.includes("\\")) return value;
    const path = value.replaceAll("\\", "/").replace(FOREIGN_PATH.test(key) ? /^.*\// : /\/$/, "");
    if (!places.has(path)) return value;
    changed.push(value);
    return path;
  });
  return { text, changed };
}

async function yamlIn(model: Project, file: string): Promise<Readonly<Record<string, unknown>>> {
  return mappingIn(await textIn(model, file) ?? "{}", join(model.shown, file));
}

/** The Python of the image. @param found `3.10.12`, or anything. */
function pythonOf(found: unknown) {
  const text = typeof found === "string" ? inOneLine(found).slice(0, 20) : "";
  const [minor = DEFAULT_PYTHON_VERSION] = /^\d{1,2}\.\d{1,3}(?=\.|$)/.exec(text) ?? [];
  // Of the Pythons that mlcli has, the oldest is the closest to those before it.
  const python = accepts("python_version", minor) ? minor : "3.8";
  if (text.startsWith(python)) return { python, pythonLeft: [] };
  const was = `The model needs ${text === "" ? "an unknown Python" : `Python ${text}`}`;
  const left = `${was}, but the image has ${python}. Pickled objects might not load.`;
  return { python, pythonLeft: [left] };
}

/** A package of an index, with its versions and conditions: no option, address or file of pip's. */
const PACKAGE =
  /^(?!.*[ \t]-)[A-Za-z\d][\w.-]*([ \t]*\[[\w \t,.-]*\])?[ \t]*([(<>=!~;][\w \t.,*+!<>=~;()'"-]*)?$/;

/** Versions of mlflow that import pkg_resources and don't require setuptools (mlflow/mlflow#11330). */
const NEEDS_SETUPTOOLS = /^([01]\b|2\.(\d|1[0-5])\b|2$)/;

/** The oldest version that a requirement accepts. */
const OLDEST = /(?<![<!])[=~>]=?[ \t]*(\d[\d.]*)/;

/**
 * Returns the requirement for a setuptools that has pkg_resources: the version that the model's
 * environment names, or else one before 81.
 *
 * @param named requirements of pip, or of conda (`setuptools=65.5.0=py39h06a4308_0`).
 */
function setuptoolsOf(named: readonly unknown[], python: string): string {
  // pkg_resources before 66.1 fails in Python 3.12, and 82.0 removed it.
  const oldest = Number(python.split(".")[1]) < 12 ? 0 : 67;
  const version = named.map((line) => /^setuptools==?(\d+(\.\d+)*)(=|$)/.exec(textOf(line))?.[1])
    .find((one = "") => parseInt(one) >= oldest && parseInt(one) < 82);
  return version === undefined ? "setuptools<81" : `setuptools==${version}`;
}

/** Returns the app's requirements: the model's requirements.txt, or else conda.yaml's for pip. */
async function packagesOf(model: Project, version: unknown, python: string, name: string) {
  // In the app's directory, because a requirements.txt next to it might belong to the model.
  const to = `${name}/requirements.txt`;
  const isConda = await textIn(model, "requirements.txt") === undefined;
  // Without its version, it may be a later mlflow, which answers otherwise.
  const isPackage = (line: string): boolean => PACKAGE.test(line) && line !== "mlflow";
  const fits = ({ text, reference }: RequirementLine): boolean =>
    reference === undefined ? isPackage(text) : !isConda && !/:\/\/|\$\{/.test(text);
  const ofConda = [(await yamlIn(model, "conda.yaml"))["dependencies"] ?? []].flat();
  const ofPip = ofConda.flatMap((one) => isObject(one) ? one["pip"] : [])
    .filter((line) => typeof line === "string");
  const more = isConda ? [...new Set(ofPip)].join("\n") : "";
  const taken = await takenRequirements(model, "requirements.txt", to, name, fits, more);
  const linesOf = (one: string): readonly string[] =>
    taken.all.filter((line) => /^[\w.-]+/.exec(line)?.[0].toLowerCase() === one);
  const release = typeof version === "string" && /^\d+(\.\d+)+$/.test(version) ? version : "";
  const [mlflow] = linesOf("mlflow");
  const installed = OLDEST.exec(mlflow ?? "")?.[1] ?? release;
  const needs = NEEDS_SETUPTOOLS.test(installed);
  const own = needs ? linesOf("setuptools") : [];
  const tooNew = own.filter((line) => parseInt(OLDEST.exec(line)?.[1] ?? "") > 80);
  const env = await yamlIn(model, "python_env.yaml").catch(() => undefined);
  const environment = [env?.["build_dependencies"], env?.["dependencies"], ofConda, ofPip].flat();
  const others = ofConda.filter((one) => typeof one === "string")
    .filter((one) => !/^(python|pip|setuptools)(?![\w.-])/.test(one));
  const setuptools = setuptoolsOf(own.length > 0 ? own : environment, python);
  const lines = [
    mlflow || !release ? mlflow ?? "mlflow" : `mlflow==${release}`,
    ...taken.lines,
    // A constraint does not install it.
    ...needs ? [tooNew.length === 0 ? setuptools : "setuptools"] : [],
  ];
  return {
    source: isConda ? "conda.yaml" : "requirements.txt",
    requirements: to,
    lines: [...new Set(lines)],
    referred: taken.files,
    packagesLeft: [
      ...taken.left,
      ...mlflow || release ? [] : [`Set the model's mlflow version in ${to}`],
      ...named(`mlflow ${installed} needs setuptools<81 instead of`, tooNew),
      ...droppedText(taken.dropped.filter((line) => !PACKAGE.test(line)), to),
      ...named("Conda packages that you must install with pip or apt", others),
    ],
  };
}
