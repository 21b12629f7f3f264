/**
 * Which tests run where. By default, each test runs once, from source, on Docker: all but `ONLY_ALL`
 * and `JUDGES`. `ON_BINARY`, `ON_PODMAN`, `ON_DOCKER29` and `ON_OTHER_ENGINES` name those that run
 * there a second time.
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
export const ON_ENGINE = [{ path: END_TO_END }, { path: PAGE }, { path: JUDGES }];

/** All tests that run the program. (`.ci/run --all` runs them on the binary.) */
export const OF_THE_PROGRAM = [END_TO_END, "tests/commands", PAGE];

/** A test file or a directory of tests, and why it is in a list. */
export interface Selected {
  readonly path: string;
  readonly reason: string;
}

/** Whether a file is one of these, or in one of these directories. */
export function isIn(file: string, selection: readonly Pick<Selected, "path">[]): boolean {
  return selection.some(({ path }) => file === path || file.startsWith(`${path}/`));
}

/** What a test calls to start a program. */
const STARTS_PROGRAM =
  /\b(run|start)(Program|Cloud)\(|\brun(OnTerminal|ShellLine|ProgramUntil)\(|\bapp\.(run|start)\(|\binOwnProcess\(|\bDeno\.Command\(/;

/** The test files that start programs, which takes most of their time. */
export async function startingPrograms(): Promise<readonly { readonly path: string }[]> {
  const found: { readonly path: string }[] = [];
  for await (const name of filesBelow(join(ROOT, "tests"))) {
    const path = `tests/${name}`;
    const isTest = path.endsWith("_test.ts");
    if (isTest && STARTS_PROGRAM.test(await Deno.readTextFile(join(ROOT, path)))) {
      found.push({ path });
    }
  }
  return found;
}

/** What only `--all` runs, and what it shows that no test of the default run does. */
export const ONLY_ALL: readonly Selected[] = [
  {
    path: "tests/e2e/base_image_test.ts",
    reason: "a private base image, by Docker's credential helpers",
  },
  {
    path: "tests/e2e/box_jobs_test.ts",
    reason: "jobs of the SageMaker simulator, which the roads rely on",
  },
  { path: "tests/e2e/box_transform_test.ts", reason: "batch transform of the SageMaker simulator" },
  {
    path: "tests/e2e/build_network_test.ts",
    reason: "a company's package index, proxy and certificate, in a build",
  },
  { path: "tests/e2e/callers_test.ts", reason: "who can send requests to a server's port" },
  { path: "tests/e2e/common_test.ts", reason: "code that training, processing and serving share" },
  { path: "tests/e2e/completions_test.ts", reason: "completion scripts in real shells" },
  {
    path: "tests/e2e/differences_test.ts",
    reason: "when a warning about an old image appears, on real images",
  },
  { path: "tests/e2e/faults/another_users_test.ts", reason: "apps of another user, in containers" },
  { path: "tests/e2e/faults/at_once_test.ts", reason: "many commands of one app at once" },
  {
    path: "tests/e2e/faults/cut_off_cloud_test.ts",
    reason: "a program that is killed during a call",
  },
  { path: "tests/e2e/faults/engine_away_test.ts", reason: "a real engine that is stopped" },
  { path: "tests/e2e/faults/full_disk_test.ts", reason: "a full disk under a real engine" },
  { path: "tests/e2e/faults/hanging_engine_test.ts", reason: "a real engine that hangs" },
  { path: "tests/e2e/faults/signals_test.ts", reason: "a signal at every 50 ms of each command" },
  {
    path: "tests/e2e/faults/studio_test.ts",
    reason: "the engine and the limits of SageMaker Studio",
  },
  {
    path: "tests/e2e/foreign_image_test.ts",
    reason: "images that mlcli did not build, with a server that fails",
  },
  {
    path: "tests/e2e/from_containers_test.ts",
    reason: "converted projects of other tools, in containers",
  },
  {
    path: "tests/e2e/from_tools_test.ts",
    reason: "converted easy_sm and sagify projects, trained",
  },
  {
    path: "tests/e2e/init_from_road_test.ts",
    reason: "a job's printed lines are the same locally, after init --from",
  },
  {
    path: "tests/e2e/model_trial_test.ts",
    reason: "a model that is tried locally before deploy, in a container",
  },
  { path: "tests/e2e/npy_test.ts", reason: "the documented tables of types, with numpy" },
  {
    path: "tests/e2e/own_inference_road_test.ts",
    reason: "an inference.py in a container behind an endpoint",
  },
  { path: "tests/e2e/own_inference_test.ts", reason: "an inference.py on an image of the user" },
  {
    path: "tests/e2e/own_processing_test.ts",
    reason: "a processing script on an image of the user",
  },
  {
    path: "tests/e2e/own_script_road_test.ts",
    reason: "a script on an image without a toolkit, run locally and as a job",
  },
  {
    path: "tests/e2e/own_script_test.ts",
    reason: "a script on an image of the user, in containers",
  },
  { path: "tests/e2e/plain_caller_test.ts", reason: "each command as a user who is not root" },
  {
    path: "tests/e2e/push_test.ts",
    reason: "pushes to a real registry, which fails and is retried",
  },
  { path: "tests/e2e/rehearsal_test.ts", reason: "a rehearsed stop of a real container" },
  {
    path: "tests/e2e/road_test.ts",
    reason: "each kind of failure of a job whose container really runs",
  },
  { path: "tests/e2e/server_attacks_test.ts", reason: "hostile clients of the harness's server" },
  { path: "tests/e2e/server_fuzz_test.ts", reason: "random requests to the harness's server" },
  {
    path: "tests/e2e/transform_road_test.ts",
    reason: "a batch transform job on the container that was trained",
  },
  { path: "tests/e2e/transform_test.ts", reason: "local transform on a real server" },
  { path: "tests/e2e/volumes_test.ts", reason: "anonymous volumes of an image" },
  {
    path: "tests/e2e/watch_deploy_test.ts",
    reason: "file events and edits behind a running server",
  },
  { path: "tests/e2e/whose_image_test.ts", reason: "an image that another app made" },
  {
    path: "tests/commands/cloud/one_line_test.ts",
    reason: "the README's line for SageMaker, in a shell",
  },
  {
    path: "tests/commands/cloud/throttled_creation_test.ts",
    reason: "the AWS SDK's retries, with its own delays",
  },
  {
    path: "tests/commands/cloud/upload_faults_test.ts",
    reason: "an upload whose calls fail, with the SDK's own delays",
  },
  { path: "tests/from_source_test.ts", reason: "installation from a checkout" },
  { path: "tests/page/access_test.ts", reason: "the page behind a proxy, in a browser" },
  { path: "tests/page/browser_test.ts", reason: "the helpers of the tests in a browser" },
  { path: "tests/page/live_test.ts", reason: "the page during a training run, in a browser" },
  { path: "tests/page/servers_test.ts", reason: "the form for requests, in a browser" },
  { path: "tests/page/whole", reason: "every view by keyboard alone, and with 80 runs" },
  {
    path: "tests/runtime/cloud/deploy/repacked_model_test.ts",
    reason: "archives of models that take long to compress",
  },
  { path: "tests/scripts/compile/bundle_test.ts", reason: "the rules of the bundle; CI makes one" },
  { path: "tests/scripts/release", reason: "install scripts and packages of a release" },
];

/** What takes longest, and is started first. */
export const LONGEST = [
  { path: "tests/e2e/tutorial_test.ts" },
  { path: "tests/e2e/endpoint_road_test.ts" },
  { path: "tests/e2e/model_test.ts" },
  { path: "tests/e2e/deploy_test.ts" },
  { path: "tests/e2e/build_test.ts" },
];

/** What runs at the end, one file at a time: it disturbs the engine, or tests beside it disturb it. */
export const ALONE: readonly Selected[] = [];

/**
 * What `.ci/run` also runs on the binary: what can only differ there (embedded files, permissions,
 * signals, TLS, each bundled client of the SDK), with one file that loads every part of the bundle.
 */
export const ON_BINARY: readonly Selected[] = [
  {
    path: "tests/commands/each_command_test.ts",
    reason: "each command's part of the bundle; the clients for SageMaker, ECR, S3 and STS",
  },
  { path: "tests/commands/version_test.ts", reason: "the commit that is compiled in" },
  { path: "tests/commands/upgrade_test.ts", reason: "the path of the program itself" },
  { path: "tests/commands/init_test.ts", reason: "the embedded template; questions at a terminal" },
  {
    path: "tests/commands/init_mlflow_test.ts",
    reason: "embedded files of --from; the YAML parser",
  },
  {
    path: "tests/commands/hostile_directory_test.ts",
    reason: "the runtime reads no configuration of the directory",
  },
  {
    path: "tests/commands/cloud/invoke_program_test.ts",
    reason: "the client for SageMaker's runtime, event streams; signals; closed pipes",
  },
  { path: "tests/commands/cloud/jobs/logs_test.ts", reason: "the client for CloudWatch Logs" },
  {
    path: "tests/commands/cloud/credentials_test.ts",
    reason: "credential providers that the SDK loads; permission to run credential_process",
  },
  { path: "tests/commands/cloud/certificates_test.ts", reason: "TLS: the runtime's certificates" },
  {
    path: "tests/e2e/fixtures_test.ts",
    reason: "the embedded harness: build, process, train, deploy, stop in real containers",
  },
  { path: "tests/e2e/interactive_test.ts", reason: "terminals; connections without HTTP" },
  {
    path: "tests/e2e/model_archive_test.ts",
    reason: "the tar library, zlib, permission to make links",
  },
  { path: "tests/e2e/metrics_test.ts", reason: "re2js and diff, loaded when needed" },
  { path: "tests/page/views_test.ts", reason: "the embedded page, its server, and a report" },
];

/** What runs on Podman too: what runs a container. */
export const ON_PODMAN: readonly Selected[] = [
  {
    path: "tests/e2e/build_inputs_test.ts",
    reason: "its own builder: stages, arguments, its words where a COPY finds nothing",
  },
  { path: "tests/e2e/train_test.ts", reason: "a run, its mounts and its exit status" },
  { path: "tests/e2e/process_test.ts", reason: "the same for a script" },
  {
    path: "tests/e2e/hosts_test.ts",
    reason: "networks without names; freezing, and coming back to a network",
  },
  { path: "tests/e2e/deploy_test.ts", reason: "ports, and containers that stay" },
  { path: "tests/e2e/errors_test.ts", reason: "its own words and statuses for what fails" },
  { path: "tests/e2e/interactive_test.ts", reason: "attaching with an input; terminals" },
  { path: "tests/e2e/shell_test.ts", reason: "the same, with another entry point" },
  { path: "tests/e2e/interrupt_test.ts", reason: "signals to a container, and its removal" },
  { path: "tests/e2e/privileges_test.ts", reason: "capabilities and limits" },
  { path: "tests/e2e/resources_test.ts", reason: "limits, networks, GPUs: its own words" },
  { path: "tests/e2e/builder_test.ts", reason: "its own builder and its own words" },
  {
    path: "tests/e2e/own_image_test.ts",
    reason: "entry points, arguments and no network; what it says of an image",
  },
];

/** What runs on today's Docker Engine too: the same, and what makes images and sends them. */
export const ON_DOCKER29: readonly Selected[] = [
  ...ON_PODMAN,
  { path: "tests/e2e/build_test.ts", reason: "images in containerd's store; attestations" },
  { path: "tests/e2e/base_image_test.ts", reason: "another registry client; another store" },
  { path: "tests/e2e/push_test.ts", reason: "its manifests, which SageMaker may refuse" },
  {
    path: "tests/e2e/road_test.ts",
    reason: "an image of mlcli's, from build to a job in the cloud",
  },
  { path: "tests/e2e/smoke_test.ts", reason: "the whole local workflow, from an empty directory" },
  { path: "tests/e2e/status_test.ts", reason: "what it says of containers" },
  { path: "tests/e2e/stop_test.ts", reason: "the same; its answers to a stop" },
  { path: "tests/e2e/logs_test.ts", reason: "its logs, byte for byte" },
];

/** What runs on Docker with user namespaces, rootless Docker and rootless Podman too. */
export const ON_OTHER_ENGINES: readonly Selected[] = [
  {
    path: "tests/e2e/plain_caller_test.ts",
    reason: "each command, and who may read and write what",
  },
  { path: "tests/e2e/ownership_test.ts", reason: "whose the files of a run are" },
  { path: "tests/e2e/process_test.ts", reason: "mounts, and exit statuses" },
];

/**
 * The selected files, for `deno test`.
 * @throws MlcliError where one is not there: what was moved or renamed would no longer be tested.
 */
export async function pathsOf(selection: readonly Selected[]): Promise<readonly string[]> {
  const paths = selection.map(({ path }) => join(ROOT, path));
  for (const [index, path] of paths.entries()) {
    if ((await statIfThere(path))?.isFile) continue;
    throw new MlcliError(`There is no test file ${selection[index]?.path}`, {
      hint: "Name it as it is called now, in scripts/testing/selections.ts.",
    });
  }
  return paths;
}
