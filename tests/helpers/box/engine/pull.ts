import { ACCOUNT } from "../account.ts";
import { type EngineApi, failureIn } from "../engine_api.ts";
import type { EcrService } from "../ecr.ts";
import { repositoryArn } from "../ecr_store.ts";
import type { Platform } from "../service.ts";

/** What is needed to pull. */
export interface Puller {
  readonly platform: Pick<Platform, "faults">;
  readonly ecr: EcrService;
  readonly engine: EngineApi;
  /** Images that were pulled, to be removed with the box. */
  readonly pulled: Set<string>;
}

/**
 * Pulls an image by its digest from the box's registry.
 * @param role ARN of the role that has to be allowed to.
 * @returns the engine's name of it; `undefined` where the role does not get it.
 */
export async function pullImage(
  { platform, ecr, engine, pulled }: Puller,
  { repository, digest }: { readonly repository: string; readonly digest: string },
  role: string | undefined,
): Promise<string | undefined> {
  const name = `${ecr.front.host}/${repository}@${digest}`;
  const key = {
    id: "SAGEMAKER",
    secret: "",
    user: `arn:aws:sts::${ACCOUNT}:assumed-role/${role?.split("/").at(-1)}/SageMaker`,
  };
  // Asked here, too: the engine does not go to the registry for an image that it has.
  const permission = { action: "ecr:BatchGetImage", resource: repositoryArn(repository) };
  if (platform.faults.denial(permission, key)) return undefined;
  const path = `/images/create?fromImage=${encodeURIComponent(name)}`;
  const lines = await engine.progress(path, ecr.store.issueToken(key).password);
  if (failureIn(lines) !== undefined) return undefined;
  pulled.add(name);
  return name;
}

/** Removes images that were pulled. */
export async function removePulled(
  engine: EngineApi,
  pulled: ReadonlySet<string>,
): Promise<void> {
  for (const image of pulled) {
    // 409: a test has something of its own that uses it.
    const call = { expect: [200, 404, 409] };
    await engine.send("DELETE", `/images/${encodeURIComponent(image)}`, call);
  }
}
