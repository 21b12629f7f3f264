/** Code that a run sends to an image as SageMaker would: as an input, and what pip needs to install. */

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

/** What a container gets so that pip in it is quick, and reaches the person's package index. */
export interface PipPlace {
  readonly mounts: readonly (Mount | VolumeMount)[];
  readonly variables: Variables;
}

const CACHE = "/opt/mlcli/pip-cache";
const NETWORK = "/opt/mlcli/network";

/** What installs packages. */
export interface Installing {
  readonly job: Pick<LocalJob, "app" | "network" | "strict"> & Pick<BatchJob, "networkSettings">;
  /** Whether the image's programs run as root. */
  readonly isRoot: boolean;
  /** A directory that pip's files of this machine's network may be put into. It is made. */
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
 * Lays code into a run's input.
 *
 * @returns what pip gets, where the code installs packages. Under `--strict` that is nothing: SageMaker
 * has neither a cache nor this machine's network.
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
    // What is there may be a model's own file, where names differ by their case alone.
    await Deno.writeFile(target, bytes, { mode: isProgram ? 0o755 : 0o644, createNew: true });
  }
  openToContainer(directory);
}

/** What pip gets, and says where it has no network. */
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

/** The same, and the files that it finds in the directory. Nothing is made. */
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

/** The variables by which pip, and what it starts, find the files. */
function filesInVariables(names: readonly string[]): Variables {
  const [certificates, netrc] = [`${NETWORK}/certificates.pem`, `${NETWORK}/netrc`];
  return {
    ...names.includes("certificates.pem")
      ? { PIP_CERT: certificates, SSL_CERT_FILE: certificates, REQUESTS_CA_BUNDLE: certificates }
      : {},
    ...names.includes("netrc") ? { NETRC: netrc } : {},
  };
}

/** A volume of this app in this directory alone: another's code could leave packages there. */
function cacheMount({ name, mark }: App): VolumeMount {
  return {
    Type: "volume",
    Source: `mlcli-pip-${name}-${mark.slice(0, 12)}`,
    Target: CACHE,
    ReadOnly: false,
    VolumeOptions: { Labels: { [LABELS.app]: name, [LABELS.directory]: mark } },
  };
}
