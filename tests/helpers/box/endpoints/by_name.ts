/**
 * Resources by their names, whose case does not matter: "The name is case-insensitive in
 * CreateEndpoint" (the reference), and ARNs have small letters.
 *
 * @module
 */

import type { Resource } from "./resource.ts";

/** A map whose keys are names. */
export class ByName<T extends Resource> extends Map<string, T> {
  override get(name: string): T | undefined {
    return super.get(name.toLowerCase());
  }

  override has(name: string): boolean {
    return super.has(name.toLowerCase());
  }

  override set(name: string, resource: T): this {
    return super.set(name.toLowerCase(), resource);
  }

  override delete(name: string): boolean {
    return super.delete(name.toLowerCase());
  }

  /** As they were written, in the order in which they were made. */
  get names(): readonly string[] {
    return [...this.values()].map(({ name }) => name);
  }
}
