/**
 * A copy of the program's source, made fit for compiling: so that nothing but the program can get
 * into the binary, and what the source keeps from Deno's sight is seen.
 *
 * @module
 */

import { join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { copy, filesBelow } from "./copy.ts";

/** All that the program consists of. `vendor` is there where JSR does not answer. */
const PARTS = ["deno.json", "main.ts", "commands", "runtime", "vendor"];

/** Where `runtime/version.ts` finds the commit. */
const BUILD_INFO = "runtime/build_info.ts";

/** Copies the program from `root` to `directory`, which is there and empty. */
export async function stageProgram(root: string, directory: string, commit: string): Promise<void> {
  for (const part of PARTS) await copy(join(root, part), join(directory, part));
  for (const part of ["main.ts", "commands", "runtime"]) {
    for await (const path of filesBelow(join(directory, part))) {
      const file = path === "" ? join(directory, part) : join(directory, part, path);
      if (file.endsWith(".ts")) await rewrite(file, withLiteralImports);
    }
  }
  await rewrite(join(directory, BUILD_INFO), (text) => withCommit(text, commit));
}

async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const changed = change(text);
  if (changed !== text) await Deno.writeTextFile(path, changed);
}

/**
 * Puts the paths of dynamic imports in place of the constants that hold them. In the source they
 * are constants since Deno would look up whatever a literal leads to before it runs the first line;
 * in the binary there is nothing to look up, and what is not seen is not embedded.
 *
 * @throws MlcliError when there is no such constant.
 */
export function withLiteralImports(source: string): string {
  return source.replaceAll(/\bimport\(([A-Za-z_$][\w$]*)\)/g, (_, name: string) => {
    const path = new RegExp(`\\bconst ${name}(?:: string)? = ("[^"]+");`).exec(source)?.[1];
    if (path) return `import(${path})`;
    throw new MlcliError("configuration", `No constant for import(${name})`, {
      hint: "What is imported dynamically must be a literal, or a constant of the same file.",
    });
  });
}

/** The build info with the commit in it. */
export function withCommit(source: string, commit: string): string {
  const changed = source.replace(
    "COMMIT: string | undefined = undefined",
    `COMMIT: string | undefined = ${JSON.stringify(commit)}`,
  );
  if (changed !== source) return changed;
  throw new MlcliError("configuration", `${BUILD_INFO} has no place for the commit`);
}
