/**
 * All command lines that are cut off, but those that change an endpoint (`deploy_sweep.ts`).
 *
 * @module
 */

import { downloading, DOWNLOADS, uploading } from "./data_scenes.ts";
import { asking, QUESTIONS, starting, STARTS } from "./job_scenes.ts";
import { pushing } from "./push_scene.ts";
import type { Scene } from "./scene.ts";

/** What each changes, or asks. */
export const SCENES: Readonly<Record<string, () => Promise<Scene>>> = {
  "upload-data": uploading,
  "push": pushing,
  ...Object.fromEntries(
    Object.entries(STARTS).map(([name, args]) => [name, () => starting(args)]),
  ),
  ...Object.fromEntries(
    Object.entries(DOWNLOADS).map(([name, one]) => [
      `download-model ${name}`,
      () => downloading(one),
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(QUESTIONS).map(([name, args]) => [name, () => asking(args)]),
  ),
};
