/**
 * Gives the engine a Python image to build apps on: `ensureBaseImage`. Pulls the official
 * one; where no registry answers, makes one from Debian's packages.
 */

import { pack } from "tar-stream";
import type { Engine } from "../../runtime/docker/engine.ts";
import { failureOf, type ProgressMessage } from "../../runtime/docker/messages.ts";
import { messageOf, MlcliError } from "../../runtime/errors.ts";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { joinSignals } from "../../runtime/time.ts";
import { lastLines, run, start } from "../process.ts";
import { say, step } from "../script.ts";
import { cacheDirectory, withLock } from "./cache.ts";
import {
  aptSource,
  canInstallPackages,
  currentSystem,
  installPackages,
  type System,
} from "./debian.ts";

/** What the image holds besides Python and gunicorn: nothing, pip, scikit-learn and pandas, or torch. */
export type BaseImageKind = "plain" | "pip" | "sklearn" | "torch";

/** The official image, which gets everything else by pip. */
const OFFICIAL_IMAGE = "python:3.12-slim";

/** What each kind is called when it is made here, and the Debian packages in it. */
const MADE = {
  plain: { name: "mlcli-python", packages: ["python3", "gunicorn"] },
  pip: { name: "mlcli-python-pip", packages: ["python3-pip", "ca-certificates"] },
  sklearn: {
    name: "mlcli-python-sklearn",
    packages: ["python3-sklearn", "python3-pandas", "python3-joblib"],
  },
  torch: {
    name: "mlcli-python-torch",
    packages: ["python3-torch"],
    // torchrun of torch 1.13 asks an enumeration for its zero, which Python 3.11 no longer lists.
    then: "sed -i 's/for s in Std:/for s in Std.__members__.values():/' " +
      "/usr/lib/python3/dist-packages/torch/distributed/elastic/multiprocessing/api.py",
  },
} as const;

/** A registry says something within a second; without one the name lookup fails at once. In ms. */
const REGISTRY_TIMEOUT = 10_000;
/** A pull that says nothing for so long is stuck. In ms. */
const STALL_TIMEOUT = 60_000;
/**
 * Making an image takes 40 s here, 12 s more with pip, 30 s more with scikit-learn: a slow mirror
 * gets ten times that. In ms.
 */
const MAKE_TIMEOUT = 600_000;

/** How the directories begin in which images are put together. */
const WORK_PREFIX = "base-image-";

/** Files of the tree that an image has no use for, or that belong to the machine it was made on. */
const LEFT_OUT = [
  "./dev/*",
  "./etc/hostname",
  "./etc/resolv.conf",
  "./proc/*",
  "./run/*",
  "./sys/*",
  "./tmp/*",
  "./usr/share/doc/*",
  "./usr/share/info/*",
  "./usr/share/locale/*",
  "./usr/share/man/*",
  "./var/cache/apt/*",
  "./var/lib/apt/lists/*",
  "./var/log/*",
];

/** Where this runs, and as whom. */
export interface Machine {
  readonly system: System;
  /** `null` on Windows. */
  readonly uid: number | null;
}

/**
 * An image that apps can be built on, made or pulled when the engine has none.
 * @param machine default: this one.
 * @returns its reference, for `mlcli build --base-image`.
 * @throws MlcliError when none can be had.
 */
export async function ensureBaseImage(
  kind: BaseImageKind,
  engine: Engine,
  signal: AbortSignal,
  machine?: Machine,
): Promise<string> {
  const { system, uid } = machine ?? { system: await currentSystem(), uid: Deno.uid() };
  const { codename } = system;
  const made = `${MADE[kind].name}:${codename || "latest"}`;
  if (await engine.image(made)) return made;
  // The official image has neither of the others: whether pip will get them shows when a registry answers.
  const isEnough = kind === "plain" || kind === "pip";
  if (isEnough && await engine.image(OFFICIAL_IMAGE)) return OFFICIAL_IMAGE;
  if (await pull(OFFICIAL_IMAGE, engine, signal)) return OFFICIAL_IMAGE;
  if (system.id !== "debian" || !canInstallPackages(system, uid)) {
    throw new MlcliError(`No registry answers to pull ${OFFICIAL_IMAGE} from`, {
      hint: "Connect to the network, give the Docker Engine a mirror (`registry-mirrors` in " +
        "/etc/docker/daemon.json), or run this as root on Debian, where an image can be made " +
        "from Debian's packages.",
    });
  }
  const cache = await cacheDirectory();
  await withLock(`${cache}/base-image.lock`, { timeout: 2 * MAKE_TIMEOUT, signal }, async () => {
    for (const wanted of kind === "plain" ? ["plain"] as const : ["plain", kind] as const) {
      const reference = `${MADE[wanted].name}:${codename}`;
      if (await engine.image(reference)) continue;
      await step(
        `Making ${reference} from Debian's packages`,
        () =>
          wanted === "plain"
            ? makePlain(codename, cache, engine, signal)
            : makeUpon(wanted, codename, engine, signal),
      );
    }
  });
  return made;
}

