/**
 * What a Dockerfile mounts for a step and can do without: where a builder knows no mounts, the image
 * is the same without them.
 *
 * @module
 */

import { instructionsOf } from "./instructions.ts";
import { mountsNetwork } from "./template_lines.ts";

/**
 * The Dockerfile without the mounts of caches, which may be empty at any time, and of what mlcli
 * hands to pip. All lines stay where they are.
 */
export function withoutOptionalMounts(dockerfile: string): string {
  const lines = dockerfile.split("\n");
  for (const { name, line, flags } of instructionsOf(dockerfile)) {
    if (name !== "RUN") continue;
    let index = line - 1;
    let from = 0;
    for (const flag of flags) {
      for (; lines[index]!.indexOf(flag, from) < 0; index++) from = 0;
      const start = lines[index]!.indexOf(flag, from);
      const kept = isOptional(flag) ? "" : flag;
      lines[index] = lines[index]!.slice(0, start) + kept +
        lines[index]!.slice(start + flag.length);
      from = start + kept.length;
    }
  }
  return lines.join("\n");
}

function isOptional(flag: string): boolean {
  return mountsNetwork(flag) ||
    /^--mount=(.*,)?type=cache(,|$)/.test(flag) && !/[=,]from=/.test(flag);
}
