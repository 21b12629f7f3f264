/** The platforms of images, the labels of images and containers, and what they tell about an image. */

/** An operating system, an architecture and perhaps a variant: `linux/arm64/v8`. */
export const PLATFORM = /^[\w.-]+\/[\w.-]+(\/[\w.-]+)?$/;

/**
 * The labels that mlcli gives to its images and containers. A container has all of the first eight: it
 * inherits those of its image that it does not have.
 */
export const LABELS = {
  /** The app's name. */
  app: "mlcli.app",
  /** What a container is for. */
  role: "mlcli.role",
  /** The port on the host of a server. */
  port: "mlcli.port",
  /** Of a server: the run that made its model; empty where a person put that there. */
  model: "mlcli.model",
  /** Of a server: what it was made of, in JSON (`MadeOf` of `local/server/made_of.ts`). */
  madeOf: "mlcli.made-of",
  /** Which mlcli created it: the number of its process, and the machine's name. */
  owner: "mlcli.owner",
  /** Of the app: its machine and directory, as one hash (`App.mark`). */
  directory: "mlcli.directory",
  /** The version of mlcli that made it. */
  version: "mlcli.version",
  /** In SageMaker Studio: the port of the space that a server listens on; empty for other containers. */
  listens: "mlcli.listens",
  /** Of an image that holds mlcli's harness, whatever its entry point is: the template sets it. */
  harness: "mlcli.harness",
  /** Of an image that `mlcli build` made: the path of its Dockerfile in the build context. */
  dockerfile: "mlcli.dockerfile",
  /** Of an image that `mlcli build` made: what it was made of, `app` or `own` (a context of the user's own). */
  context: "mlcli.context",
  /** Fingerprints of the files that `mlcli build` made the image from, in JSON (`app/sources.ts`). */
  files: "mlcli.files",
} as const;

/** Returns the option of a command about this image: none for the default tag. */
export function tagOption(reference: string): string {
  const [, tag = "latest"] = /:([\w.-]+)$/.exec(reference) ?? [];
  return tag === "latest" ? "" : ` --docker-tag ${tag}`;
}

/** The part of the engine's answer about an image that tells whose it is. */
export interface LabelledImage {
  readonly Config?: {
    readonly Entrypoint?: readonly string[] | null;
    readonly Labels?: Readonly<Record<string, string>> | null;
  };
}

/** Where an image with the harness has what training, processing and prediction share. */
export const COMMON_PATH = "/opt/program/common";

/** Where the Dockerfile of `mlcli init` puts the harness. */
const ENTRY_POINT = "/opt/mlcli/entrypoint";

/**
 * Whether an image holds mlcli's harness, whose programs handle SIGTERM and run the code in
 * `/opt/ml/code`. Containers of other images get no init from mlcli: it would hide that a program
 * does not handle SIGTERM, which then fails on SageMaker.
 */
export function holdsHarness({ Config }: LabelledImage): boolean {
  return Config?.Entrypoint?.[0] === ENTRY_POINT ||
    Config?.Labels?.[LABELS.harness] !== undefined;
}

/**
 * A server with this label listens on the port that SAGEMAKER_BIND_TO_PORT names, where several
 * containers share a host.
 *
 * Source: AWS's developer guide, "Creating an inference pipeline" and "Multi-container endpoints".
 */
export const BIND_LABEL = "com.amazonaws.sagemaker.capabilities.accept-bind-to-port";

/** Whether an image's server listens on the port that SAGEMAKER_BIND_TO_PORT names. */
export function takesPort(image: LabelledImage): boolean {
  return holdsHarness(image) || image.Config?.Labels?.[BIND_LABEL] === "true";
}

/** Whether `mlcli build` made an image: of any Dockerfile, with the harness in it or not. */
export function isBuiltByMlcli(image: LabelledImage): boolean {
  return image.Config?.Labels?.[LABELS.app] !== undefined || holdsHarness(image);
}

/**
 * Whether `mlcli build` made an image of this app: its Dockerfile, its requirements and its code.
 * Another app's may be named in the configuration, too.
 */
export function isBuiltOf(appName: string, { Config }: LabelledImage): boolean {
  return Config?.Labels?.[LABELS.app] === appName;
}

/** Whether `mlcli build` made an image of a context of the user's own, and not of an app's directory. */
export function isOfOwnContext({ Config }: LabelledImage): boolean {
  return Config?.Labels?.[LABELS.context] === "own";
}

/** Whether an image's programs run as root, by the `USER` of its Dockerfile. */
export function isRoot(user: string | undefined): boolean {
  return /^(root|0)?(:.*)?$/.test(user ?? "");
}
