/** Projects of easy_sm and sagify: a directory of modules, with the tool's own directory in it. */

import { join } from "@std/path/join";
import { normalize } from "@std/path/normalize";
import { basePath } from "../app/paths.ts";
import { accepts, DEFAULT_REQUIREMENTS, RULES } from "../app/configuration.ts";
import { decodeRequirements } from "../contract/requirement_lines.ts";
import { UsageError } from "../errors.ts";
import { MOST_DEFINITIONS } from "../contract/metric_definitions.ts";
import { isDirectory } from "../files.ts";
import { type GivenFile, readTemplate } from "../image/scaffold.ts";
import { inOneLine, jsonObject, listed } from "../text.ts";
import {
  nameOf,
  type Origin,
  type Read,
  requirementsFile,
  type Taken,
  testDirectory,
} from "./origin.ts";
import { copiesOf, leftOutText, type Project, textIn, textOf } from "./project.ts";
import { takenRequirements } from "./requirements.ts";
import { importsOf, namesOf, statementsOf, withoutServer } from "./python.ts";

type Tool = keyof typeof TOOLS;

/** Their directories: Kenza-AI/sagify and prteek/easy_sm, `template/`. */
const TOOLS = {
  sagify: { own: ["sagify_base", "sagify"], modules: "src" },
  easy_sm: { own: ["easy_sm_base"], modules: "" },
} as const;

/** Our keys, and theirs (`config/config.py` of both). */
const KEYS = [
  ["image_name", "image_name"],
  ["python_version", "python_version"],
  ["cloud_region", "aws_region"],
  ["cloud_profile", "aws_profile"],
] as const;

