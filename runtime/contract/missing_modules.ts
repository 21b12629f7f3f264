/**
 * A module of Python that user code imports and its image lacks: which requirement has it.
 *
 * @module
 */

/**
 * Python's words (importlib/_bootstrap.py, `_ERR_MSG`), anywhere in a line. A name of several parts is
 * of a module that its package does not have: the package is there.
 */
export const MISSING_MODULE = /\bModuleNotFoundError: No module named '([\p{L}\p{N}_.]+)'/u;

/**
 * Well-known modules whose distribution has another name, most of them as in
 * https://github.com/bndr/pipreqs, pipreqs/mapping. (There is no rule: a distribution may hold
 * modules of any name.) OpenCV's is the one that needs no window system.
 */
const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  attr: "attrs",
  bs4: "beautifulsoup4",
  Crypto: "pycryptodome",
  cv2: "opencv-python-headless",
  dateutil: "python-dateutil",
  distutils: "setuptools",
  dotenv: "python-dotenv",
  faiss: "faiss-cpu",
  grpc: "grpcio",
  imblearn: "imbalanced-learn",
  jwt: "PyJWT",
  Levenshtein: "python-Levenshtein",
  mpl_toolkits: "matplotlib",
  PIL: "Pillow",
  pkg_resources: "setuptools",
  psycopg2: "psycopg2-binary",
  pythonjsonlogger: "python-json-logger",
  pytorch_lightning: "pytorch-lightning",
  sagemaker_training: "sagemaker-training",
  sentence_transformers: "sentence-transformers",
  skimage: "scikit-image",
  sklearn: "scikit-learn",
  skopt: "scikit-optimize",
  umap: "umap-learn",
  yaml: "PyYAML",
  zmq: "pyzmq",
};

/** The module that a line says is missing: `sklearn`; `undefined` where it says nothing of that. */
export function missingModule(line: string): string | undefined {
  return MISSING_MODULE.exec(line)?.[1];
}

/** The requirement that has a module: `scikit-learn`. */
export function distributionOf(module: string): string {
  const top = module.split(".")[0]!;
  return Object.hasOwn(DISTRIBUTIONS, top) ? DISTRIBUTIONS[top]! : top;
}

/** A distribution's name in the form in which two names of one are the same (PEP 503). */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/**
 * The names of distributions that a requirements file asks for, normalized: of requirements.txt (a
 * requirement a line, PEP 508) and of pyproject.toml and uv.lock (in quotes).
 */
export function requirementNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of text.split("\n").map((line) => line.replace(/(^|\s)#.*$/, ""))) {
    const found = /^\s*(?:name\s*=\s*)?["']?([A-Za-z0-9][A-Za-z0-9._-]*)/.exec(line)?.[1];
    if (found !== undefined) names.add(normalizedName(found));
    for (const [, quoted] of line.matchAll(/["']([A-Za-z0-9][A-Za-z0-9._-]*)/g)) {
      names.add(normalizedName(quoted!));
    }
  }
  return names;
}

/** What is known of an app from which a module is missing. */
export interface Asked {
  readonly module: string;
  /** The requirements file, as its user would type it. */
  readonly file: string;
  /** Its text; `undefined` where it cannot be read. */
  readonly text: string | undefined;
  /** Whether it is that of a project of uv, which has a lock beside it. */
  readonly isLock: boolean;
  /** Whether `mlcli build` makes the image. */
  readonly isBuilt: boolean;
}

/** What to do about a missing module: a sentence. */
export function missingModuleHint({ module, file, text, isLock, isBuilt }: Asked): string {
  const name = distributionOf(module);
  // Python's own, of another build of Python.
  if (module.startsWith("_")) {
    return `The image's Python has no ${module}: take another base image.`;
  }
  if (!isBuilt) return `Install ${name} in the image.`;
  if (module.includes(".")) {
    return `The ${name} in the image has no ${module}. Another version may: set it in ${file}, ` +
      "then mlcli build.";
  }
  const isAsked = text !== undefined && requirementNames(text).has(normalizedName(name));
  if (isAsked) return `${name} is in ${file}, but not in the image: mlcli build.`;
  return isLock
    ? `Add ${name} to ${file} and its lock (uv add ${name}), then mlcli build.`
    : `Add ${name} to ${file}, then mlcli build.`;
}
