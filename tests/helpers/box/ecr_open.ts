/**
 * Starts ECR: its API, the front for images, and a registry behind them where a test wants one.
 *
 * @module
 */

import { type Blobs, MemoryBlobs, RegistryBlobs } from "./blobs.ts";
import { Ecr } from "./ecr.ts";
import { EcrStore } from "./ecr_store.ts";
import { RegistryProcess } from "./registry.ts";
import { RegistryFront } from "./registry_front.ts";
import type { BoxRequest, Permission, Platform, Service } from "./service.ts";

/** ECR as a whole. */
export class EcrService implements Service, AsyncDisposable {
  readonly #api: Ecr;

  private constructor(
    readonly blobs: Blobs,
    /** Where images are pushed to and pulled from. */
    readonly front: RegistryFront,
    readonly store: EcrStore,
    readonly registry: RegistryProcess | undefined,
  ) {
    this.#api = new Ecr({ store, blobs, host: front.host });
  }

  /**
   * Starts it.
   * @throws Error where the registry does not start.
   */
  static async open(
    platform: Pick<Platform, "faults" | "problem">,
    { registry: isWanted = false }: { readonly registry?: boolean },
  ): Promise<EcrService> {
    const registry = isWanted ? await RegistryProcess.start() : undefined;
    const blobs = registry ? new RegistryBlobs(registry) : new MemoryBlobs();
    const store = new EcrStore();
    const front = new RegistryFront({ platform, store, blobs, registry });
    return new EcrService(blobs, front, store, registry);
  }

  permission(request: BoxRequest): Permission {
    return this.#api.permission(request);
  }

  handle(request: BoxRequest): Promise<Response> {
    return this.#api.handle(request);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.front[Symbol.asyncDispose]();
    await this.blobs[Symbol.asyncDispose]();
    await this.registry?.[Symbol.asyncDispose]();
  }
}
