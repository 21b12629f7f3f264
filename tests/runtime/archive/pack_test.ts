import { assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { type Packed, packTo } from "../../../runtime/archive/pack.ts";
import { bytesOfFile, entriesOf } from "../../../runtime/archive/reader.ts";
import type { TarEntry } from "../../../runtime/archive/writer.ts";
import { Interrupted, MlcliError } from "../../../runtime/errors.ts";
import { makeDirectory, type TestDirectory } from "../../helpers/directory.ts";
import { inOwnProcess } from "../../helpers/own_process.ts";
import { sha256 } from "../../helpers/sigv4.ts";
import { it, suite } from "../../helpers/suite.ts";

const SIGNAL = new AbortController().signal;

const ERRORS = {
  gone: (shown: string) => new MlcliError(`gone: ${shown}`),
  cannotRead: (shown: string) => new MlcliError(`unreadable: ${shown}`),
  gotShorter: (shown: string) => new MlcliError(`shorter: ${shown}`),
};

function file(directory: TestDirectory, name: string, path = name): TarEntry {
  return { type: "file", path, source: join(directory.path, name), shown: name };
}

async function pack(
  directory: TestDirectory,
  entries: readonly TarEntry[],
  name = "a.tar.gz",
  signal = SIGNAL,
): Promise<Packed> {
  return await packTo(join(directory.path, name), entries, ERRORS, signal);
}

async function listed(path: string): Promise<string> {
  const { stdout } = await new Deno.Command("tar", {
    args: ["-tvzf", path, "--numeric-owner", "--full-time", "--utc"],
  }).output();
  return new TextDecoder().decode(stdout);
}

suite("packing a model", () => {
  it("makes the same bytes of the same files, whoever made them and when", async () => {
    const bytes: Uint8Array[] = [];
    for (const [mode, time] of [[0o600, 1e9], [0o644, 1.5e9], [0o664, 5]] as const) {
      await using directory = await makeDirectory({ "m": "model", "run.sh": "#!/bin/sh\n" });
      await Deno.chmod(join(directory.path, "m"), mode);
      await Deno.chmod(join(directory.path, "run.sh"), mode | 0o100);
      await Deno.utime(join(directory.path, "m"), time, time);
      if (Deno.uid() === 0) await Deno.chown(join(directory.path, "m"), time % 1000 + 5, 7);
      const packed = await pack(directory, [
        { type: "directory", path: "d", mode: 0o755 },
        file(directory, "m", "d/m"),
        file(directory, "run.sh"),
      ]);
      const path = join(directory.path, "a.tar.gz");
      const archive = await Deno.readFile(path);
      assertEquals(packed.bytes, archive.length);
      assertEquals(packed.sha256, sha256(archive));
      // RFC 1952: no name, no time, an unknown system.
      assertEquals([...archive.subarray(3, 8), archive[9]], [0, 0, 0, 0, 0, 255]);
      bytes.push(archive);
      assertEquals(
        (await listed(path)).split("\n").map((line) => line.replace(/ +/g, " ")),
        [
          "drwxr-xr-x 0/0 0 1980-01-01 00:00:00 d",
          "-rw-r--r-- 0/0 5 1980-01-01 00:00:00 d/m",
          "-rwxr-xr-x 0/0 10 1980-01-01 00:00:00 run.sh",
          "",
        ],
      );
    }
    assertEquals(bytes[0], bytes[1]);
    assertEquals(bytes[0], bytes[2]);
  });

  it("makes other bytes of another name, content or order", async () => {
    await using directory = await makeDirectory({ a: "1", b: "2" });
    const [a, b] = [file(directory, "a"), file(directory, "b")];
    const all = [[a, b], [b, a], [a], [file(directory, "b", "a"), file(directory, "a", "b")]];
    const sums = new Set<string>();
    for (const [index, entries] of all.entries()) {
      sums.add((await pack(directory, entries, `${index}.tar.gz`)).sha256);
    }
    assertEquals(sums.size, all.length);
  });

  it("keeps long names and letters of any kind", async () => {
    const names = [`${"long/".repeat(60)}m`, "größe 模型", "-x", 'q"\\'];
    await using directory = await makeDirectory({ m: "content" });
    await pack(directory, names.map((name) => file(directory, "m", name)));
    const found: string[] = [];
    const archive = bytesOfFile(join(directory.path, "a.tar.gz"));
    for await (const { header, content } of entriesOf(archive, Infinity, SIGNAL)) {
      for await (const _ of content);
      found.push(header.name);
    }
    assertEquals(found, names);
  });

  it("streams: a file of 300 MB is packed in little memory", async () => {
    await using directory = await makeDirectory({ m: "" });
    await Deno.truncate(join(directory.path, "m"), 300 * 1024 ** 2);
    const printed = await inOwnProcess(
      `
      const [source, target] = ${
        JSON.stringify(["m", "a.tar.gz"].map((name) => join(directory.path, name)))
      };
      let peak = 0;
      const before = Deno.memoryUsage().rss;
      const timer = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss - before), 20);
      const entries = [{ type: "file", path: "m", source, shown: "m" }];
      const { bytes } = await packTo(target, entries, {}, new AbortController().signal);
      clearInterval(timer);
      console.log(JSON.stringify({ bytes, peak }));
    `,
      { imports: { packTo: "runtime/archive/pack.ts" } },
    );
    const { bytes, peak } = JSON.parse(printed) as { bytes: number; peak: number };
    assertEquals(bytes < 4 * 1024 ** 2, true, `${bytes}`);
    assertEquals(peak < 150 * 1024 ** 2, true, `${peak} bytes`);
  });

  it("ends with what cannot be packed", async () => {
    await using directory = await makeDirectory({ m: "1", "d/": "" });
    for (const [name, words] of [["nothing", "gone: nothing"], ["d", "gone: d"]] as const) {
      await assertRejects(
        () => pack(directory, [file(directory, "m"), file(directory, name)], `${name}.tar.gz`),
        MlcliError,
        words,
      );
    }
  });

  it("ends with Ctrl-C", async () => {
    await using directory = await makeDirectory({ m: "1" });
    const signal = AbortSignal.abort(new Interrupted("SIGINT"));
    await assertRejects(() => pack(directory, [file(directory, "m")], "a", signal), Interrupted);
  });

  it("writes into nothing that is there", async () => {
    await using directory = await makeDirectory({ m: "1", "a.tar.gz": "mine" });
    await assertRejects(() => pack(directory, [file(directory, "m")]), Deno.errors.AlreadyExists);
    assertEquals(await Deno.readTextFile(join(directory.path, "a.tar.gz")), "mine");
  });
});
