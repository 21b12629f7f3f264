/** `mlcli local ui`, served to a browser. */

import { assertEquals } from "@std/assert";
import type { TestApp } from "./app.ts";
import type { ProgramOptions } from "./program.ts";
import { TextReader } from "./text_reader.ts";

/** A page that is served. */
export interface PageServer extends AsyncDisposable {
  /** As mlcli prints it, with the token. */
  readonly address: string;
  readonly token: string;
  readonly port: string;
  /** The address of one of its views. */
  at(...view: readonly string[]): string;
  /** One Ctrl-C. Fails where it does not end by that as it should. */
  stop(): Promise<void>;
}

/** A page is looked at for longer than a command takes, in ms. */
const TIMEOUT = 300_000;

/** @param port default: a free one. */
export async function servePage(
  app: Pick<TestApp, "start">,
  { port = "0", args = [], ...options }:
    & { readonly port?: string; readonly args?: readonly string[] }
    & Partial<ProgramOptions> = {},
): Promise<PageServer> {
  const command = ["local", "ui", "--port", port, ...args];
  const child = app.start(command, { timeout: TIMEOUT, ...options });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => new TextReader(stream));
  const errors = stderr!.toEnd();
  let isOn = true;
  const stop = async (): Promise<void> => {
    if (!isOn) return;
    isOn = false;
    child.kill("SIGINT");
    await stdout!.toEnd();
    assertEquals([(await child.status).code, /^error: /m.exec(await errors)], [130, null]);
  };
  try {
    const [address] = await stdout!.until(/^http:\/\/localhost:\d+\/#\S+(?=\n)/);
    const { port, hash } = new URL(address);
    return {
      address,
      token: hash.slice(1),
      port,
      at: (...view) => `${address}/${view.map(encodeURIComponent).join("/")}`,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`mlcli local ui does not serve: ${await errors}`, { cause: error });
  }
}
