/** `mlcli local ui`, served to a browser. */

import { assertEquals } from "@std/assert";
import type { TestApp } from "./app.ts";
import type { ProgramOptions } from "./program.ts";
import { TextReader } from "./text_reader.ts";

/** A page that is served; its end is one Ctrl-C, and fails where that is not all it takes. */
export interface PageServer extends AsyncDisposable {
  /** As mlcli prints it, with the token. */
  readonly address: string;
  readonly token: string;
  readonly port: string;
  /** The address of one of its views. */
  at(...view: readonly string[]): string;
  stop(): Promise<void>;
}

/** @param port default: a free one. */
export async function servePage(
  app: Pick<TestApp, "start">,
  { port = "0", ...options }: { readonly port?: string } & Partial<ProgramOptions> = {},
): Promise<PageServer> {
  // A page is looked at for longer than a command takes.
  const child = app.start(["local", "ui", "--port", port], { timeout: 300_000, ...options });
  const stdout = new TextReader(child.stdout);
  const stderr = new Response(child.stderr).text();
  let ended: Promise<void> | undefined;
  const end = async (): Promise<void> => {
    child.kill("SIGINT");
    await stdout.toEnd();
    assertEquals([(await child.status).code, /^error: /m.exec(await stderr)], [130, null]);
  };
  const stop = (): Promise<void> => ended ??= end();
  const [address] = await stdout.until(/^http:\/\/localhost:\d+\/#\S+(?=\n)/);
  const { port: taken, hash } = new URL(address);
  return {
    address,
    token: hash.slice(1),
    port: taken,
    at: (...view) => `${address}/${view.map(encodeURIComponent).join("/")}`,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
