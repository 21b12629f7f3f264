/**
 * Which tests run where. All of them run from source, on Docker. `ON_BINARY`, `ON_PODMAN`,
 * `ON_DOCKER29` and `ON_OTHER_ENGINES` name those that run there a second time.
 */

import { fromFileUrl, join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { statIfThere } from "../../runtime/files.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** Tests that need an engine. */
export const END_TO_END = "tests/e2e";

/** Tests that need much of PyPI: a task of their own. */
export const JUDGES = "tests/judges";

/** Tests in a browser, which need an engine, too; below it, those that take long: a task of their own. */
export const PAGE = "tests/page";
export const WHOLE_PAGE = `${PAGE}/whole`;

/** All tests that run the program. (`deno task test:all` runs them on the binary.) */
export const OF_THE_PROGRAM = [END_TO_END, "tests/commands", PAGE];

/** A test file that runs once more, and why once is not enough. */
export interface Selected {
  readonly path: string;
  readonly reason: string;
}

/**
 * What runs on the binary too, in `.ci/run`: where it differs from the source (what is embedded,
 * what it is allowed, what was bundled, another runtime), and each command at least once, since each
 * is a part of the bundle that is loaded on its own.
 */
export const ON_BINARY: readonly Selected[] = [
  { path: "tests/commands/version_test.ts", reason: "the commit that is compiled in" },
  { path: "tests/commands/upgrade_test.ts", reason: "where the program itself lies" },
  { path: "tests/commands/init_test.ts", reason: "the embedded template; questions at a terminal" },
  { path: "tests/commands/init_mlflow_test.ts", reason: "templates of --from; YAML, bundled" },
  { path: "tests/commands/doctor_test.ts", reason: "its permissions: disk, user, directories" },
  { path: "tests/commands/streams_test.ts", reason: "the standard streams" },
  {
    path: "tests/commands/hostile_directory_test.ts",
    reason: "the runtime reads no configuration of the directory",
  },
  {
    path: "tests/commands/local/invoke_test.ts",
    reason: "standard input, and HTTP without a proxy",
  },
  { path: "tests/commands/cloud/endpoints/list_test.ts", reason: "the bundled SDK" },
  {
    path: "tests/commands/cloud/programs_test.ts",
    reason: "each a part of the bundle; three bundled clients of the SDK at once, that of ECR too",
  },
  {
    path: "tests/commands/cloud/one_line_test.ts",
    reason: "deploy: the bundled SDK; three of its runs in one line of a shell",
  },
  {
    path: "tests/commands/cloud/data_program_test.ts",
    reason: "upload-data: S3 of the bundled SDK, signals, permission to read",
  },
  { path: "tests/commands/cloud/endpoints/delete_test.ts", reason: "the bundled SDK; signals" },
  {
    path: "tests/commands/cloud/invoke_program_test.ts",
    reason: "the bundled SDK of the runtime, streams of events; signals; readers that go away",
  },
  { path: "tests/commands/cloud/jobs/logs_test.ts", reason: "the bundled SDK of the logs" },
  { path: "tests/commands/cloud/jobs/wait_test.ts", reason: "the bundled SDK; signals" },
  {
    path: "tests/commands/cloud/credentials_test.ts",
    reason: "providers that the SDK loads by itself; permission to run credential_process",
  },
  { path: "tests/commands/cloud/credential_services_test.ts", reason: "the same, over HTTP" },
  {
    path: "tests/commands/cloud/certificates_test.ts",
    reason: "TLS: the runtime's own certificates",
  },
  { path: "tests/commands/cloud/proxy_test.ts", reason: "the runtime's own proxies" },
  {
    path: "tests/e2e/fixtures_test.ts",
    reason: "the embedded harness; build, process, train, deploy, stop: each a part of the bundle",
  },
  {
    path: "tests/e2e/watch_deploy_test.ts",
    reason: "a listener, what the system tells of files, and signals, of the compiled runtime",
  },
  {
    path: "tests/e2e/base_image_test.ts",
    reason: "permission to run Docker's credential helpers; BuildKit's messages, bundled",
  },
  {
    path: "tests/e2e/faults/signals_test.ts",
    reason: "signals at every moment, also while a part of the bundle is being loaded",
  },
  {
    path: "tests/e2e/completions_test.ts",
    reason: "the command tree in a bundle, minified; shells",
  },
  {
    path: "tests/e2e/interrupt_test.ts",
    reason: "signals; readers that go away; permission to ask whether a process lives",
  },
  {
    path: "tests/e2e/model_archive_test.ts",
    reason: "the bundled tar library, zlib, and permission to make links",
  },
  {
    path: "tests/e2e/metrics_test.ts",
    reason:
      "the bundled re2js and jsdiff, loaded when they are needed; local list-jobs; a line on a terminal",
  },
  {
    path: "tests/e2e/faults/killed_test.ts",
    reason: "its permission to ask whether another mlcli still runs",
  },
  {
    path: "tests/e2e/faults/full_disk_test.ts",
    reason: "the system's words for it, and its permission to ask for the room on a disk",
  },
  {
    path: "tests/e2e/faults/unread_output_test.ts",
    reason: "signals while the runtime writes to a pipe that is full",
  },
  { path: "tests/e2e/logs_test.ts", reason: "two streams, byte for byte" },
  {
    path: "tests/e2e/interactive_test.ts",
    reason: "terminals: keys as they are typed; connections to the engine without HTTP",
  },
  { path: "tests/e2e/shell_test.ts", reason: "the same; a part of the bundle" },
  { path: "tests/e2e/status_test.ts", reason: "terminals: a table of their width" },
  { path: "tests/e2e/packages_test.ts", reason: "packages are made of it, and installed" },
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
