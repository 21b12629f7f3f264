import type { Context } from "../../runtime/context.ts";
import { requireInside } from "../../runtime/app/confinement.ts";
import { connectToEngine } from "../../runtime/docker/connect.ts";
import { studioOf } from "../../runtime/docker/locate.ts";
import { measureEarlierRuns } from "../../runtime/local/metrics/earlier.ts";
import { openPage, waysTo } from "../../runtime/local/ui/reach.ts";
import { servePage } from "../../runtime/local/ui/server.ts";
import { noteText, tell, warningText } from "../../runtime/messages.ts";
import { pageDocument } from "../../runtime/page/document.ts";
import { abortOf, joinSignals } from "../../runtime/time.ts";
import type { UiValues } from "./ui.ts";

/** Serves the page until the user interrupts. */
export async function uiAction(context: Context, options: UiValues): Promise<void> {
  const { out, err, env, system, interruption } = context;
  const { app } = options;
  const layout = app.paths;
  await requireInside(layout, [layout.base, layout.localTest, layout.jobs]);
  await measureEarlierRuns(app, context);
  const end = new AbortController();
  using either = joinSignals(end.signal, interruption.signal);
  const { signal } = either;
  const { port, token, finished } = servePage({
    app,
    port: options.port,
    allowedHosts: options.allowHost,
    document: await pageDocument(),
    // Not the context's engine, which stays away where it was away once.
    connect: () => connectToEngine(context, { signal }),
    signal,
  });
  try {
    const address = `http://localhost:${port}/#${token}`;
    // Not `print`: while it waits for a slow reader, Deno hears no signal.
    await out.write(new TextEncoder().encode(`${address}\n`));
    tell(err, noteText(`Serving the page of ${app.name} (press Ctrl-C to stop)`));
    for (const way of waysTo(port, studioOf(context), env)) tell(err, noteText(way));
    await using _opened = options.open
      ? await openPage(layout, address, system.os, () => {
        tell(err, warningText("Cannot open a browser", "Open the address above yourself"));
      })
      : undefined;
    await abortOf(signal);
  } finally {
    end.abort();
    await finished;
  }
}
