/** How a person gets to the page from where the browser is. */

import { join } from "@std/path/join";
import type { Paths } from "../../app/paths.ts";
import type { Studio } from "../../docker/studio.ts";
import { removeIfThere, replacePrivately } from "../../files.ts";
import type { Messages } from "../../messages.ts";
import { makeJobs, removeEmptyJobs } from "../../model/runs.ts";
import { shellWord } from "../../text.ts";

/**
 * What to do where the browser is on another machine.
 *
 * jupyter-server-proxy, which Studio's JupyterLab has, passes the browser's Host and Origin on as they are
 * (`proxy_request_headers` in its handlers.py).
 */
export function waysTo(
  port: number,
  studio: Pick<Studio, "appType"> | undefined,
  env: (name: string) => string | undefined,
): readonly string[] {
  const ways: string[] = [];
  const [, , server, sshPort] = (env("SSH_CONNECTION") ?? "").split(" ");
  if (server && /^[\da-f.:]+$/i.test(server)) {
    const user = env("USER") ?? env("LOGNAME");
    const other = sshPort && /^\d+$/.test(sshPort) && sshPort !== "22" ? `-p ${sshPort} ` : "";
    const target = shellWord(user ? `${user}@${server}` : server);
    ways.push(`From your machine: ssh -N -L ${port}:127.0.0.1:${port} ${other}${target}`);
  }
  if (studio !== undefined) {
    const path = studio.appType === "CodeEditor"
      ? `/codeeditor/default/ports/${port}/`
      : `/jupyterlab/default/proxy/${port}/`;
    ways.push(
      `In SageMaker Studio, use --allow-host HOST and open https://HOST${path}#TOKEN, where HOST is the ` +
        "host of the space's address and TOKEN the part after # in the address above",
    );
  }
  return ways;
}

/** The programs that open a file as the person's desktop does. (`start` is a word of a shell.) */
const OPENERS: Readonly<Record<string, string>> = {
  darwin: "open",
  windows: "explorer",
};

/**
 * Opens the page in the person's browser, until it is disposed of. Other users see the words of a command:
 * it is given a file that leads on to the address.
 *
 * @param onFailure is told where no browser opens.
 */
export async function openPage(
  layout: Paths,
  address: string,
  os: typeof Deno.build.os,
  messages: Messages,
): Promise<AsyncDisposable> {
  const onFailure = (): void =>
    messages.warning("Cannot open a browser", "Open the address above yourself");
  // Not hidden, and not in /tmp: a browser that is a snap reads neither.
  const path = join(layout.jobs, "ui.html");
  const page = `<!DOCTYPE html><meta charset="utf-8"><title>mlcli</title>` +
    `<meta http-equiv="refresh" content="0; url=${address}"><a href="${address}">mlcli</a>\n`;
  try {
    await makeJobs(layout);
    await replacePrivately(path, page);
    const opener = new Deno.Command(OPENERS[os] ?? "xdg-open", {
      args: [path],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      // Ctrl-C here does not end a browser.
      detached: true,
    }).spawn();
    opener.unref();
    opener.status.then(({ success }) => success || os === "windows" || onFailure(), onFailure);
  } catch {
    onFailure();
  }
  return {
    [Symbol.asyncDispose]: async () => {
      await removeIfThere(path).catch(() => {});
      await removeEmptyJobs(layout);
    },
  };
}
