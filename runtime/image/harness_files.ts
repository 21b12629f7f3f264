/** The files of mlcli's harness (`runtime/harness/`), which `mlcli build` puts into every image. */

/** In the source tree, and in the compiled program, which has it beside its code. */
const HARNESS = new URL("../harness/", import.meta.url);

/** Without its tests and their configuration. */
const PROGRAMS = ["entrypoint", "install"];
const MODULES = ["installed.py", "main.py"];
const PACKAGE = "mlcli_harness";

export interface HarnessFile {
  /** Relative to the harness, with slashes. */
  readonly path: string;
  readonly executable: boolean;
}

/** In the order of their names, so that the context is the same each time. */
export async function harnessFiles(): Promise<readonly HarnessFile[]> {
  const modules = [...MODULES, ...await Array.fromAsync(modulesBelow(PACKAGE))].sort();
  return [
    ...PROGRAMS.map((path) => ({ path, executable: true })),
    ...modules.map((path) => ({ path, executable: false })),
  ];
}

async function* modulesBelow(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(new URL(`${folder}/`, HARNESS))) {
    const path = `${folder}/${name}`;
    if (isDirectory) yield* modulesBelow(path);
    else if (name.endsWith(".py")) yield path;
  }
}

export async function readHarnessFile(path: string): Promise<Uint8Array> {
  return await Deno.readFile(new URL(path, HARNESS));
}
