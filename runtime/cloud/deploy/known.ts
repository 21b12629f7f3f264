/**
 * Endpoints that the app's file may name by itself: those that are not there yet, and those that the
 * person has typed in this directory, or had made from it. Any other serves somebody, and its
 * variables are not for the code of whoever wrote the file.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { shellWord } from "../../app/typed_path.ts";
import { MlcliError } from "../../errors.ts";
import { isRemembered, remember, type Remembered } from "../../state.ts";
import { roleOf } from "./plan.ts";
import type { Work } from "./work.ts";

/** @throws MlcliError where only the file names an endpoint that is there. */
export async function requireKnown(work: Work): Promise<void> {
  const { request: { app, typed }, state, host, sagemaker: { region } } = work;
  if (state.description === undefined || typed.has("--endpoint-name")) return;
  if (await isRemembered(known(work), host.env)) return;
  const { endpoint } = state;
  const file = basename(app.configurationPath);
  throw new MlcliError(
    `Endpoint ${endpoint} is there already (account ${accountOf(work)}, ${region.value}), and ` +
      `nobody but ${file} has named it here`,
    {
      hint: "Nothing was tried or changed. If it is the one that you mean, type its name once: " +
        `--endpoint-name ${shellWord(endpoint)}, or in CI MLCLI_ENDPOINT_NAME. Else the file ` +
        "would choose whose variables the app's code gets.",
    },
  );
}

/** Remembers an endpoint that the person has typed, or that is made. */
export async function rememberEndpoint(work: Work): Promise<void> {
  try {
    await remember(known(work), work.host.env);
  } catch (error) {
    if (!(error instanceof MlcliError)) throw error;
    work.report.note(
      `${work.state.endpoint} is to be typed next time, too, since it cannot be remembered: ` +
        error.message,
    );
  }
}

function known(work: Work): Remembered {
  const { request: { app }, state: { endpoint }, sagemaker: { region } } = work;
  const name = `${accountOf(work)}/${region.value}/${endpoint}`;
  return { directory: app.directory, kind: "endpoints", name };
}

/** The endpoint's, or that of its role: SageMaker takes none of another account. */
function accountOf({ request, state }: Work): string {
  return state.description?.account ?? roleOf(request, state)?.split(":")[4] ?? "";
}
