/**
 * Mounts of secrets and SSH keys. BuildKit asks for them over a session, which mlcli's builds don't
 * have, and without one it refuses even optional ones (moby/buildkit, session/group.go).
 */

import { type Instruction, mountFields } from "../app/dockerfile/instructions.ts";
import { withoutMounts } from "../app/dockerfile/template_lines.ts";
import { shellWord } from "../app/typed_path.ts";
import { MlcliError } from "../errors.ts";
import { enumerated, inOneLine } from "../text.ts";

/** The option of `docker build` that passes what a flag mounts. */
function secretOption(flag: string): string | undefined {
  const fields = mountFields(flag);
  const target = fields?.get("target") ?? fields?.get("dst") ?? "";
  const id = inOneLine(fields?.get("id") || target.slice(target.lastIndexOf("/") + 1));
  const type = fields?.get("type")?.toLowerCase();
  if (type === "ssh") return `--ssh ${shellWord(id || "default")}`;
  return type === "secret" ? `--secret ${shellWord(`id=${id},src=FILE`)}` : undefined;
}

function isRequired(flag: string): boolean {
  const { type, required = "no" } = Object.fromEntries(mountFields(flag) ?? []);
  return type?.toLowerCase() === "ssh" || /^(?:|1|t|true)$/i.test(required);
}

/** How the user would build it with docker. */
export interface DockerBuild {
  /** The app's name. */
  readonly app: string;
  /** As the user would type it. */
  readonly dockerfile: string;
  /** The directory of a build context of the user's own. */
  readonly context: string | undefined;
}

/**
 * Takes optional secrets out of a Dockerfile.
 *
 * @param built the instructions that are built.
 * @returns the text to send, and a note for the user; undefined: there are none.
 * @throws MlcliError if a step requires a secret, or an SSH key.
 */
export function withoutSecrets(
  text: string,
  built: readonly Instruction[],
  build: DockerBuild,
): { readonly text: string; readonly note: string } | undefined {
  const mounts = built.filter(({ name }) => name === "RUN").flatMap(({ line, flags }) =>
    flags.filter((flag) => secretOption(flag) !== undefined).map((flag) => ({ line, flag }))
  );
  if (mounts.length === 0) return undefined;
  const required = mounts.filter(({ flag }) => isRequired(flag));
  if (required.length > 0) {
    const options = new Set(mounts.map(({ flag }) => secretOption(flag)!));
    throw new MlcliError("mlcli build cannot pass secrets or SSH keys", {
      quote: required.map(({ line, flag }) => inOneLine(`${build.dockerfile}:${line}: RUN ${flag}`))
        .join("\n"),
      hint: dockerHint([...options].join(" "), build),
    });
  }
  const lines = enumerated([...new Set(mounts.map(({ line }) => String(line)))]);
  return {
    text: withoutMounts(text, (flag) => secretOption(flag) !== undefined),
    note:
      `${build.dockerfile}, line ${lines}: built without the optional secrets, which mlcli build ` +
      "cannot pass",
  };
}

function dockerHint(options: string, { app, dockerfile, context }: DockerBuild): string {
  return context === undefined
    ? "Move these steps to base.Dockerfile, and build upon its image:\n" +
      `  docker build ${options} -t ${app}-base -f base.Dockerfile .\n` +
      `  mlcli build --base-image ${app}-base`
    : "Build the image with docker, and run it:\n" +
      `  docker build ${options} -t ${app}-docker -f ${shellWord(dockerfile)} ${
        shellWord(context)
      }\n` +
      `  mlcli local train --image ${app}-docker`;
}
