/**
 * Makes the binaries: `deno task compile [TARGET...]` puts `mlcli-TARGET` and `SHA256SUMS` into
 * `dist/`, for all targets or those named.
 *
 * They hold the packages that `scripts/release/deno.lock` names, on every network.
 *
 * `DENORT_BIN` names a runtime base to use instead of downloading one; it must be made for Linux
 * x86-64, so it serves only that target.
 */

import { fromFileUrl, join } from "@std/path";
import { removeTreeIfThere } from "../../runtime/files.ts";
import { bundled, type Program } from "../compile/bundle.ts";
import { checksums } from "../compile/checksums.ts";
import { permissionOptions, RUNTIME_OPTIONS } from "../compile/options.ts";
import { replaceTree } from "../compile/replace_tree.ts";
import { stageProgram } from "../compile/stage.ts";
import { binaryName, chooseTargets, DIST, type Target } from "../compile/targets.ts";
import { run } from "../process.ts";
import { runScript, step } from "../script.ts";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** The runtime base has 40 MB to download, over a slow network. In ms. */
const TIMEOUT = 300_000;

async function main(signal: AbortSignal): Promise<number> {
  const targets = chooseTargets(Deno.args, Deno.env.get("DENORT_BIN"));
  const names = targets.map(binaryName);
  const work = await Deno.makeTempDir({ prefix: "mlcli-compile-" });
  try {
    const made = join(work, "dist");
    await Deno.mkdir(made);
    await Deno.mkdir(join(work, "source"));
    await stageProgram(ROOT, join(work, "source"), await currentCommit(signal), signal);
    const program = await step(
      "Bundling",
      () => bundled(join(work, "source"), join(work, "mlcli"), join(work, "cache"), signal),
    );
    for (const target of targets) {
      await step(`Compiling ${target}`, () => compile(program, target, made, signal));
    }
    await Deno.writeTextFile(join(made, "SHA256SUMS"), await checksums(made, names));
    await replaceTree(DIST, made);
  } finally {
    await removeTreeIfThere(work);
  }
  const lines = names.map((name) => `dist/${name}\n`).join("");
  Deno.stdout.writeSync(new TextEncoder().encode(lines));
  return 0;
}

async function compile(
  { directory, main, assets }: Program,
  target: Target,
  dist: string,
  signal: AbortSignal,
): Promise<void> {
  const command = [
    ...[Deno.execPath(), "compile", "--quiet"],
    ...RUNTIME_OPTIONS,
    ...["--target", target, "--output", join(dist, binaryName(target))],
    ...assets.flatMap((asset) => ["--include", asset]),
    ...permissionOptions(target),
    main,
  ];
  await run(command, {
    cwd: directory,
    timeout: TIMEOUT,
    hint: "Deno downloads a runtime base from dl.deno.land; DENORT_BIN names one that is here.",
    signal,
  });
}

/** The commit that is checked out, `-dirty` when files differ; `unknown` without git. */
async function currentCommit(signal: AbortSignal): Promise<string> {
  const options = { cwd: ROOT, timeout: 10_000, hint: "", signal };
  const command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
  return await run(command, options).then((text) => text.trim(), () => "unknown");
}

if (import.meta.main) runScript(main);
