/** A project of cog (replicate/cog:docs/yaml.md, python.md): its code as it is, behind mlcli's server. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { basePath } from "../app/app.ts";
import { accepts } from "../app/configuration.ts";
import { IGNORE_FILE } from "../app/private_files.ts";
import { MlcliError } from "../errors.ts";
import { isFile } from "../files.ts";
import { readTemplate } from "../image/scaffold.ts";
import { inOneLine, isObject } from "../text.ts";
import {
  migrationFile,
  nameOf,
  type Origin,
  type Read,
  requirementsFile,
  testDirectory,
} from "./origin.ts";
import { copiesOf, leftOutText, type Project, textIn, textOf } from "./project.ts";
import { takenRequirements } from "./requirements.ts";
import { mappingIn } from "./yaml.ts";

/** What is read of cog.yaml, and of its `build`. */
const KEYS =
  /^(build|run|predict|environment|gpu|cuda|(python|sdk)_version|python_(packages|requirements)|system_packages|pre_install)$/;

/** No option of RUN, which could mount what the build has, and no beginning of several lines. */
const COMMAND = /^(?!--|\[|.*<<).*[^\\]$/;

/** A package that pip gets without a login, or the option that allows pre-releases. */
const PACKAGE =
  /^(?![.~/\\-]|.*(\bfile:|\/\/[^/\s]*@|\+ssh:)|[^:]*\.(whl|zip|tgz|tar\.\w+)$)|^--pre$/i;

/** Versions that `sdk_version` can name; the other word is `prerelease`. */
const VERSION = /^\d+(\.\d+)*((a|b|rc|\.dev|\.post)\d+)?$/;

/** Code for cog before 0.1. Source: replicate/cog, issue 427. */
const OLD_CODE = /\bcog\.Predictor\b|^ *@(cog\.)?input\(|^from cog import .{0,200}\bPredictor\b/m;

const SECRETS_HINT = "needs secrets, which mlcli build cannot pass: move this step from the " +
  "Dockerfile to a base image, as the error of mlcli build shows.";

const OLD_HINT = "is written for cog before 0.1, and no later cog runs it: derive the class from " +
  "cog.BasePredictor, and write each @cog.input as a typed parameter of predict().";

/** `UBUNTU=DEBIAN`: names of packages in Debian 12 and 13; without a name, at least 13 has none. */
const DEBIAN_NAMES = new Map(
  `freeglut3=libglut3.12 libdc1394-22-dev=libdc1394-dev libegl1-mesa=libegl1 libgl1-mesa-glx=libgl1
  libgles2-mesa=libgles2 libjpeg-turbo8=libjpeg62-turbo libjpeg-turbo8-dev=libjpeg62-turbo-dev
  libjpeg8-dev=libjpeg-dev netcat=netcat-openbsd python-dev=python3-dev qt5-default=qtbase5-dev
  ttf-dejavu=fonts-dejavu libavcodec58= libncurses5= libssl1.1= libtinfo5= software-properties-common=`
    .split(/\s+/).map((entry) => entry.split("=") as [string, string]),
);

const MODEL_NOTE =
  "SageMaker serves a model, which is this file where the image has the weights.\n" +
  "If setup() takes weights, put them here.\n";

type Mapping = Readonly<Record<string, unknown>>;

const LOST = [
  "URLs are not fetched: a file comes in the request, as a data URI. There are no webhooks.",
  "A prediction that fails is answered with status 500, and one is made after another.",
  "No training was taken over: write it into training/training.py before you run local train.",
];

export async function findCog(project: Project): Promise<Read | undefined> {
  return await isFile(join(project.path, "cog.yaml")) ? () => cogOrigin(project) : undefined;
}

/** The code goes into prediction/, where it runs: so it finds its neighbours and its files. */
async function cogOrigin(project: Project): Promise<Origin> {
  const { path, shown, cwd } = project;
  const yaml = await textIn(project, "cog.yaml") ?? "";
  const config = mappingIn(yaml, join(shown, "cog.yaml"));
  const build = isObject(config["build"]) ? config["build"] : {};
  const left = [...Object.keys(config), ...Object.keys(build)].filter((key) => !KEYS.test(key))
    .map((key) => `"${key}" of cog.yaml was not taken over.`);
  const reference = textOf(config["run"] ?? config["predict"]);
  const source = reference.replace(/:\w+$/, "");
  if (OLD_CODE.test(await textNamed(project, source))) {
    left.push(`${inOneLine(source)} ${OLD_HINT}`);
  }
  const name = nameOf(project.name, basename(path));
  const base = basePath(name);
  // cog's own default. YAML takes 3.10 without quotes for the number 3.1.
  const version = textOf(build["python_version"] ?? "3.13").replace(/^3\.1$/, "3.10");
  const isVersion = accepts("python_version", version);
  if (!isVersion) left.push(`This python_version was not taken over: "${version}"`);
  const requirements = `${base}/requirements.txt`;
  const referred = await packagesOf(project, build, requirements, name);
  const steps = stepsOf(config, build);
  left.push(...referred.left, ...steps.left);
  const dockerfile = (await readTemplate("Dockerfile"))
    .replace(/(?<=\nFROM .*\n)/, () => section(steps.first))
    .replace(/(?=\nCOPY \.mlcli\/ )/, () => section(steps.last));
  const usesGpu = build["gpu"] === true;
  if (usesGpu) left.push("gpu: if the packages bring no CUDA, name a base_image that has it.");
  const made = [IGNORE_FILE, ...path === cwd ? [`${name}.json`, migrationFile(name)] : []];
  const isMade = (file: string) => made.includes(file) || /(^|\/)mlcli_base\//.test(file);
  const code = await copiesOf(project, ".", `${base}/prediction`, isMade);
  const serve = (await readTemplate("from/cog_serve.py"))
    .replace('"predict.py:Predictor"', () => JSON.stringify(reference));
  return {
    what: `the cog project ${inOneLine(shown)}`,
    name,
    configuration: {
      ...isVersion ? { python_version: version } : {},
      requirements,
      ...usesGpu ? { local: { gpus: "all" } } : {},
    },
    files: [
      { path: `${base}/prediction/serve`, content: serve },
      ...code.files,
      { path: `${base}/training/training.py`, content: await readTemplate("from/training.py") },
      { path: `${base}/Dockerfile`, content: dockerfile },
      requirementsFile(requirements, "cog.yaml, whose predictor imports cog", referred.lines),
      { path: `${testDirectory(name)}/model/README.md`, content: MODEL_NOTE },
      ...referred.files,
    ],
    taken: [
      [reference, `\`${base}/prediction/serve\`, which calls it; the project's files beside it`],
      ["packages", `\`${requirements}\``],
      ["the rest of `build`, and `environment`", `\`${base}/Dockerfile\``],
    ],
    left: [...left, ...leftOutText(code.leftOut), ...LOST],
    next: ["build", "local deploy", `local invoke '{"input": {}}'`, "local stop"]
      .map((command) => `mlcli ${command}`),
  };
}

/** What pip is to install; local archives come along. */
async function packagesOf(project: Project, build: Mapping, requirements: string, name: string) {
  const file = build["python_requirements"];
  if (file !== undefined) await textNamed(project, textOf(file));
  const listed = [build["python_packages"] ?? []].flat().map(lineOf).filter((line) => line !== "");
  const whole = listed.filter((line) => isLine(line, /[^\\]$/));
  const taken = await takenRequirements(
    project,
    textOf(file),
    requirements,
    name,
    ({ text, reference }) => reference !== undefined || isLine(text, PACKAGE),
    whole.join("\n"),
  );
  const odd = listed.filter((line) => !whole.includes(line));
  const dropped = [...odd, ...taken.dropped].map(shown).join(", ");
  const sdk = textOf(build["sdk_version"]);
  const isPinned = VERSION.test(sdk);
  return {
    lines: [isPinned ? `cog==${sdk}` : "cog", ...taken.lines],
    files: taken.files,
    left: [
      ...taken.left,
      ...dropped === ""
        ? []
        : [`Not packages of an index; add to ${requirements} what you trust: ${dropped}`],
      ...sdk === "" || isPinned ? [] : [`The image gets cog's newest release, not "${sdk}".`],
    ],
  };
}

/** Returns the steps of the Dockerfile before and after pip's, and what differs from cog's. */
function stepsOf(config: Mapping, build: Mapping) {
  const left: string[] = [];
  /** Returns the items that are a line that fits, with words before, and reports the others. */
  const linesOf = (list: unknown, fits: RegExp, before = ""): readonly string[] =>
    [list ?? []].flat().flatMap((item) => {
      const line = lineOf(item);
      const secrets = isObject(item) ? secretMounts(item["mounts"]) : "";
      const isUsable = isLine(line, fits) && secrets !== undefined;
      if (!isUsable) left.push(`Not taken over, because mlcli cannot use it: ${shown(line)}`);
      else if (secrets !== "") left.push(`${shown(line)} ${SECRETS_HINT}`);
      return isUsable ? [before + secrets + line] : [];
    });
  const ubuntu = linesOf(build["system_packages"], /^[a-z\d][\w.+:=~-]*$/i);
  const debian = ubuntu.map((one) => DEBIAN_NAMES.get(one) ?? one);
  for (const [index, one] of debian.entries()) {
    if (one === "") left.push(`Not installed, because Debian does not have it: ${ubuntu[index]}`);
    else if (one !== ubuntu[index]) left.push(`Ubuntu's ${ubuntu[index]} is ${one} in Debian.`);
  }
  const installed = [...new Set(debian)].filter((one) => one !== "").join(" ");
  const first = [
    ...linesOf(config["environment"], /^[A-Za-z_]\w*=(.*[^\\])?$/, "ENV "),
    ...installed === "" ? [] : [`RUN apt-get update && apt-get install -y ${installed}`],
    ...linesOf(build["pre_install"], COMMAND, "RUN "),
  ];
  return { first, last: linesOf(build["run"], COMMAND, "RUN "), left };
}

function lineOf(item: unknown): string {
  return textOf(isObject(item) ? item["command"] : item).trim();
}

function isLine(text: string, fits: RegExp): boolean {
  return inOneLine(text) === text && fits.test(text);
}

/** Returns a line in quotes, without logins in its addresses. */
function shown(line: string): string {
  return `"${inOneLine(line).replace(/\/\/(?:[^/\s]*@|\S{0,500}@(?=[\w.-]{1,200}\/))/g, "//")}"`;
}

/** Returns the options of RUN that mount secrets; undefined for mounts that cog does not have. */
function secretMounts(mounts: unknown): string | undefined {
  const options = [mounts ?? []].flat().map((one) => {
    const [type, id, target] = isObject(one)
      ? [one["type"], one["id"], one["target"]].map(textOf)
      : [];
    return `--mount=type=${type},id=${id},target=${target},required=true `;
  });
  const isSecret = /^--mount=type=secret,id=[\w.-]+,target=[\w./-]+,required=true $/;
  return options.every((option) => isSecret.test(option)) ? options.join("") : undefined;
}

function section(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n# From cog.yaml.\n${lines.join("\n")}\n`;
}

/** The text of a file that cog.yaml names. @throws MlcliError where it is none of the project's. */
async function textNamed(project: Project, path: string): Promise<string> {
  const text = await textIn(project, path);
  if (text !== undefined) return text;
  throw new MlcliError(`cog.yaml names no file of the project: "${inOneLine(path)}"`, {
    hint: 'Its paths lead to files beside it or below, as predict: "predict.py:Predictor" does.',
  });
}
