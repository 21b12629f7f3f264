import { assertEquals, assertMatch } from "@std/assert";
import { makeApp, type TestApp } from "./app.ts";
import { logOf } from "./container.ts";
import { containersOf, TEST_IMAGE, withEngine } from "./engine.ts";
import { eventually } from "./eventually.ts";

/** An app with a server. */
export interface TestServer extends AsyncDisposable {
  readonly app: TestApp;
  readonly port: string;
}

/** Deploys an app on a free port, which it returns; nothing is said. */
export async function deployed(app: TestApp, ...options: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await app.run(["local", "deploy", "-p", "0", ...options]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertMatch(stdout, /^http:\/\/localhost:\d+\n$/);
  return new URL(stdout.trim()).port;
}

/** Deploys an app with this serving code, and other files, on a free port, with more options. */
export async function deployServer(
  code: string,
  files: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<TestServer> {
  const app = await makeApp({
    configuration: { image_name: TEST_IMAGE },
    files: { "prediction/serve": code, "local_test/test_dir/model/model.txt": "seven", ...files },
  });
  const port = await deployed(app, ...options);
  return {
    app,
    port,
    async [Symbol.asyncDispose](): Promise<void> {
      await app.run(["local", "stop", "--port", port]);
      await app[Symbol.asyncDispose]();
    },
  };
}

/** What a server has written so far. */
export async function serverLog({ app }: TestServer): Promise<string> {
  const [container] = await containersOf(app.name);
  return await withEngine((engine) => logOf(engine, container!.Id));
}

/** The log once it has these words: the engine writes it in its own time. */
export async function serverLogWith(server: TestServer, wanted: RegExp | string): Promise<string> {
  const isIn = (text: string): boolean =>
    typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
  let log = "";
  await eventually(async () => isIn(log = await serverLog(server)));
  return log;
}

/** What the server on this port makes of an empty JSON object, as text. */
export async function predictedOn(port: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/invocations`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "text/csv" },
    body: "{}",
  });
  return (await response.text()).trim();
}
