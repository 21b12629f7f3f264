/**
 * Mounts of secrets and SSH keys. BuildKit asks for them over a session, which mlcli's builds don't
 * have, and without one it refuses even optional ones (moby/buildkit, session/group.go).
 */

import { type Instruction, mountFields } from "../app/dockerfile/instructions.ts";
import { withoutMounts } from "../app/dockerfile/template_lines.ts";
import { shellWord } from "../app/typed_path.ts";
import { MlcliError } from "../errors.ts";
import { enumerated, inOneLine } from "../text.ts";

interface SecretMount {
  /** The option of `docker build` that passes the secret. */
  readonly option: string;
  readonly isRequired: boolean;
}

/** Returns the mount of a secret or of SSH keys; undefined for other options of RUN. */
function secretMount(flag: string): SecretMount | undefined {
  const fields = mountFields(flag);
  const target = fields?.get("target") ?? fields?.get("dst") ?? "";
  const id = inOneLine(fields?.get("id") || target.slice(target.lastIndexOf("/") + 1));
  switch (fields?.get("type")?.toLowerCase()) {
    case "ssh":
      return { option: `--ssh ${shellWord(id || "default")}`, isRequired: true };
    case "secret": {
      const isRequired = /^(?:|1|t|true)$/i.test(fields?.get("required") ?? "no");
      return { option: `--secret ${shellWord(`id=${id},src=FILE`)}`, isRequired };
    }
    default:
      return undefined;
  }
}

/** A build as the user would type it with docker. */
export interface DockerBuild {
  /** A name for images of the app, in lower case. */
  readonly app: string;
  /** Other options that the user typed: `--target gpu`. */
  readonly options: readonly string[];
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
    flags.flatMap((flag) => {
      const mount = secretMount(flag);
      return mount === undefined ? [] : [{ line, flag, ...mount }];
    })
  );
  if (mounts.length === 0) return undefined;
  const required = mounts.filter(({ isRequired }) => isRequired);
  if (required.length > 0) {
    throw new MlcliError("mlcli build cannot pass secrets or SSH keys to RUN", {
      quote: required.map(({ line, flag }) => inOneLine(`${build.dockerfile}:${line}: RUN ${flag}`))
        .join("\n"),
      hint: dockerHint([...new Set(mounts.map(({ option }) => option))], build),
    });
  }
  const lines = enumerated([...new Set(mounts.map(({ line }) => String(line)))]);
  return {
    text: withoutMounts(text, (flag) => secretMount(flag) !== undefined),
    note:
      `Building without the optional secrets in ${build.dockerfile}, line ${lines}: mlcli build ` +
      "cannot pass them",
  };
}

function dockerHint(secrets: readonly string[], build: DockerBuild): string {
  const { app, dockerfile, context } = build;
  if (context === undefined) {
    return "Move these steps to base.Dockerfile, and use its image as the base image:\n" +
      `  docker build ${secrets.join(" ")} -t ${app}-base -f base.Dockerfile .\n` +
      `  mlcli build --base-image ${app}-base`;
  }
  const options = [...secrets, ...build.options].join(" ");
  return "Build the image with docker and run it:\n" +
    `  docker build ${options} -t ${app}-docker -f ${shellWord(dockerfile)} ${
      shellWord(context)
    }\n` +
    `  mlcli local train --image ${app}-docker`;
}
