/**
 * The registry behind the box's ECR: Debian's `docker-registry`, on a port of this machine that
 * only the front of the box knows the password of.
 */

import { join } from "@std/path";
import { makeDirectory, type TestDirectory } from "../directory.ts";

/** It listens within a few hundredths of a second; a loaded machine takes longer. In ms. */
const START_TIMEOUT = 30_000;

const PASSWORD = "behind-the-front";
/** bcrypt of the password, at the lowest cost: it is checked with every request. */
const HASH = "$2a$04$8XfZxVyXKXMMUQz4apjf9e8MEsRbmNeZmK3pLrpYy/YtMtBOcABXa";

/** Ends it when nobody holds the other end of standard input any more, however the test ended. */
const LEASH = '"$@" & child=$!; exec 2>&-; read -r _; kill -9 $child; wait $child';

/** A registry that listens. */
export class RegistryProcess implements AsyncDisposable {
  /** What a request to it has to carry. */
  readonly authorization = `Basic ${btoa(`AWS:${PASSWORD}`)}`;

  private constructor(
    /** `http://127.0.0.1:PORT` */
    readonly url: string,
    readonly directory: TestDirectory,
    private readonly child: Deno.ChildProcess,
    private readonly reading: Promise<void>,
  ) {}

  /**
   * Starts one, empty.
   * @throws Error where there is no such program, or it does not start; with its own words.
   */
  static async start(): Promise<RegistryProcess> {
    const directory = await makeDirectory();
    await directory.write({
      "htpasswd": `AWS:${HASH}\n`,
      "config.yml": configuration(directory.path),
    });
    const child = launch(join(directory.path, "config.yml"));
    const log = readLog(child);
    try {
      const address = await within(START_TIMEOUT, log.address);
      return new RegistryProcess(`http://${address}`, directory, child, log.reading);
    } catch (error) {
      await child.stdin.close();
      await log.reading;
      await directory[Symbol.asyncDispose]();
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.child.stdin.close();
    await Promise.all([this.child.status, this.reading]);
    await this.directory[Symbol.asyncDispose]();
  }
}

/** (JSON is YAML, too.) */
function configuration(directory: string): string {
  return JSON.stringify({
    version: 0.1,
    log: { level: "info" },
    storage: { filesystem: { rootdirectory: join(directory, "data") }, delete: { enabled: true } },
    // Locations without a host, so that uploads go on through the front.
    http: { addr: "127.0.0.1:0", relativeurls: true, secret: "of-the-box" },
    auth: { htpasswd: { realm: "box", path: join(directory, "htpasswd") } },
  });
}

function launch(configuration: string): Deno.ChildProcess {
  const program = Deno.env.get("MLCLI_TEST_REGISTRY") ?? "docker-registry";
  return new Deno.Command("sh", {
    args: ["-c", LEASH, "sh", program, "serve", configuration],
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
}

/** Reads its log to the end; what it listens on stands in it. */
function readLog(child: Deno.ChildProcess): { address: Promise<string>; reading: Promise<void> } {
  const { promise: address, resolve, reject } = Promise.withResolvers<string>();
  // Where the start is given up before it ends, nobody waits for it.
  address.catch(() => {});
  const reading = (async () => {
    const decoder = new TextDecoder();
    let end = "";
    for await (const chunk of child.stderr) {
      end = (end + decoder.decode(chunk, { stream: true })).slice(-10_000);
      const found = /listening on ([\d.]+:\d+)/.exec(end);
      if (found) resolve(found[1]!);
    }
    reject(
      new Error(
        "docker-registry does not start: run the tests by deno task test, which gets it where " +
          `it can (Debian and Ubuntu, as root); else install it. It said: ${end.trim()}`,
      ),
    );
  })();
  return { address, reading };
}

async function within<T>(limit: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`docker-registry did not listen in ${limit} ms`)),
    limit,
  );
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
