/**
 * Lines of the Dockerfile of `mlcli init` that an older Dockerfile lacks, and what for. Each matters
 * only to an app that needs it.
 *
 * @module
 */

import { COMMON_PATH } from "../../contract/images.ts";
import { copiesOf, type Instruction, mountedSource } from "./instructions.ts";
import { cleanedPath } from "./paths.ts";

/** A line that a Dockerfile may lack. */
export interface TemplateLine {
  /** As the template has it. */
  readonly line: string;
  /** Where it belongs, in words. */
  readonly place: string;
  /** What a Dockerfile without it does not do. */
  readonly without: (appName: string) => string;
  /** Whether a Dockerfile does by any line what this one does. */
  readonly isDone: (instructions: readonly Instruction[], appName: string) => boolean;
}

/** Puts `APP/mlcli_base/common/` into the image. */
export const COMMON_LINE: TemplateLine = {
  line: `COPY \${APP}/mlcli_base/common/ ${COMMON_PATH}/`,
  place: "beside the others that copy code",
  without: (appName) => `does not copy ${appName}/mlcli_base/common/ into the image`,
  isDone: (instructions, appName) =>
    copiesOf(instructions).some(({ sources, target }) =>
      sources.some((source) => putsCommon(source, target, appName))
    ),
};

/** Whether a `COPY` brings the directory, or a part of it, to where the harness looks for it. */
function putsCommon(source: string, target: string, appName: string): boolean {
  const folder = `${appName}/mlcli_base/common`;
  const path = cleanedPath(source.replace(/\$\{APP\}|\$APP\b/g, appName));
  // What another variable stands for, or a pattern, is not known: the author means something by it.
  if (/[$*?[]/.test(path)) return cleanedPath(target).endsWith("common");
  if (path === folder || path.startsWith(`${folder}/`)) {
    return `/${cleanedPath(target)}/`.startsWith(`${COMMON_PATH}/`) || !isPlain(target);
  }
  if (path !== "" && !folder.startsWith(`${path}/`)) return false;
  const to = cleanedPath(`${target}/${folder.slice(path.length)}`);
  return `/${to}` === COMMON_PATH || !isPlain(target);
}

/** Whether it is known where a target leads. */
function isPlain(target: string): boolean {
  return target.startsWith("/") && !target.includes("$");
}

/** Where that lies in the build context; the directory is always there, for a step to mount. */
export const NETWORK_FOLDER = ".mlcli-build";

/** Lets pip use what mlcli hands over of this machine's network, for one step alone. */
export const NETWORK_LINE: TemplateLine = {
  line: `--mount=type=bind,source=${NETWORK_FOLDER},target=/run/mlcli-build`,
  place: "between RUN and /opt/mlcli/install",
  without: () => "does not let pip use this machine's network settings",
  isDone: (instructions) =>
    instructions.some(({ name, flags }) => name === "RUN" && flags.some(mountsNetwork)),
};

/** Whether an option of `RUN` mounts what mlcli hands over. */
export function mountsNetwork(flag: string): boolean {
  return cleanedPath(mountedSource(flag) ?? "") === NETWORK_FOLDER;
}
