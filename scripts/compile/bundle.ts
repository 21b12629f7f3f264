/**
 * Makes the staged program a handful of files: Deno then reads no more at the start than what the
 * command needs, and of the AWS SDK the binary holds only what mlcli uses (20 MB less).
 */

import { join } from "@std/path";
import { copy, filesBelow } from "../files.ts";
import { harnessFiles } from "../../runtime/app/harness_files.ts";
import { pageOf } from "../page.ts";
import { run } from "../process.ts";
import { checkBundler, lockedOptions, resolveLocked, resolving } from "./locked.ts";

/** It takes two seconds, and more where esbuild has to be downloaded first. In ms. */
const TIMEOUT = 120_000;

/** What to compile: an entry point, and the directories to embed beside what it imports. */
export interface Program {
  readonly directory: string;
  readonly main: string;
  readonly assets: readonly string[];
}

/** Where the bundled code lies in the program, and its entry point. */
const CODE = "code";
const MAIN = `${CODE}/main.js`;

/** The only modules that import the AWS SDK, in the stage. */
const SDK = "runtime/aws";

/**
 * Bundles the staged program into a directory, one file for each part that is loaded on its own,
 * from the packages that its lock file names and no others.
 *
 * @param cache an empty directory for what is downloaded: Deno checks what it downloads, and not
 * what it finds.
 * @throws MlcliError where a package is not the one that is locked.
 */
export async function bundled(
  stage: string,
  directory: string,
  cache: string,
  signal: AbortSignal,
): Promise<Program> {
  await resolveLocked(stage, cache, signal);
  for await (const path of filesBelow(join(stage, SDK))) await importDeeply(join(stage, SDK, path));
  await bundle(stage, join(directory, CODE), cache, signal);
  const page = await pageOf(stage, lockedOptions(), resolving(cache), signal);
  const bundler = await checkBundler(cache);
  await requireLazily(join(directory, CODE));
  await minify(join(directory, CODE), bundler, signal);
  await loadEachPart(join(directory, CODE), signal);
  // Where the bundled code looks for them, as `runtime/image/` does in the source tree.
  await copy(join(stage, "runtime/image/template"), join(directory, CODE, "template"));
  await Deno.writeTextFile(join(directory, CODE, "page.html"), page);
  for (const { path } of await harnessFiles()) {
    await copy(join(stage, "runtime/harness", path), join(directory, "harness", path));
  }
  return { directory, main: MAIN, assets: [`${CODE}/template`, `${CODE}/page.html`, "harness"] };
}

async function bundle(
  stage: string,
  directory: string,
  cache: string,
  signal: AbortSignal,
): Promise<void> {
  const options = ["--quiet", "--platform", "deno", "--code-splitting"];
  const command = [Deno.execPath(), "bundle", ...options, ...lockedOptions()];
  await run([...command, "--outdir", directory, "main.ts"], {
    cwd: stage,
    env: {
      ...resolving(cache),
      // The SDK's packages as ES modules. By themselves they would be CommonJS, of which nothing
      // can be left out, and whose exports are lost where one is imported dynamically.
      DENO_CONDITIONS: "module",
    },
    timeout: TIMEOUT,
    hint: "deno bundle needs esbuild, which it downloads from npm.",
    signal,
  });
}

async function importDeeply(path: string): Promise<void> {
  await Deno.writeTextFile(path, withDeepImports(await Deno.readTextFile(path)));
}

/**
 * The SDK's imports by file instead of by package: a client's package makes one object of all its
 * operations (SageMaker has 400), which the bundler cannot leave out. Deno by itself cannot load
 * these files: they import one another without extensions.
 */
export function withDeepImports(source: string): string {
  const changed = source.replace(
    /^import \{([^}]*)\} from "(@aws-sdk\/client-[\w-]+)";$/gm,
    (_, names: string, client: string) =>
      names.split(",").map((name) => name.trim())
        .filter((name) => name !== "" && !name.startsWith("type "))
        .map((name) => `import { ${name} } from "${client}/dist-es/${fileOf(name)}.js";`)
        .join("\n"),
  );
  const left = changed.replace(/^(import|export) type \{[^}]*\} from .*$/gm, "");
  if (!/"@aws-sdk\/client-[\w-]+"/.test(left)) return changed;
  throw new Error(`${SDK}/ imports a client of the AWS SDK as a whole`);
}

/** Where a client's package has what it exports. */
function fileOf(name: string): string {
  return name.endsWith("Command") ? `commands/${name}` : name;
}

/**
 * A bundled file in which CommonJS modules require Node's when they first run: Deno's bundles load
 * `node:module` for that in every command (9 ms).
 */
export function withLazyRequire(code: string): string {
  return code.replace(
    /import \{ createRequire as (\w+) \} from "node:module";\nvar (\w+) = \1\(import\.meta\.url\);/,
    "var $2 = (name) => process.getBuiltinModule(name);",
  );
}

async function requireLazily(directory: string): Promise<void> {
  let changed = 0;
  for await (const name of filesBelow(directory)) {
    const path = join(directory, name);
    const code = await Deno.readTextFile(path);
    const lazy = withLazyRequire(code);
    if (lazy === code) continue;
    await Deno.writeTextFile(path, lazy);
    changed++;
  }
  if (changed !== 1) throw new Error(`deno bundle requires Node's modules in ${changed} files`);
}

/**
 * Makes white space and names short, which the runtime reads sooner. No more: `deno bundle --minify`
 * forgets what `using` has to close (evanw/esbuild, issue 4482; mended in 0.28).
 */
async function minify(directory: string, bundler: string, signal: AbortSignal): Promise<void> {
  const files = await Array.fromAsync(filesBelow(directory));
  const options = ["--minify-whitespace", "--minify-identifiers", "--target=esnext"];
  await run(
    [bundler, ...files, ...options, "--allow-overwrite", "--outdir=.", "--log-level=error"],
    {
      cwd: directory,
      timeout: TIMEOUT,
      hint: "See above.",
      signal,
    },
  );
}

/** Imports each file once, so that a binary with a part that does not load is never made. */
async function loadEachPart(directory: string, signal: AbortSignal): Promise<void> {
  const files = await Array.fromAsync(filesBelow(directory));
  const imports = files.map((file) => `await import(${JSON.stringify(`./${file}`)});\n`);
  const program = join(directory, "each_part.js");
  await Deno.writeTextFile(program, imports.join(""));
  await run([Deno.execPath(), "run", "--no-config", "-A", program], {
    timeout: TIMEOUT,
    hint: "A part of the bundle does not load by itself.",
    signal,
  });
  await Deno.remove(program);
}
