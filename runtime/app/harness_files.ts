/** The files of mlcli's harness (`runtime/harness/`), which `mlcli build` puts into every image. */

/** In the source tree, and in the compiled program, which has it beside its code. */
const HARNESS = new URL("../harness/", import.meta.url);

/** Without its tests and their configuration. */
const PROGRAMS = ["entrypoint", "install", "start.sh"];
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

/** What the start script runs, and what that imports. */
const START_MODULES =
  "__init__ distribution environment failure paths report sent start stopping toolkit"
    .split(" ");

/** No line of a module. */
const END_OF_MODULE = "END_OF_MODULE";

/**
 * The script that the launcher `script` sends along: it unpacks the code, installs what that asks for,
 * and becomes the program that is its first argument. The same for all apps, and both kinds of jobs.
 */
export async function startScript(): Promise<string> {
  const textOf = async (path: string) => new TextDecoder().decode(await readHarnessFile(path));
  const modules = await Promise.all(START_MODULES.map(async (name) => {
    const file = `${PACKAGE}/${name}.py`;
    return `cat > "$mlcli/${file}" << '${END_OF_MODULE}'\n${await textOf(file)}${END_OF_MODULE}\n`;
  }));
  const program = `import sys
sys.path.insert(0, sys.argv[1])
from ${PACKAGE}.start import start
start(*sys.argv[2:])`;
  return `${await textOf("start.sh")}${
    modules.join("")
  }exec "$python" -c '${program}' "$mlcli" "$0" "$@"\n`;
}
