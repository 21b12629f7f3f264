import { dirname, join } from "@std/path";

/** A directory that is gone when it is disposed of. */
export interface TestDirectory extends AsyncDisposable {
  readonly path: string;
  /** Writes files: path below the directory to content. A path that ends in `/` is a directory. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

/** Makes a temporary directory that holds the files. */
export async function makeDirectory(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<TestDirectory> {
  // Real, so that a path in a message is the same as the program's current directory.
  const path = await Deno.realPath(await Deno.makeTempDir({ prefix: "mlcli-test-" }));
  const write = async (more: Readonly<Record<string, string | Uint8Array>>): Promise<void> => {
    for (const [name, content] of Object.entries(more)) {
      const target = join(path, name);
      await Deno.mkdir(name.endsWith("/") ? target : dirname(target), { recursive: true });
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      if (!name.endsWith("/")) await Deno.writeFile(target, bytes);
    }
  };
  await write(files);
  return {
    path,
    write,
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}

/** Copies a directory with all that is below it, or a file. */
export async function copyTree(from: string, to: string): Promise<void> {
  if (!(await Deno.stat(from)).isDirectory) return await Deno.copyFile(from, to);
  await Deno.mkdir(to, { recursive: true });
  for await (const { name } of Deno.readDir(from)) await copyTree(join(from, name), join(to, name));
}

export async function namesIn(path: string): Promise<readonly string[]> {
  return (await Array.fromAsync(Deno.readDir(path), ({ name }) => name)).sort();
}

/** The text of each file in a directory and below, by its path there. */
export async function filesBelow(path: string): Promise<Record<string, string>> {
  const all = Object.entries(await contentOf(path));
  return Object.fromEntries(all.filter(([name]) => !name.endsWith("/")));
}

/** Files below a directory, and their content; directories end with a slash. */
export async function contentOf(path: string, before = ""): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { name, isDirectory } of Deno.readDir(path)) {
    const shown = `${before}${name}${isDirectory ? "/" : ""}`;
    found[shown] = isDirectory ? "" : await Deno.readTextFile(join(path, name));
    if (isDirectory) Object.assign(found, await contentOf(join(path, name), shown));
  }
  return found;
}

/** Whether Deno lists names that are not UTF-8: it has done so since 2.9. */
export const LISTS_ALL_NAMES = !/^2\.[0-8]\./.test(Deno.version.deno);
