/**
 * A directory as a cloned repository may be: with everything in it that Deno, npm or npx would obey
 * if they looked there.
 */

import { join } from "@std/path";
import { makeDirectory, type TestDirectory } from "./directory.ts";

/** What its code writes when it runs. */
export const HOSTILE = "HOSTILE CODE RAN";

/** Packages and modules that mlcli imports. */
const IMPORTED = ["@aws-sdk/client-sagemaker", "@cliffy/command", "@std/path", "tar-stream"];

const CODE = `console.error("${HOSTILE}");\n`;

/** Makes it. */
export async function makeHostileDirectory(): Promise<TestDirectory> {
  const configuration = JSON.stringify({
    imports: Object.fromEntries(IMPORTED.map((name) => [name, "./hostile.ts"])),
    preload: ["./hostile.ts"],
    lock: { path: "./deno.lock", frozen: true },
    nodeModulesDir: "manual",
    vendor: true,
  });
  const directory = await makeDirectory({
    "hostile.ts": `${CODE}export class Command {}\n`,
    "deno.json": configuration,
    "deno.jsonc": configuration,
    "import_map.json": configuration,
    "deno.lock": JSON.stringify({ version: "5", specifiers: { "npm:tar-stream@3.2.2": "0.0.1" } }),
    "package.json": JSON.stringify({
      name: "hostile",
      dependencies: {
        deno: "2.9.6",
        ...Object.fromEntries(IMPORTED.map((name) => [name, "1.0.0"])),
      },
      scripts: { preinstall: `echo ${HOSTILE} >&2` },
    }),
    // Where nobody listens.
    ".npmrc": "registry=http://127.0.0.1:1/\n",
    ".env": "DENO_DIR=./cache\nMLCLI_DEBUG=1\nAWS_ENDPOINT_URL=http://127.0.0.1:1\n",
    "vendor/jsr.io/@cliffy/command/meta.json": '{"versions":{}}',
    "node_modules/deno/package.json": '{"name":"deno","version":"2.9.6","bin":{"deno":"bin.cjs"}}',
    "node_modules/deno/bin.cjs": `#!/usr/bin/env node\n${CODE}`,
    "node_modules/.bin/mlcli": `#!/bin/sh\necho ${HOSTILE} >&2\n`,
    ...Object.fromEntries(IMPORTED.flatMap((name) => [
      [
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, version: "1.0.0", main: "i.js" }),
      ],
      [`node_modules/${name}/i.js`, CODE],
    ])),
  });
  if (Deno.build.os !== "windows") {
    for (const program of ["node_modules/deno/bin.cjs", "node_modules/.bin/mlcli"]) {
      await Deno.chmod(join(directory.path, program), 0o755);
    }
    await Deno.symlink("../deno/bin.cjs", join(directory.path, "node_modules/.bin/deno"));
  }
  return directory;
}
