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
import { isRemembered, remember, type Remembered } from "../../app/state.ts";
import type { Work } from "./work.ts";

/** @throws MlcliError where only the file names an endpoint that is there. */
export async function requireKnown(work: Work): Promise<void> {
  const { request: { app, typed }, state, host, sagemaker: { region } } = work;
  if (state.description === undefined || typed.has("--endpoint-name")) return;
  const { account = "" } = state.description;
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

/**
 * Remembers an endpoint that the person has typed, or that is made.
 *
 * @param account as the service says it. That of the role may be the file's choice: an emulator takes any.
 */
export async function rememberEndpoint(work: Work, account: string | undefined): Promise<void> {
  try {
    if (account === undefined) throw new MlcliError("its account is not known");
    await remember(known(work, account), work.host.env);
  } catch (error) {
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
