/** A project of cog (replicate/cog:docs/yaml.md, python.md): its code as it is, behind mlcli's server. */

import { basename } from "@std/path/basename";
import { join } from "@std/path/join";
import { basePath } from "../app/paths.ts";
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
import { copiesOf, leftOutText, named, type Project, textIn, textOf } from "./project.ts";
import { droppedText, takenRequirements } from "./requirements.ts";
import { mappingIn } from "./yaml.ts";

/** The largest cog.yaml, in bytes: cog's own examples have one or two KiB. */
const LARGEST_CONFIG = 64 * 1024;

/** Keys that mlcli reads in cog.yaml, and in its `build`. */
const KEYS =
  /^(build|run|predict|environment|gpu|cuda|(python|sdk)_version|python_(packages|requirements)|system_packages|pre_install)$/;

/** No option of RUN, which could mount what the build has, and no beginning of several lines. */
const COMMAND = /^(?!--|\[|.*<<).*[^\\]$/;

/** Packages whose versions `sdk_version` chooses. */
const COG = /^cog(let)?(?![\w.-])/i;

/** A package that pip gets without a login, or the option that allows pre-releases. */
const PACKAGE =
  /^(?![.~/\\-]|.*(\b(file|http):|\/\/[^/\s]*@|\+ssh:|\$\{|\s-(?!-hash=))|[^:]*\.(whl|zip|tgz|tar\.\w+)$)|^--pre$/i;

/** Versions that `sdk_version` can name; the other word is `prerelease`. */
const VERSION = /^\d+(\.\d+)*((a|b|rc|\.dev|\.post)\d+)?$/;

/** Versions of cog whose Optional inputs are required with pydantic 2.12. */
const OLD_COG = /^0\.(\d|1[0-6])(?!\d)/;

/** Code for cog before 0.1. Source: replicate/cog, issue 427. */
const OLD_CODE =
  /^class \w+\(cog\.Predictor\b|^from cog import (\([^)#]{0,500}?|[^#\n]{0,200}?)(?<!as )\bPredictor\b|^import cog as (\w{1,50})\b[^]{0,2000}^class \w+\(\2\.Predictor\b/m;

const OLD_HINT =
  "uses cog's API before 0.1, which later versions do not support. Derive the class " +
  "from cog.BasePredictor, and replace each @cog.input with a typed parameter of predict().";

/** `UBUNTU=DEBIAN`: names of packages in Debian 12 and 13; without a name, at least 13 has none. */
const DEBIAN_NAMES = new Map(
  `freeglut3=libglut3.12 libdc1394-22-dev=libdc1394-dev libegl1-mesa=libegl1 libgl1-mesa-glx=libgl1
  libgles2-mesa=libgles2 libjpeg-turbo8=libjpeg62-turbo libjpeg-turbo8-dev=libjpeg62-turbo-dev
  libjpeg8-dev=libjpeg-dev netcat=netcat-openbsd python-dev=python3-dev qt5-default=qtbase5-dev
  ttf-dejavu=fonts-dejavu libavcodec58= libncurses5= libssl1.1= libtinfo5= software-properties-common=`
    .split(/\s+/).map((entry) => entry.split("=") as [string, string]),
);

const MODEL_NOTE =
  "SageMaker needs a model to serve. If the image contains the weights, this file is the model.\n" +
  "If setup() has the parameter weights, put them here.\n";

type Mapping = Readonly<Record<string, unknown>>;

const LOST = [
  "URLs and webhooks are not supported. Send files in the request, as data URIs.",
  "Predictions run one at a time. A failed prediction returns status 500.",
  "No training code was converted: write it in training/training.py before you run local train",
];

export async function findCog(project: Project): Promise<Read | undefined> {
  return await isFile(join(project.path, "cog.yaml")) ? () => cogOrigin(project) : undefined;
}

/** The code goes into prediction/, where it runs: so it finds its neighbours and its files. */
async function cogOrigin(project: Project): Promise<Origin> {
  const { path, cwd } = project;
  const yaml = await textIn(project, "cog.yaml", { most: LARGEST_CONFIG }) ?? "";
  const config = mappingIn(yaml, join(project.shown, "cog.yaml"));
  const build = isObject(config["build"]) ? config["build"] : {};
  const keys = [...Object.keys(config), ...Object.keys(build)].filter((key) => !KEYS.test(key));
  const left = [...named("Keys of cog.yaml that were not converted", keys.map(shown))];
  const reference = textOf(config["run"] ?? config["predict"]);
  const source = reference.replace(/:\w+$/, "");
  const isOld = OLD_CODE.test(await textNamed(project, source));
  if (isOld) left.push(`${inOneLine(source)} ${OLD_HINT}`);
  const name = nameOf(project.name, basename(path));
  const base = basePath(name);
  // cog's own default. YAML takes 3.10 without quotes for the number 3.1.
  const version = textOf(build["python_version"] ?? "3.13").replace(/^3\.1$/, "3.10");
  const isVersion = accepts("python_version", version);
  left.push(...named("This python_version is not supported", isVersion ? [] : [shown(version)]));
  const requirements = `${base}/requirements.txt`;
  const referred = await packagesOf(project, build, requirements, name);
  const steps = stepsOf(config, build);
  left.push(...referred.left, ...steps.left);
  const dockerfile = (await readTemplate("Dockerfile"))
    .replace(/(?<=\nFROM .*\n)/, () => section(steps.first))
    .replace(/(?=\nCOPY \.mlcli\/ )/, () => section(steps.last));
  const usesGpu = build["gpu"] === true;
  if (usesGpu) {
    left.push("gpu: if the packages do not include CUDA, set base_image to an image with CUDA");
  }
  const made = [IGNORE_FILE, ...path === cwd ? [`${name}.json`, migrationFile(name)] : []];
  const isMade = (file: string) => made.includes(file) || /(^|\/)mlcli_base\//.test(file);
  const code = await copiesOf(project, ".", `${base}/prediction`, isMade);
  const serve = (await readTemplate("from/cog_serve.py"))
    .replace('"predict.py:Predictor"', () => JSON.stringify(reference));
  return {
    what: `the cog project ${inOneLine(project.shown)}`,
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
      [
        reference,
        `\`${base}/prediction/serve\`, which calls it; the project's files are next to it`,
      ],
      ["packages", `\`${requirements}\``],
      ["the rest of `build`, and `environment`", `\`${base}/Dockerfile\``],
    ],
    left: [...left, ...leftOutText(code.leftOut), ...LOST],
    next: ["build", "local deploy", `local invoke '{"input": {}}'`, "local stop"]
      .map((command) => `mlcli ${command}`),
  };
}

/** Returns the lines of requirements.txt, and the local files that they name. */
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
    ({ text, reference }) => reference !== undefined || isLine(text, PACKAGE) && !COG.test(text),
    whole.join("\n"),
  );
  const dropped = [...listed.filter((line) => !whole.includes(line)), ...taken.dropped];
  const ofCog = dropped.filter((line) => COG.test(line));
  // YAML takes 0.20 without quotes for the number 0.2.
  const sdk = textOf(build["sdk_version"]).replace(/^0\.[2-9]$/, "$&0");
  const pin = VERSION.test(sdk) ? sdk : "";
  const isLimited = OLD_COG.test(pin) && !/^pydantic(?![\w.-])/im.test(taken.all.join("\n"));
  return {
    lines: [pin ? `cog==${pin}` : "cog", ...isLimited ? ["pydantic<2.12"] : [], ...taken.lines],
    files: taken.files,
    left: [
      ...taken.left.map((text) => text.replace(/^(Not copied: )\., line \d+/, "$1cog.yaml")),
      ...droppedText(dropped.filter((line) => !COG.test(line)).map(shown), requirements),
      ...named(
        `The image has ${pin ? `cog ${pin}` : "cog's latest release"} instead of`,
        (sdk === pin ? ofCog : [sdk, ...ofCog]).map(shown),
      ),
    ],
  };
}

/** Returns the steps of the Dockerfile before and after pip's, and what differs from cog's. */
function stepsOf(config: Mapping, build: Mapping) {
  const unusable: string[] = [];
  const mounting: string[] = [];
  /** Returns the items that are a line that fits, with words before, and reports the others. */
  const linesOf = (list: unknown, fits: RegExp, before = ""): readonly string[] =>
    [list ?? []].flat().flatMap((item) => {
      const line = lineOf(item);
      const hasMounts = isObject(item) && [item["mounts"] ?? []].flat().length > 0;
      if (isLine(line, fits) && !hasMounts) return [before + line];
      (hasMounts ? mounting : unusable).push(shown(line));
      return [];
    });
  const ubuntu = linesOf(build["system_packages"], /^[a-z\d][\w.+:=~-]*$/i);
  const debian = new Set(ubuntu.map((one) => DEBIAN_NAMES.get(one) ?? one));
  const installed = [...debian].filter((one) => one !== "").join(" ");
  const first = [
    ...linesOf(config["environment"], /^[A-Za-z_]\w*=(.*[^\\])?$/, "ENV "),
    ...installed === "" ? [] : [`RUN apt-get update && apt-get install -y ${installed}`],
    ...linesOf(build["pre_install"], COMMAND, "RUN "),
  ];
  const last = linesOf(build["run"], COMMAND, "RUN ");
  const replaced = [...new Set(ubuntu)].filter((one) => DEBIAN_NAMES.get(one));
  const left = [
    ...replaced.map((one) => `Replaced Ubuntu's ${one} with Debian's ${DEBIAN_NAMES.get(one)}`),
    ...named(
      "Not installed, because Debian 13 does not have them",
      ubuntu.filter((one) => DEBIAN_NAMES.get(one) === ""),
    ),
    ...named("Not converted, because mlcli does not support them", unusable),
    ...named("Move to a base image, because mlcli build does not mount secrets", mounting),
  ];
  return { first, last, left };
}

function lineOf(item: unknown): string {
  return textOf(isObject(item) ? item["command"] : item).trim();
}

function isLine(text: string, fits: RegExp): boolean {
  return inOneLine(text) === text && fits.test(text);
}

/** Returns up to 198 characters of a line in quotes, without logins in its addresses. */
function shown(line: string): string {
  const text = inOneLine(line.slice(0, 2000)).replace(
    /\/\/(?:[^/\s]*@|\S{0,500}@(?=[\w.-]{1,200}\/))/g,
    "//",
  );
  return `"${text.slice(0, 198)}"`;
}

function section(lines: readonly string[]): string {
  return lines.length === 0 ? "" : `\n# From cog.yaml.\n${lines.join("\n")}\n`;
}

/** The text of a file that cog.yaml names. @throws MlcliError where it is none of the project's. */
async function textNamed(project: Project, path: string): Promise<string> {
  const text = await textIn(project, path);
  if (text !== undefined) return text;
  throw new MlcliError(`cog.yaml names a file that is not in the project: "${inOneLine(path)}"`, {
    hint: 'Use paths relative to cog.yaml, such as predict: "predict.py:Predictor"',
  });
}
