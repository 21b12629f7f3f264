/** Code that a local run sends to an image as SageMaker would: as an input, with settings for pip. */

import { dirname } from "@std/path/dirname";
import { join } from "@std/path/join";
import type { App } from "../app/app.ts";
import { startScript } from "../app/harness_files.ts";
import { LABELS } from "../contract/images.ts";
import { CODE_ARCHIVE, START_SCRIPT } from "../contract/launch.ts";
import type { Variables } from "../contract/variables.ts";
import type { Engine, Mount, VolumeMount } from "../docker/engine.ts";
import { makeDirectory } from "../files.ts";
import { installsPackages, type PackedCode } from "../source/source.ts";
import { readOnly } from "./container/body.ts";
import type { BatchJob, Host, LocalJob, PipNetwork } from "./jobs.ts";
import { openToContainer } from "./runs/run.ts";

/** Mounts and variables that make pip fast in a container, and let it reach the user's package index. */
export interface PipPlace {
  readonly mounts: readonly (Mount | VolumeMount)[];
  readonly variables: Variables;
}

const CACHE = "/opt/mlcli/pip-cache";
const NETWORK = "/opt/mlcli/network";

/** A run whose code installs packages. */
export interface Installing {
  readonly job: Pick<LocalJob, "app" | "network" | "strict"> & Pick<BatchJob, "networkSettings">;
  /** Whether the image's programs run as root. */
  readonly isRoot: boolean;
  /** Directory for pip's files of this machine's network settings. Created if needed. */
  readonly networkFolder: string;
  readonly engine: Pick<Engine, "inStudio">;
  readonly host: Pick<Host, "messages" | "pipNetwork">;
}

/** The run that code is for. */
export interface RunOfCode extends Installing {
  /** In which the container finds it. */
  readonly folder: string;
}

/**
 * Adds code to a run's input.
 *
 * @returns settings for pip, if the code installs packages. With `--strict`, there are none: SageMaker has
 * neither a cache nor this machine's network.
 */
export async function layCode(
  sent: PackedCode,
  launcher: string,
  run: RunOfCode,
): Promise<PipPlace | undefined> {
  await makeDirectory(run.folder);
  await Deno.writeFile(join(run.folder, CODE_ARCHIVE), sent.archive);
  if (launcher === "script") {
    await Deno.writeTextFile(join(run.folder, START_SCRIPT), await startScript());
  }
  return installsPackages(sent) ? await pipPlace(run) : undefined;
}

/** Lays code where it would be unpacked in the container. */
export async function unpackCode({ files }: PackedCode, directory: string): Promise<void> {
  await makeDirectory(directory);
  for (const { path, isProgram, bytes } of files) {
    const target = join(directory, path);
    await makeDirectory(dirname(target));
    // The existing file might belong to a model whose names differ only by case.
    await Deno.writeFile(target, bytes, { mode: isProgram ? 0o755 : 0o644, createNew: true });
  }
  openToContainer(directory);
}

/** Returns settings for pip. Prints a note if the container has no network. */
export async function pipPlace(installing: Installing): Promise<PipPlace | undefined> {
  const { job, host, networkFolder: folder } = installing;
  if (job.network === "none") {
    host.messages.warning(
      "The code's packages cannot be installed, because this run has no network",
      "Use an image that contains the packages, and remove requirements.txt and setup.py",
    );
  }
  const plan = await pipPlan(installing);
  if (plan === undefined) return undefined;
  const { files = {}, ...place } = plan;
  const names = Object.keys(files);
  if (names.length > 0) await makeDirectory(folder);
  for (const name of names) await Deno.writeTextFile(join(folder, name), files[name]!);
  if (names.length > 0) openToContainer(folder);
  return place;
}

/** Like `pipPlace`, and returns the files that pip finds in the directory. Creates no files. */
export async function pipPlan(
  { job, isRoot, networkFolder, engine, host }: Installing,
): Promise<PipPlace & Partial<Pick<PipNetwork, "files">> | undefined> {
  if (job.strict || job.network === "none") return undefined;
  // A volume is root's.
  const hasCache = isRoot && !engine.inStudio;
  const cache = hasCache ? [cacheMount(job.app)] : [];
  const ofCache: Variables = hasCache ? { PIP_CACHE_DIR: CACHE } : {};
  const found = job.networkSettings ? await host.pipNetwork?.() : undefined;
  if (found === undefined) return { mounts: cache, variables: ofCache };
  const names = Object.keys(found.files);
  return {
    files: found.files,
    mounts: [...cache, ...names.length > 0 ? [readOnly(networkFolder, NETWORK)] : []],
    variables: { ...ofCache, ...found.variables, ...filesInVariables(names) },
  };
}

/** Variables with which pip, and programs that it starts, find the files. */
function filesInVariables(names: readonly string[]): Variables {
  const [certificates, netrc] = [`${NETWORK}/certificates.pem`, `${NETWORK}/netrc`];
  return {
    ...names.includes("certificates.pem")
      ? { PIP_CERT: certificates, SSL_CERT_FILE: certificates, REQUESTS_CA_BUNDLE: certificates }
      : {},
    ...names.includes("netrc") ? { NETRC: netrc } : {},
  };
}

/** Volume of this app in this directory only: code of another app could leave packages in a shared one. */
function cacheMount({ name, mark }: App): VolumeMount {
  return {
    Type: "volume",
    Source: `mlcli-pip-${name}-${mark.slice(0, 12)}`,
    Target: CACHE,
    ReadOnly: false,
    VolumeOptions: { Labels: { [LABELS.app]: name, [LABELS.directory]: mark } },
  };
}
