/**
 * Lines of the template's Dockerfile that some apps need and that an edited Dockerfile might lack: the copy
 * of `common/`, and the mount of this machine's network settings.
 */

import { COMMON_PATH } from "../../contract/images.ts";
import { fileErrorReason, MlcliError } from "../../errors.ts";
import { LARGEST_TEXT, readTextFile } from "../../files.ts";
import { type Message, warning } from "../../messages.ts";
import type { App } from "../app.ts";
import { requireInside } from "../confinement.ts";
import { holdsFile } from "../layout.ts";
import { inOneLine } from "../../text.ts";
import { cleanedPath, typedPath } from "../typed_path.ts";
import { copiesOf, type Instruction, instructionsOf, mountedSource } from "./instructions.ts";

/** Puts `APP/mlcli_base/common/` into the image. */
export const COMMON_LINE = `COPY \${APP}/mlcli_base/common/ ${COMMON_PATH}/`;

/**
 * Returns the warning that the Dockerfile does not copy `common/`, if the app has files in it.
 *
 * @param dockerfile absolute path. The app's own Dockerfile is read only if it is inside the repository.
 * @throws MlcliError if the Dockerfile cannot be read.
 */
export async function commonFinding(
  app: App,
  dockerfile: string,
): Promise<Message | undefined> {
  const layout = app.paths;
  if (!await holdsFile(layout, layout.common, layout.common)) return undefined;
  if (dockerfile === layout.dockerfile) await requireInside(app, [dockerfile]);
  const shown = typedPath(app, dockerfile);
  const text = await readTextFile(dockerfile, LARGEST_TEXT).catch((cause) => {
    throw new MlcliError(`Cannot read ${shown}: ${fileErrorReason(cause)}`, { cause });
  });
  if (copiesCommon(instructionsOf(text), app.name)) return undefined;
  return warning(
    `${shown} does not copy ${app.name}/mlcli_base/common/ into the image`,
    "Add this line to the Dockerfile, next to the other COPY lines, then run mlcli build: " +
      COMMON_LINE,
  );
}

/** Whether any line of a Dockerfile has the effect of `COMMON_LINE`. */
export function copiesCommon(instructions: readonly Instruction[], appName: string): boolean {
  return copiesOf(instructions).some(({ sources, target }) =>
    sources.some((source) => putsCommon(source, target, appName))
  );
}

/** Whether a `COPY` copies the directory, or a part of it, to the path that the harness reads. */
function putsCommon(source: string, target: string, appName: string): boolean {
  const folder = `${appName}/mlcli_base/common`;
  const path = cleanedPath(source.replace(/\$\{APP\}|\$APP\b/g, () => appName));
  // What another variable or a pattern stands for is not known: the target tells.
  if (/[$*?[]/.test(path)) return cleanedPath(target).endsWith("common");
  if (path === folder || path.startsWith(`${folder}/`)) {
    return `/${cleanedPath(target)}/`.startsWith(`${COMMON_PATH}/`) || !isPlain(target);
  }
  if (path !== "" && !folder.startsWith(`${path}/`)) return false;
  const to = cleanedPath(`${target}/${folder.slice(path.length)}`);
  return `/${to}` === COMMON_PATH || !isPlain(target);
}

function isPlain(target: string): boolean {
  return target.startsWith("/") && !target.includes("$");
}

/** Directory of the network settings in the build context; every context has the directory. */
export const NETWORK_FOLDER = ".mlcli-build";

export function mountsNetwork(instructions: readonly Instruction[]): boolean {
  return instructions.some(({ name, flags }) => name === "RUN" && flags.some(isNetworkMount));
}

function isNetworkMount(flag: string): boolean {
  return cleanedPath(mountedSource(flag) ?? "") === NETWORK_FOLDER;
}

export function noNetworkMount(shown: string): Message {
  const mount = `--mount=type=bind,source=${NETWORK_FOLDER},target=/run/mlcli-build`;
  return warning(
    `${shown} does not let pip use this machine's network settings`,
    "Add this option to the Dockerfile, between RUN and /opt/mlcli/install, then run mlcli " +
      `build: ${mount}`,
  );
}

/**
 * Returns the Dockerfile for a builder without mounts: without mounts of caches, which can be empty at any
 * time, and without mounts of the network settings.
 */
export function withoutOptionalMounts(dockerfile: string): string {
  return withoutMounts(dockerfile, isOptional);
}

/**
 * Returns a Dockerfile without some options of its RUN instructions. All lines keep their numbers.
 *
 * @throws MlcliError if such an option is written on several lines.
 */
export function withoutMounts(dockerfile: string, isLeftOut: (flag: string) => boolean): string {
  const lines = dockerfile.split("\n");
  for (const { name, line, flags } of instructionsOf(dockerfile)) {
    if (name !== "RUN") continue;
    let index = line - 1;
    for (const flag of flags) {
      if (!isLeftOut(flag)) continue;
      const whole = new RegExp(`${flag.replace(/\W/g, "\\$&")}(?![^\\s\\\\])`);
      const isComment = (text: string) => index >= line && /^\s*#/.test(text);
      while (index < lines.length && (isComment(lines[index]!) || !whole.test(lines[index]!))) {
        index++;
      }
      if (index === lines.length) {
        throw new MlcliError(
          `Cannot remove ${inOneLine(flag)} from line ${line} of the Dockerfile`,
          { hint: "Write the option on one line" },
        );
      }
      lines[index] = lines[index]!.replace(whole, "");
    }
  }
  return lines.join("\n");
}

function isOptional(flag: string): boolean {
  return isNetworkMount(flag) ||
    /^--mount=(.*,)?type=cache(,|$)/.test(flag) && !/[=,]from=/.test(flag);
}
