/**
 * Resolves the dependencies: `deno task setup`.
 *
 * Where JSR answers, Deno fetches its packages by itself and this script only asks it to. Where
 * only npm is reachable (a company's mirror, say), it fills `vendor/jsr.io/` from a package on npm
 * that carries the same modules; `"vendor": true` in deno.json makes Deno look there first. With
 * `--npm` it does so everywhere: a release is made from files that were checked, and JSR's newest
 * are not.
 *
 * Imports nothing that needs resolving, nor do those that it imports, since it runs before anything
 * is resolved.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { MlcliError } from "../runtime/errors.ts";
import { runScript, say } from "./script.ts";

/** The npm package that carries Cliffy and @std/path, and the file of it that was checked. */
const CARRIER = {
  name: "windmill-cli",
  version: "1.596.0",
  integrity:
    "sha512-5aFVNTOEaGyTKyQlyjFI1FAZ8fTIQ2vGSmnqL3FfZuKpKWdqGXh8p9Azdp8N2MkIwyP1vYtOK9nfQk6jr6tRTw==",
};

/** A JSR package as the carrier holds it: which folders to copy, and where its entry points are. */
interface CarriedPackage {
  readonly name: string;
  readonly version: string;
  /** Folders below `deps/jsr.io/` of the carrier; they import each other by relative paths. */
  readonly folders: readonly string[];
  /** Entry point of the package to the module below `deps/jsr.io/`. */
  readonly exports: Readonly<Record<string, string>>;
}

const CLIFFY = "@windmill-labs/cliffy-command/1.0.0-rc.5";

const CARRIED: readonly CarriedPackage[] = [
  {
    name: "@cliffy/command",
    version: "1.0.0-rc.5",
    folders: [
      CLIFFY,
      "@windmill-labs/cliffy-flags/1.0.0-rc.5",
      "@windmill-labs/cliffy-table/1.0.0-rc.5",
      "@windmill-labs/cliffy-internal/1.0.0-rc.5",
      "@std/fmt/0.225.6",
      "@std/text/1.0.0-rc.1",
      "@std/cli/1.0.0-rc.2",
    ],
    exports: {
      ".": `${CLIFFY}/mod.js`,
      "./completions": `${CLIFFY}/completions/mod.js`,
    },
  },
  {
    name: "@std/path",
    version: "1.1.3",
    folders: ["@std/path/1.1.3", "@std/internal/1.0.12"],
    exports: {
      ".": "@std/path/1.1.3/mod.js",
      "./basename": "@std/path/1.1.3/basename.js",
      "./constants": "@std/path/1.1.3/constants.js",
      "./dirname": "@std/path/1.1.3/dirname.js",
      "./is-absolute": "@std/path/1.1.3/is_absolute.js",
      "./join": "@std/path/1.1.3/join.js",
      "./normalize": "@std/path/1.1.3/normalize.js",
      "./relative": "@std/path/1.1.3/relative.js",
    },
  },
];

/** Stand-ins for packages that npm has in no usable form: only what the tests use of them. */
const STAND_INS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "@std/assert": { ".": "assert.ts" },
  "@std/testing": { "./bdd": "bdd.ts" },
};

const ROOT = new URL("../", import.meta.url);
const VENDOR = fileURLToPath(new URL("vendor", ROOT));
/** Written last, so that an interrupted set-up starts again. */
const DONE = new URL("vendor/.set-up", ROOT);

/**
 * Makes every import of deno.json resolvable. Costs nothing when it has been done before.
 * @param fromNpm whether to take JSR's packages from npm even where JSR answers.
 */
export async function setUp(fromNpm: boolean): Promise<void> {
  const fingerprint = createHash("sha256")
    .update(await Deno.readTextFile(import.meta.filename!))
    .update(await Deno.readTextFile(new URL("deno.json", ROOT)))
    .digest("hex");
  const done = await readIfThere(DONE);
  if (done === `${fingerprint} npm` || (done === fingerprint && !fromNpm)) return;
  const vendored = fromNpm || !await jsrAnswers();
  if (vendored) {
    if (!fromNpm) say("JSR does not answer: taking its packages from npm");
    await vendorFromNpm(VENDOR);
    for (const [name, exports] of Object.entries(STAND_INS)) await layStandIn(name, exports);
  }
  await Deno.mkdir(VENDOR, { recursive: true });
  await Deno.writeTextFile(DONE, vendored ? `${fingerprint} npm` : fingerprint);
}

