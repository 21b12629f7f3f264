/**
 * The files of mlcli's harness, which `mlcli build` puts into every image.
 *
 * @module
 */

/** A file that mlcli brings along. */
export interface HarnessFile {
  /** Relative to the harness, with slashes. */
  readonly path: string;
  readonly executable: boolean;
}

const EXECUTABLES = ["entrypoint", "install"];

const MODULES = [
  "installed.py",
  "main.py",
  "mlcli_harness/__init__.py",
  "mlcli_harness/code.py",
  "mlcli_harness/environment.py",
  "mlcli_harness/failure.py",
  "mlcli_harness/packages.py",
  "mlcli_harness/paths.py",
  "mlcli_harness/process.py",
  "mlcli_harness/report.py",
  "mlcli_harness/serving/__init__.py",
  "mlcli_harness/serving/accepting.py",
  "mlcli_harness/serving/answer.py",
  "mlcli_harness/serving/application.py",
  "mlcli_harness/serving/arbiter.py",
  "mlcli_harness/serving/balance.py",
  "mlcli_harness/serving/bodies.py",
  "mlcli_harness/serving/booting.py",
  "mlcli_harness/serving/callers.py",
  "mlcli_harness/serving/clients.py",
  "mlcli_harness/serving/codecs.py",
  "mlcli_harness/serving/connection.py",
  "mlcli_harness/serving/context.py",
  "mlcli_harness/serving/errors.py",
  "mlcli_harness/serving/http.py",
  "mlcli_harness/serving/leaders.py",
  "mlcli_harness/serving/media_types.py",
  "mlcli_harness/serving/memory.py",
  "mlcli_harness/serving/model.py",
  "mlcli_harness/serving/request_bodies.py",
  "mlcli_harness/serving/sender.py",
  "mlcli_harness/serving/server.py",
  "mlcli_harness/serving/worker.py",
  "mlcli_harness/stopping.py",
  "mlcli_harness/toolkit.py",
  "mlcli_harness/train.py",
  "mlcli_harness/watch.py",
];

/** All files of the harness. Other things in its directory (`__pycache__`) are not wanted. */
export const HARNESS_FILES: readonly HarnessFile[] = [
  ...EXECUTABLES.map((path) => ({ path, executable: true })),
  ...MODULES.map((path) => ({ path, executable: false })),
];

/** Reads one, from the source tree or out of the compiled program. */
export async function readHarnessFile(path: string): Promise<Uint8Array> {
  return await Deno.readFile(new URL(`harness/${path}`, import.meta.url));
}
