/** Certificates that nobody trusts, made by openssl for one run. */

import { installPackages } from "../../scripts/engine/debian.ts";

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority of its own in a directory, which is removed with it. */
export class Authority implements AsyncDisposable {
  private constructor(private readonly directory: string) {}

  get file(): string {
    return `${this.directory}/authority.pem`;
  }

  static async make(): Promise<Authority> {
    const directory = await Deno.makeTempDir({ prefix: "mlcli-test-authority-" });
    const authority = new Authority(directory);
    await Deno.writeTextFile(`${directory}/openssl.cnf`, CONFIGURATION);
    await Deno.writeTextFile(`${directory}/index.txt`, "");
    await authority.#openssl("req", "-x509", ...NEW_KEY, "-keyout", "authority.key", [
      ...["-out", "authority.pem", "-days", "30", "-subj", "/CN=Nobody's authority"],
    ]);
    return authority;
  }

  /** @param end when it ends, `20200102000000Z`. */
  async certify(host: string, end = "20991231235959Z"): Promise<Certificate> {
    const names = `subjectAltName=DNS:${host}`;
    await this.#openssl("req", ...NEW_KEY, "-keyout", `${host}.key`, [
      ...["-out", `${host}.csr`, "-subj", `/CN=${host}`, "-addext", names],
    ]);
    await this.#openssl("ca", "-batch", "-config", "openssl.cnf", "-create_serial", [
      ...["-in", `${host}.csr`, "-out", `${host}.pem`, "-notext"],
      ...["-cert", "authority.pem", "-keyfile", "authority.key"],
      ...["-startdate", "20200101000000Z", "-enddate", end],
    ]);
    return {
      cert: await Deno.readTextFile(`${this.directory}/${host}.pem`),
      key: await Deno.readTextFile(`${this.directory}/${host}.key`),
    };
  }

  async #openssl(...args: readonly (string | readonly string[])[]): Promise<void> {
    const run = () =>
      new Deno.Command("openssl", { args: args.flat(), cwd: this.directory, stdin: "null" })
        .output();
    const { success, stderr } = await run().catch(async (error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      await installPackages(["openssl"], new AbortController().signal);
      return await run();
    });
    if (!success) throw new Error(new TextDecoder().decode(stderr));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.directory, { recursive: true });
  }
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"] as const;

/** What `openssl ca` needs. No other command of openssl writes a chosen date. */
const CONFIGURATION = `
[ca]
default_ca = authority
[authority]
database = index.txt
new_certs_dir = .
serial = serial
default_md = sha256
policy = policy
copy_extensions = copy
unique_subject = no
[policy]
commonName = supplied
`;

/** A server that speaks TLS in front of one that does not. Close it with `await using`. */
export class TlsServer implements AsyncDisposable {
  readonly #listener: Deno.TlsListener;
  readonly #served: Promise<void>;

  /** @param target the address of the other one, `http://127.0.0.1:1234`. */
  constructor(target: string, certificate: Certificate) {
    this.#listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, ...certificate });
    this.#served = this.#serve(new URL(target));
  }

  get port(): number {
    return this.#listener.addr.port;
  }

  async #serve({ hostname, port }: URL): Promise<void> {
    const served: Promise<unknown>[] = [];
    for await (const client of this.#listener) {
      served.push(joined(client, { hostname, port: Number(port) }));
    }
    await Promise.all(served);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.#served;
  }
}

/** Passes on what each side says, until both have ended. */
export async function joined(client: Deno.Conn, address: Deno.ConnectOptions): Promise<void> {
  const server = await Deno.connect(address);
  await Promise.allSettled([
    client.readable.pipeTo(server.writable),
    server.readable.pipeTo(client.writable),
  ]);
}