async function jsrAnswers(): Promise<boolean> {
  try {
    const answer = await fetch("https://jsr.io/@cliffy/command/meta.json", {
      signal: AbortSignal.timeout(5_000),
    });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/**
 * Lays the JSR packages that the program imports into a directory `vendor`, from the one file on npm
 * that was checked.
 */
export async function vendorFromNpm(vendor: string): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "mlcli-setup-" });
  try {
    await unpackCarrier(work);
    for (const carried of CARRIED) await layCarried(`${work}/package`, vendor, carried);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function unpackCarrier(work: string): Promise<void> {
  const { name, version, integrity } = CARRIER;
  await run(
    ["npm", "pack", "--silent", `${name}@${version}`],
    work,
    `npm does not answer. Connect to the network, or point npm at your mirror ` +
      `(npm config set registry URL), and run this again.`,
  );
  const tarball = `${name}-${version}.tgz`;
  const content = await Deno.readFile(`${work}/${tarball}`);
  const digest = createHash("sha512").update(content).digest("base64");
  if (`sha512-${digest}` !== integrity) {
    fail(
      `${name}@${version} from npm is not the file that was checked: its sha512 is ${digest}.`,
      "The registry or the network in between changed it; try another one.",
    );
  }
  // Without its directory: to GNU's tar, what stands before a colon is a machine.
  await run(["tar", "-xzf", tarball], work, "Is tar installed?");
}

async function layCarried(
  carrier: string,
  vendor: string,
  carried: CarriedPackage,
): Promise<void> {
  const target = packageFolder(vendor, carried.name, carried.version);
  for (const folder of carried.folders) {
    await copyFolder(`${carrier}/esm/deps/jsr.io/${folder}`, `${target}/deps/jsr.io/${folder}`);
    await copyFolder(`${carrier}/types/deps/jsr.io/${folder}`, `${target}/deps/jsr.io/${folder}`);
  }
  // The carrier was made for Node; its modules take Deno and the globals from this one.
  await Deno.writeTextFile(
    `${target}/_dnt.shims.js`,
    "export const dntGlobalThis = globalThis;\nexport const Deno = globalThis.Deno;\n",
  );
  const entries: Record<string, string> = {};
  for (const [entry, module] of Object.entries(carried.exports)) {
    entries[entry] = `./deps/jsr.io/${module}`;
  }
  await writeManifest(vendor, carried.name, carried.version, entries);
}

async function layStandIn(name: string, exports: Readonly<Record<string, string>>): Promise<void> {
  const version = "1.0.0";
  const entries: Record<string, string> = {};
  const folder = packageFolder(VENDOR, name, version);
  await Deno.mkdir(folder, { recursive: true });
  for (const [entry, file] of Object.entries(exports)) {
    await Deno.copyFile(
      fileURLToPath(new URL(`vendor/${file}`, import.meta.url)),
      `${folder}/${file}`,
    );
    entries[entry] = `./${file}`;
  }
  await writeManifest(VENDOR, name, version, entries);
}

/** Writes what Deno reads of a JSR package: its versions, and for this one files and entry points. */
async function writeManifest(
  vendor: string,
  name: string,
  version: string,
  exports: Record<string, string>,
): Promise<void> {
  const folder = packageFolder(vendor, name, version);
  const manifest: Record<string, { size: number; checksum: string }> = {};
  // In an order of its own, since the lock file has the checksum of this.
  for (const path of (await Array.fromAsync(filesBelow(folder))).sort()) {
    const bytes = await Deno.readFile(`${folder}${path}`);
    const checksum = createHash("sha256").update(bytes).digest("hex");
    manifest[path] = { size: bytes.length, checksum: `sha256-${checksum}` };
  }
  await Deno.writeTextFile(`${folder}_meta.json`, JSON.stringify({ manifest, exports }));
  const [scope, bare] = name.slice(1).split("/");
  await Deno.writeTextFile(
    `${vendor}/jsr.io/${name}/meta.json`,
    JSON.stringify({ scope, name: bare, latest: version, versions: { [version]: {} } }),
  );
}

function packageFolder(vendor: string, name: string, version: string): string {
  return `${vendor}/jsr.io/${name}/${version}`;
}

/** Copies the modules and type declarations, marking each module with its declaration. */
async function copyFolder(from: string, to: string): Promise<void> {
  for await (const path of filesBelow(from)) {
    if (!path.endsWith(".js") && !path.endsWith(".d.ts")) continue;
    await Deno.mkdir((to + path).slice(0, (to + path).lastIndexOf("/")), { recursive: true });
    const text = await Deno.readTextFile(from + path);
    const declaration = path.slice(path.lastIndexOf("/") + 1).replace(/\.js$/, ".d.ts");
    const mark = path.endsWith(".js") ? `/* @ts-self-types="./${declaration}" */\n` : "";
    await Deno.writeTextFile(to + path, mark + text);
  }
}

/** The files below a folder, each as `/path/from/it`. */
async function* filesBelow(folder: string, path = ""): AsyncGenerator<string> {
  for await (const entry of Deno.readDir(folder + path)) {
    const inner = `${path}/${entry.name}`;
    if (entry.isDirectory) yield* filesBelow(folder, inner);
    else yield inner;
  }
}

async function run(command: readonly string[], cwd: string, hint: string): Promise<void> {
  const [name, ...args] = command as [string, ...string[]];
  // On Windows npm is a script, which has to be named whole.
  const program = name === "npm" && Deno.build.os === "windows" ? "npm.cmd" : name;
  let output: Deno.CommandOutput;
  try {
    output = await new Deno.Command(program, { args, cwd, stdin: "null" }).output();
  } catch (cause) {
    fail(`${program}: ${cause instanceof Error ? cause.message : cause}`, hint);
  }
  if (!output.success) {
    fail(`${command.join(" ")}: ${new TextDecoder().decode(output.stderr).trim()}`, hint);
  }
}

async function readIfThere(file: URL): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function fail(message: string, hint: string): never {
  throw new MlcliError(message, { hint });
}

async function main(): Promise<number> {
  await setUp(Deno.args.includes("--npm"));
  return 0;
}

if (import.meta.main) runScript(main);
