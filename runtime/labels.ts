/**
 * The labels that mlcli gives to its images and containers.
 *
 * @module
 */

/** A container has all of the first eight: it inherits those of its image that it does not have. */
export const LABELS = {
  /** The app's name. */
  app: "mlcli.app",
  /** What a container is for. */
  role: "mlcli.role",
  /** The port on the host of a server. */
  port: "mlcli.port",
  /** Of a server: device and inode of the model's directory on the machine that mlcli runs on. */
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
  /** Of an image whose harness finds what training, processing and prediction share. */
  common: "mlcli.common",
  /** Of an image that `mlcli build` made: the path of its Dockerfile in the build context. */
  dockerfile: "mlcli.dockerfile",
} as const;