/** sagify's `api/hyperparameter_tuning.py`, and the names that calls of it spell out. */
const LOG_METRIC = 'def log_metric(name, val):\n    print("{}: {}".format(name, val))\n';
const METRIC = /\blog_metric\(\s*["']([\w ]{1,99})["']/g;

/** sagify's server. */
const SERVER = /^(serve|(wsgi|predictor|predict|__init__)\.py|nginx\.conf)$/;

/** An app: the tool's file and what it holds, the directories, and what is made of it so far. */
interface Draft {
  readonly project: Project;
  readonly name: string;
  readonly file: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly modules: string;
  readonly own: string;
  readonly files: GivenFile[];
  readonly taken: Taken[];
  readonly left: string[];
  /** Python that was copied: its imports decide on `common/`. */
  readonly code: string[];
}

/** @param files those that may be the tool's. */
export async function findApps(
  tool: Tool,
  project: Project,
  files: readonly string[],
): Promise<Read | undefined> {
  const apps: Draft[] = [];
  for (const file of files) {
    const values = jsonObject(await textIn(project, file).catch(() => undefined) ?? "") ?? {};
    const modules = below(values[`${tool}_module_dir`] ?? TOOLS[tool].modules) ?? "";
    const name = tool === "sagify" ? textOf(values["image_name"]) : file.replace(/\.json$/, "");
    for (const folder of TOOLS[tool].own) {
      const own = join(modules, folder);
      const isThere = modules !== "" && await isDirectory(join(project.path, own, "training"));
      const made = { files: [], taken: [], left: [], code: [] };
      if (isThere) apps.push({ project, name, file, values, modules, own, ...made });
    }
  }
  const [app, ...others] = apps;
  return app && (() => readApp(tool, [app, ...others]));
}

/** A path that a file names; `undefined` where it leads out of the project, or is private. */
function below(value: unknown): string | undefined {
  const path = textOf(value).replace(/(?<=[^/])\/+$/, "");
  return path === "." || accepts("requirements", path) ? normalize(path) : undefined;
}

/** @throws UsageError where there are several apps, and none of them is named. */
async function readApp(tool: Tool, apps: readonly [Draft, ...Draft[]]): Promise<Origin> {
  const { project } = apps[0];
  const app = apps.find(({ name }) => name === project.name) ?? apps[0];
  if (apps.length > 1 && app.name !== project.name) {
    const names = listed(apps.map(({ name }) => name));
    throw new UsageError(`Found several apps in ${inOneLine(project.shown)}: ${names}`, {
      hint: "Choose one: mlcli init --from DIR NAME",
    });
  }
  const draft = { ...app, name: nameOf(project.name, app.name) };
  const { name, own, taken, left } = draft;
  const base = basePath(name);
  await take(draft, `${own}/training`, `${base}/training`, /^(train|__init__\.py)$/);
  const server = tool === "sagify" ? SERVER : /^(serve|__init__\.py)$/;
  await take(draft, `${own}/prediction`, `${base}/prediction`, server);
  taken.push([`\`${own}/prediction/serve\``, `\`${base}/prediction/serve\``]);
  await take(draft, `${own}/processing`, `${base}/processing`, /^__init__\.py$/);
  const [theirData, data] = [`${own}/local_test/test_dir`, testDirectory(name)];
  await take(draft, `${theirData}/input`, `${data}/input`);
  await take(draft, `${theirData}/processing/input`, `${data}/input/data/processing`);
  await take(draft, `${theirData}/model`, `${data}/model`);
  const metrics = tool === "sagify" ? await takeSagify(draft, base) : {};
  const isCsv = tool === "easy_sm" && await takeServer(draft, `${base}/prediction/serve`);
  await takeModules(draft, `${base}/common`);
  await takeRequirements(draft, isCsv);
  if (draft.files.some(({ path }) => path === `${base}/processing/Makefile`)) {
    left.push("To run make TARGET: mlcli local process --command make -- -C /opt/ml/code TARGET");
  }
  left.push(
    `${own}/Dockerfile was not converted: add your own lines to ${base}/Dockerfile`,
    'The image has no compiler, git or make. To add them, set "base_image" to "python:VERSION".',
  );
  const next = ["build", "local train", "local deploy", "local invoke FILE", "local stop"]
    .map((command) => `mlcli ${command}`);
  const what = `the ${tool} project ${inOneLine(project.shown)}`;
  return { ...draft, what, configuration: { ...keysOf(draft), ...metrics }, next };
}

/** Our keys; or what to write into the tool's file where that is the app's, and stays as it is. */
function keysOf({ project, file, values, name, taken, left }: Draft): Record<string, string> {
  const isOurs = project.path === project.cwd && file === `${name}.json`;
  const configuration: Record<string, string> = {};
  for (const [key, theirs] of KEYS) {
    const given = values[theirs] ?? "";
    const value = textOf(given);
    if (given === "" || isOurs && Object.hasOwn(values, key)) continue;
    if (!accepts(key, value)) {
      left.push(`"${value}" was not converted: ${key} must be ${RULES[key].expected}`);
    } else if (isOurs) left.push(`Add "${key}": "${value}" to ${file}`);
    else configuration[key] = value;
  }
  if (!isOurs) taken.push([`\`${file}\``, `\`${name}.json\``]);
  return configuration;
}

/** Copies a directory, if it is there. */
async function take(draft: Draft, from: string, to: string, without = /^$/): Promise<void> {
  const { project } = draft;
  if (!await isDirectory(join(project.path, from))) return;
  const { files, leftOut } = await copiesOf(project, from, to, (path) => without.test(path));
  draft.files.push(...files);
  draft.left.push(...leftOutText(leftOut));
  if (files.length > 0) draft.taken.push([`\`${from}/\``, `\`${to}/\``]);
  for (const { path } of files.filter(({ path }) => path.endsWith(".py"))) {
    draft.code.push(await textIn(project, join(from, path.slice(to.length + 1))) ?? "");
  }
}

/** Without sagify, which has one function of use. @param isCsv whether mlcli's code needs pandas. */
async function takeRequirements(draft: Draft, isCsv: boolean): Promise<void> {
  const { project, name, values, files, taken, left } = draft;
  const path = below(values["requirements_dir"] ?? DEFAULT_REQUIREMENTS) ?? "requirements_dir";
  const text = await textIn(project, path, { decode: decodeRequirements }) ?? "";
  if (text === "") left.push(`No packages found: ${path} is missing or empty`);
  // The app's file is in UTF-8.
  const lines = text.trimEnd().split(/\r?\n/)
    .filter((line) => !/^(sagify\b|#.*coding[:=])/.test(line));
  if (isCsv && !/^pandas\b/im.test(text)) {
    lines.push("pandas");
    left.push(`prediction/serve needs pandas in ${DEFAULT_REQUIREMENTS}`);
  }
  const referred = await takenRequirements(project, path, DEFAULT_REQUIREMENTS, name, () => true);
  left.push(...referred.left);
  files.push(...referred.files);
  if (path === DEFAULT_REQUIREMENTS && project.path === project.cwd) return;
  files.push(requirementsFile(DEFAULT_REQUIREMENTS, path, lines));
  taken.push([`\`${path}\``, `\`${DEFAULT_REQUIREMENTS}\``]);
}

/** A server that calls prediction.py, and log_metric. @returns definitions of its metrics. */
async function takeSagify({ files, left, code }: Draft, base: string) {
  files.push({ path: `${base}/prediction/serve`, content: await readTemplate("from/sagify.py") });
  left.push(
    "sagify's server was replaced: the new prediction/serve calls prediction.py without nginx",
    "Training receives all hyperparameters as strings, as on SageMaker",
  );
  if (!code.flatMap(importsOf).includes("sagify")) return {};
  files.push({ path: `${base}/common/sagify/api/hyperparameter_tuning.py`, content: LOG_METRIC });
  left.push(
    "metric_definitions contains only names that are string literals in calls of log_metric",
  );
  const names = code.flatMap((text) => Array.from(text.matchAll(METRIC), ([, one]) => one!));
  const metrics = [...new Set(names)].slice(0, MOST_DEFINITIONS).map((one) => ({
    Name: one,
    Regex: `${one}: ([-+0-9.eE]+)`,
  }));
  return { metric_definitions: metrics };
}

/** Old serving code is a script of Flask; new code has the functions that mlcli calls. */
async function takeServer(draft: Draft, path: string): Promise<boolean> {
  const { project, own, files, left, code } = draft;
  const from = `${own}/prediction/serve`;
  const source = await textIn(project, from) ?? "";
  const parts = withoutServer(source);
  if (parts === undefined) {
    const text = `Write ${path}: mlcli cannot separate the functions in ${from} from its server`;
    files.push({ path, content: `raise NotImplementedError(${JSON.stringify(text)})\n` });
    left.push(text);
    return false;
  }
  code.push(source);
  const [kept, cut] = parts;
  const names = kept.flatMap(namesOf);
  const added = statementsOf(cut.length === 0 ? "" : await readTemplate("from/easy_sm.py"))!
    .filter((one) => one.code.startsWith("import") || !names.includes(namesOf(one)[0]!));
  const [theirs, ours] = [kept, added].map((some) => some.map(({ text }) => text).join(""));
  const content = `# From ${inOneLine(from)}, without its server.\n${theirs}\n\n${ours}`;
  files.push({ path, content: cut.length === 0 ? source : content });
  if (cut.length === 0) return false;
  const heads = cut.map((one) => namesOf(one)[0] ?? one.code.split("\n")[0]!.replace('""', "..."));
  left.push(
    `Removed from ${from}, because mlcli has its own server: ${inOneLine(heads.join(", "))}`,
    "input_fn and output_fn come from easy_sm's template. Edit them if yours differ.",
  );
  return true;
}

/** Copies what the code imports of the modules, and what that imports. */
async function takeModules(draft: Draft, target: string): Promise<void> {
  const { project, modules, own, files, taken, left, code } = draft;
  const names = new Set([""]);
  // It grows on the way.
  for (const text of code) {
    for (const name of importsOf(text).filter((one) => !names.has(one))) {
      names.add(name);
      const place = join(modules, name);
      const found = await textIn(project, `${place}.py`);
      if (found !== undefined) {
        const copy = (to: string): Promise<void> =>
          Deno.copyFile(join(project.path, `${place}.py`), to);
        files.push({ path: `${target}/${name}.py`, content: copy });
        taken.push([`\`${place}.py\``, `\`${target}/${name}.py\``]);
        code.push(found);
      }
      // An app of mlcli's may lie there, too.
      const without = place === own ? /^local_test\/|(?<!\.py)$/ : /^(mlcli_base\/|MIGRATION\.md$)/;
      await take(draft, place, `${target}/${name}`, without);
      if (place === own) left.push(`The code imports ${name}, so common/ has a second copy of it`);
    }
  }
  if (!code.flatMap(importsOf).includes("")) return;
  left.push('Relative imports fail: write "from x import y" instead of "from .x import y"');
}
