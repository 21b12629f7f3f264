/**
 * Endpoints that the app's file may name by itself: those that are not there yet, and those that the
 * person has typed in this directory, or had made from it. Any other serves somebody, and its
 * variables are not for the code of whoever wrote the file.
 *
 * @module
 */

import { basename } from "@std/path/basename";
import { shellWord } from "../../app/typed_path.ts";
import { Interrupted, MlcliError } from "../../errors.ts";
import { isRemembered, remember, type Remembered } from "../../state.ts";
import type { Work } from "./work.ts";

/** @throws MlcliError where only the file names an endpoint that is there. */
export async function requireKnown(work: Work): Promise<void> {
  const { request: { app, typed }, state, host, sagemaker: { region } } = work;
  if (state.description === undefined || typed.has("--endpoint-name")) return;
  const account = await accountOf(work);
  if (await isRemembered(known(work, account), host.env)) return;
  const { endpoint } = state;
  const file = basename(app.configurationPath);
  throw new MlcliError(
    `Endpoint ${endpoint} is there already (account ${account}, ${region.value}), and ` +
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
    await remember(known(work, await accountOf(work)), work.host.env);
  } catch (error) {
    // What comes next says what goes on.
    if (error instanceof Interrupted) return;
    if (!(error instanceof MlcliError)) throw error;
    work.report.note(
      `${work.state.endpoint} is to be typed next time, too, since it cannot be remembered: ` +
        error.message,
    );
  }
}

function known({ request: { app }, state, sagemaker }: Work, account: string): Remembered {
  const name = `${account}/${sagemaker.region.value}/${state.endpoint}`;
  return { directory: app.directory, kind: "endpoints", name };
}

/** The endpoint's; of a new one the caller's: its role may be the file's, and an emulator takes any. */
async function accountOf({ aws, state }: Work): Promise<string> {
  return state.description?.account ?? (await (await aws.sts()).identity()).account;
}
