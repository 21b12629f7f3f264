/** A package index with a password, over TLS: what pip asks where a company has one of its own. */

import { assert } from "@std/assert";
import type { Certificate } from "./certificates.ts";

/** An index for one test. Close it with `await using`. */
export class PackageIndex implements AsyncDisposable {
  /** Path, and who asked: `/simple/probe/ me:secret`. */
  readonly requests: string[] = [];
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  /** @param login `name:password`; others are refused. */
  constructor(certificate: Certificate, login: string, wheels: readonly Wheel[]) {
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, ...certificate, onListen: () => {} },
      (request) => {
        const [, token = ""] = /^Basic (.*)$/.exec(request.headers.get("Authorization") ?? "") ??
          [];
        const { pathname } = new URL(request.url);
        this.requests.push(`${pathname} ${atob(token)}`);
        if (atob(token) !== login) {
          const headers = { "WWW-Authenticate": 'Basic realm="packages"' };
          return new Response("Who are you?", { status: 401, headers });
        }
        const file = wheels.find(({ name }) => pathname === `/files/${name}`);
        if (file) return new Response(file.bytes.slice());
        const [, asked] = /^\/simple\/([^/]+)\/$/.exec(pathname) ?? [];
        const links = wheels.filter(({ name }) =>
          name.split("-")[0]!.replaceAll("_", "-") === asked
        )
          .map(({ name }) => `<a href="/files/${name}">${name}</a>`);
        if (links.length === 0) return new Response("No such package", { status: 404 });
        return new Response(`<!DOCTYPE html><html><body>${links.join("\n")}</body></html>`, {
          headers: { "Content-Type": "text/html" },
        });
      },
    );
  }

  get port(): number {
    return this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** A package as pip takes it. */
export interface Wheel {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** Makes one that consists of a module of its name. */
export async function makeWheel(name: string, version: string): Promise<Wheel> {
  const program = `
import io, sys, zipfile
name, version = sys.argv[1:]
info = "%s-%s.dist-info/" % (name, version)
files = {
  name + ".py": "",
  info + "METADATA": "Metadata-Version: 2.1\\nName: %s\\nVersion: %s\\n" % (name, version),
  info + "WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
files[info + "RECORD"] = "".join("%s,,\\n" % path for path in [*files, info + "RECORD"])
with zipfile.ZipFile(sys.stdout.buffer, "w") as archive:
  for path, text in files.items(): archive.writestr(path, text)
`;
  const { success, stdout } = await new Deno.Command("python3", {
    args: ["-c", program, name, version],
    stderr: "inherit",
  }).output();
  assert(success, "python3 makes a wheel");
  return { name: `${name}-${version}-py3-none-any.whl`, bytes: stdout };
}
