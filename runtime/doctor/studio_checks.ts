/**
 * Checks of SageMaker Studio, where mlcli runs there.
 *
 * @module
 */

import { join } from "@std/path/join";
import type { Context } from "../context.ts";
import type { Engine } from "../docker/engine.ts";
import { isRootless } from "../docker/engine_info.ts";
import { studioOf } from "../docker/locate.ts";
import { messageOf, MlcliError } from "../errors.ts";
import { enablingHint, type Studio } from "../docker/studio.ts";
import type { Check } from "./check.ts";

/** That this is Studio, whether its domain allows Docker, and what of that stands in the way. */
export async function studioChecks(
  engine: Promise<Engine>,
  host: Pick<Context, "cwd" | "env" | "system">,
): Promise<readonly Check[]> {
  const studio = studioOf(host);
  if (studio === undefined) return [];
  const place = `In SageMaker Studio (${studio.appType})`;
  let found: Engine;
  try {
    found = await engine;
  } catch (error) {
    return [{ name: "studio", status: "warning", message: `${place}, ${without(studio, error)}` }];
  }
  const isThere = `${place}, whose domain allows Docker`;
  return [
    { name: "studio", status: "ok", message: isThere },
    ...isRootless(await found.info()) ? [ROOTLESS] : [],
    ...isAtHome(host) ? [] : [NOT_AT_HOME],
  ];
}

/** The hint, which is long, is that of the check of the engine. */
function without(studio: Studio, error: unknown): string {
  const isOff = error instanceof MlcliError && error.hint === enablingHint(studio);
  return isOff ? "whose domain does not allow Docker" : `no engine answers: ${messageOf(error)}`;
}

/** AWS's guide, "Getting started with local mode", "Rootless Docker configuration". */
const ROOTLESS: Check = {
  name: "studio",
  status: "warning",
  message: "Studio's Docker is rootless: servers are at 172.17.0.1, where mlcli does not look",
  hint: "local deploy and invoke need RootlessDocker of the domain DISABLED; the other commands " +
    "do not.",
};

const NOT_AT_HOME: Check = {
  name: "studio",
  status: "warning",
  message: "This directory is not below the home directory, which is what Studio's engine sees",
  hint: "Move the app there: containers get its directories from the engine.",
};

function isAtHome({ cwd, env }: Pick<Context, "cwd" | "env">): boolean {
  const home = env("HOME");
  return home === undefined || `${cwd}/`.startsWith(join(home, "/"));
}
