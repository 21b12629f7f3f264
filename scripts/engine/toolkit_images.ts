/**
 * Images with AWS's toolkits and model servers from PyPI: AWS's own images cannot be had everywhere.
 * And with MLflow and cog.
 */

import type { Engine } from "../../runtime/docker/engine.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { sha256 } from "../../runtime/text.ts";
import { run } from "../process.ts";
import { step } from "../script.ts";
import { ensureBaseImage } from "./base_image.ts";
import { pipCertificates } from "./pypi.ts";

/**
 * What is in an image: the training toolkit of today's frameworks, that of older ones and of their
 * servers, the inference toolkit with its model server, a web server of Debian's, Python alone, MLflow,
 * or cog.
 */
export type ToolkitKind =
  | ("training" | "containers" | "inference" | "flask" | "none")
  | ("mlflow2" | "mlflow3" | "cog16" | "cog23");

interface Toolkit {
  /** Of Debian. */
  readonly packages: readonly string[];
  /** Of PyPI, with what it needs of an age with it. */
  readonly requirements: readonly string[];
  /** A module as AWS's images have one: what their toolkit calls, which runs the user's code. */
  readonly framework?: string;
  /** What newer Pythons took away is put back: a line that each Python runs as it starts. */
  readonly older?: string;
  /** Lines of the Dockerfile: how it starts. */
  readonly start?: string;
}

/** PyPI has only the source of some, parts of which are C. */
const COMPILER = ["gcc", "libc6-dev", "python3-dev"];

const TOOLKITS: Readonly<Record<ToolkitKind, Toolkit>> = {
  training: {
    packages: [...COMPILER, "openmpi-bin", "openssh-server", "python3-mpi4py"],
    requirements: ["sagemaker-training==5.1.4"],
    // As in `sagemaker_pytorch_container.training`.
    framework: `from sagemaker_training import entry_point, environment, runner
def main():
    env = environment.Environment()
    words = env.module_dir, env.user_entry_point, env.to_cmd_args(), env.to_env_vars()
    by_mpi = env.additional_framework_parameters.get("sagemaker_mpi_enabled")
    kind = runner.MPIRunnerType if by_mpi else runner.ProcessRunnerType
    entry_point.run(*words, capture_error=True, runner_type=kind)
`,
    // MPI's processes are started by ssh, with a key that all hosts have.
    start: `RUN mkdir -p /run/sshd && ssh-keygen -q -N '' -f ~/.ssh/id_rsa \\
 && cp ~/.ssh/id_rsa.pub ~/.ssh/authorized_keys \\
 && echo StrictHostKeyChecking no > ~/.ssh/config
ENV SAGEMAKER_TRAINING_MODULE=framework:main`,
  },
  containers: {
    packages: [...COMPILER, "nginx-light"],
    requirements: [
      "sagemaker-containers==2.8.6.post2",
      "protobuf<3.21",
      "jinja2<3.1",
      "itsdangerous<2.1",
      "werkzeug<2",
    ],
    // As in `sagemaker_xgboost_container.training` and `sagemaker_sklearn_container.serving`.
    framework: `import importlib
from sagemaker_containers.beta.framework import env as environment
from sagemaker_containers.beta.framework import modules, training_env, transformer, worker
def main():
    env = training_env()
    words = env.module_dir, env.to_cmd_args(), env.to_env_vars(), env.module_name
    modules.run_module(*words, capture_error=False)
NAMES = "model_fn", "input_fn", "predict_fn", "output_fn", "transform_fn"
server = None
def serve(environ, start_response):
    global server
    if server is None:
        name = environment.ServingEnv().module_name
        own = vars(importlib.import_module(name))
        model = transformer.Transformer(**{key: own[key] for key in NAMES if key in own})
        model.initialize()
        server = worker.Worker(transform_fn=model.transform, module_name=name)
    return server(environ, start_response)
`,
    older: "import collections, collections.abc; collections.Mapping = collections.abc.Mapping\n",
    start: "ENV SAGEMAKER_TRAINING_MODULE=framework:main SAGEMAKER_SERVING_MODULE=framework:serve",
  },
  inference: {
    packages: ["openjdk-17-jre-headless"],
    requirements: ["sagemaker-inference==1.10.1", "multi-model-server==1.1.11"],
    // As `dockerd-entrypoint.py` of AWS's images: a program of the user's own, or the server.
    framework: `import subprocess, sys
if __name__ == "__main__":
    if sys.argv[1:] != ["serve"]:
        sys.exit(subprocess.call(sys.argv[1:]))
    from sagemaker_inference import model_server
    model_server.start_model_server()
`,
    start: 'ENTRYPOINT ["python3", "-m", "framework"]\nCMD ["serve"]',
  },
  flask: {
    packages: ["nginx-light", "gunicorn", "python3-flask", "python3-gevent"],
    requirements: [],
  },
  // Whose `python` AWS's SDK 2 calls.
  none: { packages: ["python-is-python3"], requirements: [] },
  // Its server needs a FastAPI of its age.
  mlflow2: { packages: [], requirements: ["mlflow==2.22.4", "fastapi==0.115.12"] },
  mlflow3: { packages: [], requirements: ["mlflow==3.17.2"] },
  cog16: { packages: [], requirements: ["cog==0.16.12"] },
  // Its server starts `python`.
  cog23: { packages: ["python-is-python3"], requirements: ["cog==0.23.1"] },
};

