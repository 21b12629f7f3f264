import { join } from "@std/path";
import type { TestApp } from "./app.ts";

/** What nothing starts by torchrun, here and on SageMaker: the arguments of both, and the error. */
export const NO_TORCHRUN = [
  ["a command", ["--command", "x"], "A command starts torchrun itself, if at all."],
  ["a program of the image", ["--launcher", "image"], "is known to start torchrun"],
  ["a shell's script", ["--entry-point", "run.sh"], "no program but Python's: not run.sh."],
  ["a package", ["--entry-point", "shop/train"], "no program but Python's: not shop/train."],
] as const;

/** Writes the code of those. */
export async function writeWithoutTorchrun(app: TestApp, directory: string): Promise<void> {
  for (const name of ["run.sh", "shop/train"]) await app.write(join(directory, name), "");
}
