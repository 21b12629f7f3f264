/**
 * Puts the JSR packages that the program imports into a directory, from a package on npm that
 * carries the same modules: `vendorFromNpm`.
 *
 * Imports nothing that needs resolving, for `scripts/tasks/setup.ts` runs before anything is.
 */

import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { MlcliError } from "../../runtime/errors.ts";
import { filesBelow } from "../files.ts";
import { run } from "../process.ts";

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

/** On Windows npm is a script, which needs its full name. */
const NPM = Deno.build.os === "windows" ? "npm.cmd" : "npm";
/** Some megabytes over a slow network. In ms. */
const TIMEOUT = 300_000;

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

/**
 * Puts the JSR packages that the program imports into a directory `vendor`, from the one file on npm
 * that was checked.
 */
export async function vendorFromNpm(vendor: string, signal: AbortSignal): Promise<void> {
  const work = await Deno.makeTempDir({ prefix: "mlcli-setup-" });
  try {
    await unpackCarrier(work, signal);
    for (const carried of CARRIED) await putCarried(`${work}/package`, vendor, carried);
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

async function unpackCarrier(work: string, signal: AbortSignal): Promise<void> {
  const { name, version, integrity } = CARRIER;
  const options = { cwd: work, timeout: TIMEOUT, signal };
  await run([NPM, "pack", "--silent", `${name}@${version}`], {
    ...options,
    hint: "Connect to the network, or point npm at your mirror (npm config set registry URL), " +
      "and run this again.",
  });
  const tarball = `${name}-${version}.tgz`;
  const content = await Deno.readFile(`${work}/${tarball}`);
  const digest = createHash("sha512").update(content).digest("base64");
  if (`sha512-${digest}` !== integrity) {
    throw new MlcliError(
      `${name}@${version} from npm is not the file that was checked: its sha512 is ${digest}.`,
      { hint: "The registry or the network in between changed it; try another one." },
    );
  }
  // Without its directory: to GNU's tar, what stands before a colon is a machine.
  await run(["tar", "-xzf", tarball], { ...options, hint: "Is tar installed?" });
}

async function putCarried(
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

/** Writes what Deno reads of a JSR package: its versions, and for this one files and entry points. */
export async function writeManifest(
  vendor: string,
  name: string,
  version: string,
  exports: Record<string, string>,
): Promise<void> {
  const folder = packageFolder(vendor, name, version);
  const manifest: Record<string, { size: number; checksum: string }> = {};
  // In an order of its own, since the lock file has the checksum of this.
  for (const path of (await Array.fromAsync(filesBelow(folder))).sort()) {
    const bytes = await Deno.readFile(`${folder}/${path}`);
    const checksum = createHash("sha256").update(bytes).digest("hex");
    manifest[`/${path}`] = { size: bytes.length, checksum: `sha256-${checksum}` };
  }
  await Deno.writeTextFile(`${folder}_meta.json`, JSON.stringify({ manifest, exports }));
  const [scope, bare] = name.slice(1).split("/");
  await Deno.writeTextFile(
    `${vendor}/jsr.io/${name}/meta.json`,
    JSON.stringify({ scope, name: bare, latest: version, versions: { [version]: {} } }),
  );
}

/** Where Deno looks for a JSR package in a directory `vendor`. */
export function packageFolder(vendor: string, name: string, version: string): string {
  return `${vendor}/jsr.io/${name}/${version}`;
}

/** Copies the modules and type declarations, marking each module with its declaration. */
async function copyFolder(from: string, to: string): Promise<void> {
  for await (const path of filesBelow(from)) {
    if (!path.endsWith(".js") && !path.endsWith(".d.ts")) continue;
    const target = `${to}/${path}`;
    await Deno.mkdir(dirname(target), { recursive: true });
    const text = await Deno.readTextFile(`${from}/${path}`);
    const declaration = basename(path).replace(/\.js$/, ".d.ts");
    const mark = path.endsWith(".js") ? `/* @ts-self-types="./${declaration}" */\n` : "";
    await Deno.writeTextFile(target, mark + text);
  }
}
