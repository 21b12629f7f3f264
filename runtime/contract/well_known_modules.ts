/**
 * Modules of Python that are known by name. Of others mlcli never says what to install: what people
 * mistype, somebody may have registered.
 *
 * @module
 */

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

function wordsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
