/** A proxy that puts a path before all addresses, as Studio's does, and keeps what it was asked. */

/** What came by. */
export interface Passed {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface PageProxy extends AsyncDisposable {
  readonly origin: string;
  readonly passed: readonly Passed[];
}

/** @param path begins and ends with a slash. */
export function proxyTo(port: string, path: string): PageProxy {
  const passed: Passed[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (asked) => {
      const { pathname, search } = new URL(asked.url);
      const { method, body, headers, signal } = asked;
      passed.push({ method, url: asked.url, headers: Object.fromEntries(headers) });
      if (!pathname.startsWith(path)) return new Response("", { status: 404 });
      const target = `http://127.0.0.1:${port}/${pathname.slice(path.length)}${search}`;
      const own = new Headers(headers);
      own.delete("Host");
      return await fetch(target, { method, body, headers: own, signal }).catch(() =>
        new Response("", { status: 502 })
      );
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    passed,
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}
