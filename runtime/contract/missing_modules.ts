/**
 * What to do about a Python module that the code imports and the image lacks. The name may be
 * mistyped, or of a module still to be written, and a stranger may have registered such a package.
 */

import { closest } from "../text.ts";

/**
 * Python's words (importlib/_bootstrap.py, `_ERR_MSG`), anywhere in a line. A dotted name means that
 * the package is there and lacks the module.
 */
export const MISSING_MODULE =
  /\bModuleNotFoundError: No module named '([\p{L}_][\p{L}\p{N}_.]{0,200})'/u;

/** The module that a line says is missing: `sklearn`; `undefined` where it says nothing of that. */
export function missingModule(line: string): string | undefined {
  return MISSING_MODULE.exec(line)?.[1];
}

/** A distribution's name, normalized so that all spellings are the same (PEP 503). */
export function normalizedName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, "-");
}

/**
 * The names of distributions that a requirements file asks for, normalized: of requirements.txt (a
 * requirement a line, PEP 508) and of pyproject.toml and uv.lock (in quotes).
 */
export function requirementNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const line of text.split("\n").map((line) => line.replace(/(^|\s)#.*$/s, ""))) {
    const found = /^\s*(?:name\s*=\s*)?["']?([A-Za-z0-9][A-Za-z0-9._-]*)/.exec(line)?.[1];
    if (found !== undefined) names.add(normalizedName(found));
    for (const [, quoted] of line.matchAll(/["']([A-Za-z0-9][A-Za-z0-9._-]*)/g)) {
      names.add(normalizedName(quoted!));
    }
  }
  return names;
}

export interface Missing {
  readonly module: string;
  /** For `Did you mean`: the app's modules, and distributions that it requires or its image has. */
  readonly names: readonly string[];
  /** Where a module of the app's own with that name belongs. */
  readonly own: string;
}

/**
 * What to do about a missing module, in sentences. Only well-known packages are named to install.
 *
 * @param install the sentence for a requirement that the image lacks, or that lacks the module.
 */
export function missingModuleHint(
  { module, names, own }: Missing,
  install: (requirement: string, isPart: boolean) => string,
): string {
  const parts = module.split(".");
  const known = parts.map((_, index) => parts.slice(0, parts.length - index).join("."))
    .find((name) => DISTRIBUTIONS.has(name));
  if (known !== undefined) return install(DISTRIBUTIONS.get(known)!, known !== module);
  // A module of Python itself, in another build or version.
  if (module.startsWith("_") || STANDARD.has(module)) {
    return `The image's Python has no module ${module}. Use another base image.`;
  }
  if (parts.length > 1) {
    const above = parts.slice(0, -1).join(".");
    return `${above} exists, but has no module ${module}. Check the spelling and the version.`;
  }
  const similar = similarModule(module, names);
  const ownPlace = `If it is your own module, put it in ${own}.`;
  return similar === undefined
    ? `${ownPlace} If it belongs to a package, its documentation says what to add to the requirements.`
    : `Did you mean ${similar}? ${ownPlace}`;
}

/** The module whose name, or whose distribution's name, is almost what was written. */
function similarModule(written: string, names: readonly string[]): string | undefined {
  const known = [...DISTRIBUTIONS];
  // By the forms in which people write them; of the same form, the last counts.
  const modules = new Map([
    ...[...names, ...STANDARD].map((name) => [name, name.replaceAll("-", "_")]),
    ...known.map(([name, distribution]) => [distribution, name]),
    ...known.map(([name]) => [name, name]),
  ].map(([form, name]) => [normalizedName(form!), name!]));
  // Short names are close to many others.
  const forms = [...modules].filter(([form, name]) => form.length > 3 && name !== written);
  return modules.get(closest(written, forms.map(([form]) => form)) ?? "");
}

/** Python's own, of any version from 3.8 on (`sys.stdlib_module_names`): those that code imports. */
export const STANDARD: ReadonlySet<string> = new Set(wordsOf(`
  abc argparse array ast asyncio atexit base64 binascii bisect builtins bz2 collections compileall
  concurrent configparser contextlib contextvars copy cProfile csv ctypes curses dataclasses
  datetime dbm decimal difflib email enum errno fcntl fnmatch fractions functools getopt gettext
  glob graphlib gzip hashlib heapq hmac html http imp importlib inspect io ipaddress itertools
  json keyword linecache locale logging lzma math mimetypes mmap multiprocessing numbers operator
  optparse os pathlib pdb pickle pickletools pkgutil platform pprint profile pydoc queue random re
  readline resource runpy secrets select selectors shelve shlex shutil signal site smtplib socket
  socketserver sqlite3 ssl statistics string struct subprocess sys tarfile tempfile textwrap
  threading time timeit tokenize tomllib traceback tracemalloc types typing unicodedata unittest
  urllib uuid venv warnings weakref webbrowser xml zipfile zlib zoneinfo`));

/**
 * Modules and the distributions that have them, `MODULE=DISTRIBUTION` where the names differ, most of
 * those as in https://github.com/bndr/pipreqs, pipreqs/mapping. (There is no rule: a distribution may
 * hold modules of any name.) OpenCV's is the one that needs no window system.
 */
export const DISTRIBUTIONS: ReadonlyMap<string, string> = new Map(
  wordsOf(`
  accelerate aiohttp albumentations altair attr=attrs azure.storage.blob=azure-storage-blob
  bitsandbytes boto3 botocore bs4=beautifulsoup4 catboost cloudpickle Crypto=pycryptodome
  cv2=opencv-python-headless dask datasets dateutil=python-dateutil diffusers dill
  distutils=setuptools dotenv=python-dotenv duckdb einops evaluate faiss=faiss-cpu fastapi
  fastparquet flask flax fsspec gensim google.auth=google-auth
  google.cloud.bigquery=google-cloud-bigquery google.cloud.storage=google-cloud-storage
  google.protobuf=protobuf grpc=grpcio gunicorn h5py httpx huggingface_hub=huggingface-hub
  hyperopt imageio imblearn=imbalanced-learn jax jinja2 joblib jsonschema jwt=PyJWT keras
  Levenshtein=python-Levenshtein lightgbm lightning loguru lxml matplotlib mlflow
  mpl_toolkits=matplotlib networkx nltk numba numpy onnx onnxruntime openpyxl optuna orjson
  packaging pandas peft PIL=Pillow pkg_resources=setuptools plotly polars prophet psutil
  psycopg2=psycopg2-binary pyarrow pydantic pymongo pymysql pythonjsonlogger=python-json-logger
  pytorch_lightning=pytorch-lightning ray redis regex requests rich ruamel.yaml=ruamel.yaml s3fs
  safetensors sagemaker sagemaker_training=sagemaker-training scipy seaborn
  sentence_transformers=sentence-transformers sentencepiece setuptools shap six
  skimage=scikit-image skl2onnx sklearn=scikit-learn skopt=scikit-optimize spacy sqlalchemy
  statsmodels sympy tabulate tenacity tensorboard tensorflow tiktoken timm tokenizers toml torch
  torchaudio torchmetrics torchvision tqdm transformers typer ujson umap=umap-learn urllib3
  uvicorn wandb wheel xarray xgboost xlrd yaml=PyYAML zarr zmq=pyzmq`)
    .map((word) => word.split("=")).map(([name = "", distribution = name]) => [name, distribution]),
);

/** Requirements for modules that later versions of their distributions lack. */
export const LAST_VERSIONS: ReadonlyMap<string, string> = new Map([
  // https://setuptools.pypa.io/en/stable/history.html#v82-0-0
  ["pkg_resources", "setuptools<82"],
]);

function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
