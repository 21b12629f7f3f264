import { appCommand } from "../command.ts";
import { options } from "../options/option.ts";
import { parseHost, parsePort } from "../options/parsers.ts";
import { appName } from "../options/shared.ts";

const OPTIONS = options({
  ...appName,
  "-p, --port PORT": {
    description: "Port on this machine; with 0, mlcli selects a free port",
    default: "8090",
    parse: parsePort,
  },
  "--open": { description: "Open the page in your browser" },
  "--allow-host HOST...": {
    description: "Also accept requests for this host name (repeatable)",
    parse: parseHost,
  },
});

export default appCommand({
  details: "You can open the page only on this machine, with the token in the printed " +
    "address. The page shows runs and can send requests to servers, but cannot start " +
    "or delete runs or servers. To stop the page, press Ctrl-C.",
  options: OPTIONS,
  examples: [
    ["Open the page in your browser", "mlcli local ui --open"],
    ["Serve the page on a free port", "mlcli local ui --port 0"],
  ],
  action: async (context, options) => {
    const { requireInside } = await import("../../runtime/app/confinement.ts");
    const { connectToEngine } = await import("../../runtime/docker/connect.ts");
    const { studioOf } = await import("../../runtime/docker/locate.ts");
    const { measureEarlierRuns } = await import("../../runtime/local/metrics/earlier.ts");
    const { openPage, waysTo } = await import("../../runtime/local/ui/reach.ts");
    const { servePage } = await import("../../runtime/local/ui/server.ts");
    const { pageDocument } = await import("../../runtime/page/document.ts");
    const { abortOf, joinSignals } = await import("../../runtime/time.ts");
    const { out, messages, env, system, interruption } = context;
    const { app, port: wanted, open, allowHost: allowedHosts } = options;
    const { paths } = app;
    await requireInside(paths, [paths.base, paths.localTest, paths.jobs]);
    await measureEarlierRuns(app, context);
    const end = new AbortController();
    using either = joinSignals(end.signal, interruption.signal);
    const { signal } = either;
    const { port, token, finished } = servePage({
      app,
      port: wanted,
      allowedHosts,
      document: await pageDocument(),
      // Not the context's engine, which stays unreachable if it was unreachable once.
      connect: () => connectToEngine(context, { signal }),
      signal,
    });
    try {
      const address = `http://localhost:${port}/#${token}`;
      // Not `print`: while it waits for a slow reader, Deno hears no signal.
      await out.write(new TextEncoder().encode(`${address}\n`));
      messages.note(`Serving the page of ${app.name} (press Ctrl-C to stop)`);
      for (const way of waysTo(port, studioOf(context), env)) messages.note(way);
      await using _opened = open ? await openPage(paths, address, system.os, messages) : undefined;
      await abortOf(signal);
    } finally {
      end.abort();
      await finished;
    }
  },
});