/** A minute here: PyPI has the source of both alone, parts of which are C. In ms. */
const TIMEOUT = 600_000;

/**
 * An image with a toolkit, made when the engine has none.
 * @returns its reference.
 * @throws MlcliError where it cannot be made.
 */
export async function ensureToolkitImage(
  kind: ToolkitKind,
  engine: Engine,
  signal: AbortSignal,
): Promise<string> {
  const toolkit = TOOLKITS[kind];
  // An engine may have one that was made of something else.
  const hash = (await sha256(JSON.stringify(toolkit))).slice(0, 8);
  const version = toolkit.requirements[0]?.split("==")[1] ?? "debian";
  const reference = `mlcli-toolkit-${kind}:${version}-${hash}`;
  if (await engine.image(reference)) return reference;
  const base = await ensureBaseImage("pip", engine, signal);
  const context = await Deno.makeTempDir({ prefix: "mlcli-toolkit-" });
  try {
    const certificates = (await pipCertificates()).join("");
    const files = {
      "certificates.pem": certificates,
      "framework.py": toolkit.framework ?? "",
      "older.pth": toolkit.older ?? "",
      Dockerfile: dockerfile(base, toolkit, certificates !== ""),
    };
    for (const [name, text] of Object.entries(files)) {
      await Deno.writeTextFile(`${context}/${name}`, text);
    }
    // Without a value, an argument has that of the variable, where there is one.
    const settings = ["PIP_INDEX_URL", "http_proxy", "https_proxy", "no_proxy"]
      .flatMap((name) => ["--build-arg", name]);
    const line = ["docker", "build", "--quiet", "--network", "host", ...settings];
    const options = {
      timeout: TIMEOUT,
      hint: "PyPI has to answer, and pip to reach it from a container.",
      signal,
      env: { DOCKER_HOST: engine.address },
    };
    await step(`Making ${reference}`, () => run([...line, "--tag", reference, context], options));
  } finally {
    await removeTreeIfThere(context);
  }
  return reference;
}

/** pip in its containers, too, trusts what this machine's pip trusts. */
function dockerfile(base: string, toolkit: Toolkit, hasCertificates: boolean): string {
  const trust = hasCertificates ? " PIP_CERT=/opt/toolkit/certificates.pem" : "";
  // Java's package writes to the directory of manuals, which a slim image does not have. The base may
  // leave out what a compiler needs.
  const all = `FROM ${base}
ARG PIP_INDEX_URL
COPY . /opt/toolkit/
ENV PIP_BREAK_SYSTEM_PACKAGES=1${trust}
RUN mkdir -p /usr/share/man/man1 && rm -f /etc/dpkg/dpkg.cfg.d/slim && apt-get update \\
 && apt-get install -y --no-install-recommends ${toolkit.packages.join(" ")} \\
 && rm -rf /var/lib/apt/lists/*
`;
  if (toolkit.requirements.length === 0) return all;
  const requirements = toolkit.requirements.map((one) => `'${one}'`).join(" ");
  return `${all}RUN python3 -m pip install --no-cache-dir ${requirements} \\
 && cd /opt/toolkit && cp framework.py older.pth \\
      "$(python3 -c 'import site; print(site.getsitepackages()[0])')/"
${toolkit.start ?? ""}
`;
}