/** Pulls an image; `false`, having said why, where that does not work. */
async function pull(reference: string, engine: Engine, signal: AbortSignal): Promise<boolean> {
  const silence = new AbortController();
  const stop = () => silence.abort(new MlcliError("the registry does not answer"));
  let timer = setTimeout(stop, REGISTRY_TIMEOUT);
  try {
    say(`Pulling ${reference} ...`);
    using limit = joinSignals(signal, silence.signal);
    const messages = engine.pull(reference, { signal: limit.signal });
    await finish(messages, () => {
      clearTimeout(timer);
      timer = setTimeout(stop, STALL_TIMEOUT);
    });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    say(`Cannot pull it: ${messageOf(error)}`);
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads what the engine says of a pull, an import or a build to its end.
 * @throws MlcliError with the engine's own words when it failed.
 */
async function finish(
  messages: AsyncIterable<ProgressMessage>,
  onMessage: () => void = () => {},
): Promise<void> {
  let said = "";
  for await (const message of messages) {
    onMessage();
    said += message.stream ?? "";
    const failure = failureOf(message);
    if (failure) throw new MlcliError(failure, { quote: lastLines(said) || undefined });
  }
}

/** Makes the image with Python and gunicorn. */
async function makePlain(
  codename: string,
  cache: string,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  await installPackages(["debootstrap"], signal);
  const { mirror, proxy } = await aptSource(codename, signal);
  const work = await newWorkDirectory(cache);
  // Made by debootstrap, and so open to all: it becomes the image's root directory.
  const tree = `${work}/tree`;
  try {
    await run([
      // What debootstrap starts and mounts, it starts and mounts in namespaces that end with it.
      ...["unshare", "--mount", "--pid", "--fork", "--kill-child"],
      ...["debootstrap", "--variant=minbase", `--include=${MADE.plain.packages.join(",")}`],
      ...[codename, tree, ...(mirror ? [mirror] : [])],
    ], {
      timeout: MAKE_TIMEOUT,
      signal,
      killSignal: "SIGKILL", // unshare ignores the others
      env: proxy ? { http_proxy: proxy } : {},
      hint: "See that `apt-get update` works on this machine, then run this again.",
    });
    await importTree(tree, `${MADE.plain.name}:${codename}`, engine, signal);
  } finally {
    await removeTreeIfThere(work);
  }
}

/** An empty directory for this run. Removes what killed runs have left. */
async function newWorkDirectory(cache: string): Promise<string> {
  for await (const { name } of Deno.readDir(cache)) {
    // A debootstrap whose run was killed may still write there: then a later run removes it.
    if (name.startsWith(WORK_PREFIX)) await removeTreeIfThere(`${cache}/${name}`).catch(() => {});
  }
  return await Deno.makeTempDir({ dir: cache, prefix: WORK_PREFIX });
}

/** Sends a tree to the engine as an image, as a stream. */
async function importTree(
  tree: string,
  reference: string,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  using limit = joinSignals(signal, AbortSignal.timeout(MAKE_TIMEOUT));
  const tar = start(
    [
      ...["tar", "--create", "--numeric-owner", "--one-file-system", `--directory=${tree}`],
      ...[...LEFT_OUT.map((path) => `--exclude=${path}`), "."],
    ],
    { signal: limit.signal, hint: "Is there space left on the disk?" },
  );
  const complaints = new Response(tar.stderr).text();
  // The engine must not take half a tree for all of it: the stream succeeds only if tar does.
  const whole = new TransformStream<Uint8Array, Uint8Array>({
    async flush() {
      if ((await tar.status).success) return;
      throw new MlcliError("tar failed", { quote: await complaints });
    },
  });
  await finish(engine.importImage(reference, tar.stdout.pipeThrough(whole)));
}

/** Makes an image with more packages, on top of the plain one. */
async function makeUpon(
  kind: Exclude<BaseImageKind, "plain">,
  codename: string,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  const { proxy } = await aptSource(codename, signal);
  const dockerfile = packagesDockerfile(`${MADE.plain.name}:${codename}`, MADE[kind]);
  using limit = joinSignals(signal, AbortSignal.timeout(MAKE_TIMEOUT));
  await finish(engine.build({
    builder: "classic",
    tag: `${MADE[kind].name}:${codename}`,
    dockerfile: "Dockerfile",
    buildArguments: proxy ? { http_proxy: proxy } : {},
    labels: {},
    noCache: false,
    // The way to the mirror that this machine has, name resolution included.
    networkMode: "host",
    context: contextOf(dockerfile),
    signal: limit.signal,
  }));
}

/** A build context with nothing but a Dockerfile. */
function contextOf(dockerfile: string): ReadableStream<Uint8Array> {
  const archive = pack();
  archive.entry({ name: "Dockerfile" }, dockerfile);
  archive.finalize();
  return ReadableStream.from(archive as AsyncIterable<Uint8Array>);
}

/** The Dockerfile of such an image, without documentation, tests, and what compilers need. */
function packagesDockerfile(
  base: string,
  { packages, then = "true" }: { readonly packages: readonly string[]; readonly then?: string },
): string {
  return `FROM ${base}
RUN printf 'path-exclude=/usr/%s\\n' 'share/doc/*' 'share/info/*' 'share/locale/*' 'share/man/*' \\
      'include/*' 'lib/gcc/*' 'lib/*.a' > /etc/dpkg/dpkg.cfg.d/slim \\
 && apt-get update \\
 && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \\
      ${packages.join(" ")} \\
 && ${then} \\
 && rm -rf /var/cache/apt/* /var/lib/apt/lists/* /var/log/* $(find /usr/lib/python3 -name tests)
`;
}
