/** Images with AWS's training toolkits from PyPI: AWS's own images cannot be had everywhere. */

import type { Engine } from "../../runtime/docker/engine.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { run } from "../process.ts";
import { step } from "../script.ts";
import { ensureBaseImage } from "./base_image.ts";
import { pipCertificates } from "./pypi.ts";

/** What is in an image: the toolkit of today's frameworks, that of older ones, or Python alone. */
export type ToolkitKind = "training" | "containers" | "none";

interface Toolkit {
  /** Of PyPI, with what it needs of an age with it. */
  readonly requirements: readonly string[];
  /** A module as AWS's images have one: what their toolkit calls, which runs the user's script. */
  readonly framework: string;
  /** What newer Pythons took away is put back: a line that each Python runs as it starts. */
  readonly older?: string;
}

const TOOLKITS: Readonly<Record<Exclude<ToolkitKind, "none">, Toolkit>> = {
  training: {
    requirements: ["sagemaker-training==5.1.4"],
    // As in `sagemaker_pytorch_container.training`, for one host.
    framework: `from sagemaker_training import entry_point, environment
def main():
    env = environment.Environment()
    words = env.module_dir, env.user_entry_point, env.to_cmd_args(), env.to_env_vars()
    entry_point.run(*words, capture_error=True)
`,
  },
  containers: {
    requirements: [
      "sagemaker-containers==2.8.6.post2",
      "protobuf<3.21",
      "jinja2<3.1",
      "itsdangerous<2.1",
      "werkzeug<2",
    ],
    // As in `sagemaker_xgboost_container.training`.
    framework: `from sagemaker_containers.beta.framework import modules, training_env
def main():
    env = training_env()
    words = env.module_dir, env.to_cmd_args(), env.to_env_vars(), env.module_name
    modules.run_module(*words, capture_error=False)
`,
    older: "import collections, collections.abc; collections.Mapping = collections.abc.Mapping\n",
  },
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
  const toolkit = kind === "none" ? undefined : TOOLKITS[kind];
  const version = toolkit?.requirements[0]?.split("==")[1] ?? "python";
  const reference = `mlcli-toolkit-${kind}:${version}`;
  if (await engine.hasImage(reference)) return reference;
  const base = await ensureBaseImage("pip", engine, signal);
  const context = await Deno.makeTempDir({ prefix: "mlcli-toolkit-" });
  try {
    const certificates = (await pipCertificates()).join("");
    const files = {
      "certificates.pem": certificates,
      "framework.py": toolkit?.framework ?? "",
      "older.pth": toolkit?.older ?? "",
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
function dockerfile(base: string, toolkit: Toolkit | undefined, hasCertificates: boolean): string {
  const trust = hasCertificates ? " PIP_CERT=/opt/toolkit/certificates.pem" : "";
  const all = `FROM ${base}
ARG PIP_INDEX_URL
COPY . /opt/toolkit/
ENV PIP_BREAK_SYSTEM_PACKAGES=1${trust}
`;
  if (toolkit === undefined) return all;
  const requirements = toolkit.requirements.map((one) => `'${one}'`).join(" ");
  return `${all}RUN apt-get update \\
 && apt-get install -y --no-install-recommends gcc libc6-dev python3-dev \\
 && python3 -m pip install --no-cache-dir ${requirements} \\
 && cd /opt/toolkit && cp framework.py older.pth \\
      "$(python3 -c 'import site; print(site.getsitepackages()[0])')/"
ENV SAGEMAKER_TRAINING_MODULE=framework:main
`;
}
