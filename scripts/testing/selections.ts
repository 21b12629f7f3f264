/**
 * Selects the tests of each run. By default, each test runs from source, on Docker, except those of
 * `ONLY_ALL` and `JUDGES`. `ON_BINARY`, `ON_PODMAN`, `ON_DOCKER29` and `ON_OTHER_ENGINES` select the
 * tests that also run there.
 */

import { fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { statIfThere } from "../../runtime/files.ts";
import { filesBelow } from "../files.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Tests against a Docker Engine. */
const END_TO_END = "tests/e2e";

/** Tests that need much of PyPI: a task of their own. */
export const JUDGES = "tests/judges";

/** Tests in a browser, which need an engine. */
export const PAGE = "tests/page";

/** All tests that need an engine. */
export const ON_ENGINE = [END_TO_END, PAGE, JUDGES];

/** Test files or directories, each with the reason why it is selected. */
export type Selection = Readonly<Record<string, string>>;

/** Whether a file is one of these, or in one of these directories. */
export function isIn(file: string, paths: readonly string[]): boolean {
  return paths.some((path) => file === path || file.startsWith(`${path}/`));
}

/** Matches a call that starts a program. */
const STARTS_PROGRAM =
  /\b(run|start)(Program|Cloud)\(|\brun(OnTerminal|ShellLine|ProgramUntil)\(|\bapp\.(run|start)\(|\binOwnProcess\(|\bDeno\.Command\(/;

/** The test files that start programs, which takes most of their time. */
export async function startingPrograms(): Promise<readonly string[]> {
  const files = await Array.fromAsync(filesBelow(join(ROOT, "tests")), (name) => `tests/${name}`);
  return files.filter((file) =>
    file.endsWith("_test.ts") && STARTS_PROGRAM.test(Deno.readTextFileSync(join(ROOT, file)))
  );
}

/** All tests that run the program: `.ci/run --all` runs them on the binary. */
export async function testsOfTheProgram(): Promise<readonly string[]> {
  const others = (await startingPrograms()).filter((file) => isIn(file, ["tests/commands"]));
  return [END_TO_END, PAGE, ...others];
}

/** Tests that only `--all` runs, each with the fact that no default test shows. */
export const ONLY_ALL: Selection = {
  "tests/commands/each_command_test.ts": "each command as a program; by default on the binary",
  "tests/commands/cloud/one_line_test.ts": "the README's line for SageMaker, in a shell",
  "tests/commands/cloud/throttled_creation_test.ts": "the AWS SDK's retries, with its own delays",
  "tests/e2e/base_image_test.ts": "a private base image, by Docker's credential helpers",
  "tests/e2e/build_network_test.ts": "a company's package index, proxy and certificate, in a build",
  "tests/e2e/callers_test.ts": "the clients that a server accepts requests from",
  "tests/e2e/common_test.ts": "code that training, processing and serving share",
  "tests/e2e/differences_test.ts": "when a warning about an old image appears, on real images",
  "tests/e2e/examples_test.ts": "the documented examples, with packages from PyPI",
  "tests/e2e/faults": "killed commands, signals, hanging engines, full disks, Studio",
  "tests/e2e/fixtures_test.ts": "the sample apps in containers; by default on the binary",
  "tests/e2e/foreign_image_test.ts": "images that mlcli did not build, with a server that fails",
  "tests/e2e/from_containers_test.ts": "converted projects of other tools, in containers",
  "tests/e2e/from_tools_test.ts": "converted easy_sm and sagify projects, trained",
  "tests/e2e/hostile_repository_test.ts": "links and names that mean harm, in containers",
  "tests/e2e/hostile_run_test.ts": "what root in a container leaves on this machine",
  "tests/e2e/hosts_test.ts": "several hosts in containers: networks, freezing",
  "tests/e2e/init_from_road_test.ts": "the printed commands of init --from a job, run locally",
  "tests/e2e/model_archive_test.ts": "archives of models in containers; by default on the binary",
  "tests/e2e/model_trial_test.ts": "a model that is tried locally before deploy, in a container",
  "tests/e2e/npy_test.ts": "the documented tables of types, with numpy",
  "tests/e2e/own_dockerfile_test.ts": "a Dockerfile of the user, built and run",
  "tests/e2e/own_inference_road_test.ts": "an inference.py in a container behind an endpoint",
  "tests/e2e/own_inference_test.ts": "an inference.py on an image of the user",
  "tests/e2e/own_processing_test.ts": "a processing script on an image of the user",
  "tests/e2e/own_script_road_test.ts": "a script of the user, run locally and as a job",
  "tests/e2e/own_script_test.ts": "a script on an image of the user, in containers",
  "tests/e2e/ownership_test.ts": "the owners of a run's files, for a caller who is not root",
  "tests/e2e/plain_caller_test.ts": "each command as a user who is not root",
  "tests/e2e/privileges_test.ts": "the capabilities and limits of a container",
  "tests/e2e/push_test.ts": "a new login during a push; pushes that fail and are retried",
  "tests/e2e/rehearsal_test.ts": "a rehearsed stop of a real container",
  "tests/e2e/requirements_files_test.ts": "pip and requirements that refer to files, in images",
  "tests/e2e/resources_test.ts": "memory, processors and networks of a container",
  "tests/e2e/road_test.ts": "each kind of failure of a job whose container really runs",
  "tests/e2e/server_attacks_test.ts": "hostile clients of the harness's server",
  "tests/e2e/server_fuzz_test.ts": "random requests to the harness's server",
  "tests/e2e/server_processes_test.ts": "worker processes of the server that end and are replaced",
  "tests/e2e/strict_test.ts": "--strict in containers",
  "tests/e2e/transform_road_test.ts": "a batch transform job on the container that was trained",
  "tests/e2e/transform_test.ts": "local transform on a real server",
  "tests/e2e/unreadable_log_test.ts": "a real engine whose default log driver is none",
  "tests/e2e/unseen_mounts_test.ts": "directories that a real engine does not see",
  "tests/e2e/volumes_test.ts": "anonymous volumes of an image",
  "tests/e2e/watch_deploy_test.ts": "file events and edits behind a running server",
  "tests/e2e/whose_image_test.ts": "an image that another app built",
  "tests/from_source_test.ts": "installation from a checkout",
  "tests/page": "the page in a browser; by default its views, on the binary",
  "tests/runtime/cloud/deploy/repacked_model_test.ts": "large models that are compressed again",
  "tests/scripts/compile/bundle_test.ts": "the rules of the bundle; CI makes one",
  "tests/scripts/release": "install scripts and packages of a release",
};

/** The slowest tests, which start first. */
export const LONGEST = ["tutorial", "endpoint_road", "model", "deploy", "build"]
  .map((name) => `tests/e2e/${name}_test.ts`);

/**
 * Tests that `.ci/run` also runs on the binary, because embedded files, permissions, signals, TLS or
 * a bundled client of the SDK can differ there. One file loads every part of the bundle.
 */
export const ON_BINARY: Selection = {
  "tests/commands/each_command_test.ts":
    "each command's part of the bundle; the clients for SageMaker, ECR, S3 and STS",
  "tests/commands/version_test.ts": "the commit that is compiled in; the path of the program",
  "tests/commands/init_test.ts": "the embedded template; questions at a terminal",
  "tests/commands/init_mlflow_test.ts": "embedded files of --from; the YAML parser",
  "tests/commands/hostile_directory_test.ts": "the runtime reads no configuration of the directory",
  "tests/commands/cloud/invoke_program_test.ts":
    "the client for SageMaker's runtime, event streams; signals; closed pipes",
  "tests/commands/cloud/jobs/logs_test.ts": "the client for CloudWatch Logs",
  "tests/commands/cloud/credentials_test.ts":
    "credential providers that the SDK loads; permission to run credential_process",
  "tests/commands/cloud/certificates_test.ts": "TLS: the runtime's certificates",
  "tests/e2e/fixtures_test.ts":
    "the embedded harness: build, process, train, deploy, stop in real containers",
  "tests/e2e/interactive_test.ts": "terminals; connections without HTTP",
  "tests/e2e/model_archive_test.ts": "the tar library, zlib, permission to make links",
  "tests/e2e/metrics_test.ts": "re2js and diff, loaded when needed",
  "tests/page/views_test.ts": "the embedded page, its server, and a report",
};

/** Tests that also run on Podman: they run containers. */
export const ON_PODMAN: Selection = {
  "tests/e2e/build_inputs_test.ts":
    "its own builder: stages, arguments, its words where a COPY finds nothing",
  "tests/e2e/train_test.ts": "a run, its mounts and its exit status",
  "tests/e2e/process_test.ts": "a script, its mounts and its exit code",
  "tests/e2e/debug_test.ts": "ports that a run publishes, and its words for a port that is taken",
  "tests/e2e/hosts_test.ts": "networks without names; freezing, and coming back to a network",
  "tests/e2e/deploy_test.ts": "ports, and containers that stay",
  "tests/e2e/errors_test.ts": "its own words and statuses for what fails",
  "tests/e2e/interactive_test.ts": "attaching with an input; terminals",
  "tests/e2e/shell_test.ts": "a shell as the entry point; terminals",
  "tests/e2e/interrupt_test.ts": "signals to a container, and its removal",
  "tests/e2e/privileges_test.ts": "capabilities and limits",
  "tests/e2e/resources_test.ts": "limits, networks, GPUs: its own words",
  "tests/e2e/builder_test.ts": "its own builder and its own words",
  "tests/e2e/own_image_test.ts": "entry points, arguments and no network; what it says of an image",
};

/** Tests that also run on Docker Engine 29: those of ON_PODMAN, builds and pushes. */
export const ON_DOCKER29: Selection = {
  ...ON_PODMAN,
  "tests/e2e/build_test.ts": "images in containerd's store; attestations",
  "tests/e2e/base_image_test.ts": "another registry client; another store",
  "tests/e2e/push_test.ts": "its manifests, which SageMaker may refuse",
  "tests/e2e/road_test.ts": "an image of mlcli's, from build to a job in the cloud",
  "tests/e2e/smoke_test.ts": "the whole local workflow, from an empty directory",
  "tests/e2e/status_test.ts": "what it says of containers",
  "tests/e2e/stop_test.ts": "its responses to a stop",
  "tests/e2e/logs_test.ts": "its logs, byte for byte",
};

/** Tests that also run on Docker with user namespaces, rootless Docker and rootless Podman. */
export const ON_OTHER_ENGINES: Selection = {
  "tests/e2e/plain_caller_test.ts": "each command, and who may read and write what",
  "tests/e2e/ownership_test.ts": "the owners of a run's files",
  "tests/e2e/process_test.ts": "mounts, and exit statuses",
};

/**
 * The selected files, for `deno test`.
 * @throws MlcliError where one is not there: what was moved or renamed would no longer be tested.
 */
export async function pathsOf(selection: Selection): Promise<readonly string[]> {
  const names = Object.keys(selection);
  for (const name of names) {
    if ((await statIfThere(join(ROOT, name)))?.isFile) continue;
    throw new MlcliError(`There is no test file ${name}`, {
      hint: "Name it as it is called now, in scripts/testing/selections.ts.",
    });
  }
  return names.map((name) => join(ROOT, name));
}
