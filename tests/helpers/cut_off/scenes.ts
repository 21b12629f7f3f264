/**
 * All command lines that are cut off, but those that change an endpoint (`deploy_sweep.ts`).
 *
 * @module
 */

import { downloading, DOWNLOADS, uploading } from "./data_scenes.ts";
import { asking, QUESTIONS, starting, STARTS } from "./job_scenes.ts";
import { pushing } from "./push_scene.ts";
import type { Scene } from "./scene.ts";

/**
 * By what they are called. Those that ask several things at once come first: when they have their
 * answer, the SDK may still wait to repeat another question.
 */
export const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  ...each(QUESTIONS, asking),
  ...each(STARTS, starting),
  ...each(DOWNLOADS, downloading, "download-model "),
  "upload-data": uploading,
  "push": pushing,
};

function each<Given>(
  all: Readonly<Record<string, Given>>,
  open: (one: Given) => Promise<Scene>,
  before = "",
): Readonly<Record<string, () => Promise<Scene>>> {
  return Object.fromEntries(
    Object.entries(all).map(([name, one]) => [before + name, () => open(one)]),
  );
}
