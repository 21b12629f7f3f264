/**
 * What a push calls, as data.
 *
 * @module
 */

import type { StoredImage } from "../../aws/ecr.ts";
import { DOCKER_MANIFEST } from "../../contract/registry.ts";
import type { PushTarget } from "./failures.ts";
import type { JobForm } from "./forms.ts";

/** A call that changes something: of AWS, or of the engine. */
export interface Call {
  /** `ecr:CreateRepository`, `docker:ImagePush` */
  readonly action: string;
  readonly input: Readonly<Record<string, string>>;
}

/** What the tag has before the push. */
export type Found =
  | {
    readonly isSame: true;
    readonly stored: StoredImage;
    readonly form: JobForm;
    /** Whether the engine's image is a list of images for several platforms. */
    readonly isOfList: boolean;
  }
  | { readonly isSame: false; readonly stored: StoredImage };

/** What is known before a push. */
export interface Situation {
  readonly isRepositoryThere: boolean;
  readonly found: Found | undefined;
  readonly target: PushTarget;
  /** The repository's name. */
  readonly name: string;
}

/**
 * The calls of a push, in this order: none where the tag has the image already. (What the engine
 * pushes with OCI's manifest is put once more with Docker's. That shows only afterwards.)
 */
export function callsOf({ isRepositoryThere, found, target, name }: Situation): readonly Call[] {
  if (found?.isSame) {
    const { form, stored } = found;
    if (form.digest === stored.digest) return [];
    const input = {
      repositoryName: name,
      imageTag: target.tag,
      imageManifestMediaType: DOCKER_MANIFEST,
      imageManifest: form.manifest,
    };
    return [{ action: "ecr:PutImage", input }];
  }
  const { uri, tag, reference } = target;
  return [
    ...(isRepositoryThere
      ? []
      : [{ action: "ecr:CreateRepository", input: { repositoryName: name } }]),
    { action: "docker:ImagePush", input: { image: reference, name: uri, tag } },
  ];
}
