/** What a training is asked to run, and where its code lies. */

import { directoryNamed } from "../app/named_path.ts";
import { holdsHarness, type LabelledImage } from "../contract/images.ts";
import type { Distribution, Launcher, Program } from "../contract/launch.ts";
import { entryPointOf, launcherIn } from "../contract/launch.ts";
import { UsageError } from "../errors.ts";
import type { Setting } from "../setting.ts";
import { codeIn, isPackage, requireEntryPoint, type SentCode, type Source } from "./source.ts";

/** Before the image is known. */
export interface ProgramRequest {
  /** `undefined`: the image's own program runs, or the command. */
  readonly code: { readonly source: Source; readonly entryPoint: string } | undefined;
  /** `undefined`: what the image holds. */
  readonly launcher: Launcher | undefined;
  readonly distribution?: Distribution | undefined;
  /** In the place of the image's entry point; empty: that runs. */
  readonly command: readonly string[];
  /** Of the command. */
  readonly arguments: readonly string[];
}

/** What of an image tells what runs in it: the variables that it sets (`NAME=VALUE`), too. */
type KnownImage = LabelledImage & { readonly Config?: { readonly Env?: readonly string[] | null } };

/**
 * What a training runs.
 *
 * @param image `undefined` where it is not known.
 * @param sent the code, where there is some: of a package, an entry point is the name of a module.
 * @throws UsageError where it is not known what runs the entry point, or nothing would start torchrun.
 */
export async function programFor(
  { code, launcher: named, distribution, command, arguments: words }: ProgramRequest,
  reference: string,
  image: KnownImage | undefined,
  sent: SentCode | undefined,
): Promise<Program> {
  const entryPoint = code && (sent ? moduleOrFile(sent, code.entryPoint) : code.entryPoint);
  const runsPython = entryPoint === undefined
    ? image !== undefined && holdsHarness(image)
    : entryPoint.endsWith(".py");
  if (distribution !== undefined && !runsPython) {
    const what = entryPoint ?? `the program of ${reference}`;
    throw new UsageError(`torchrun cannot start ${what}`, {
      hint:
        "Use --distribution with an image from mlcli build, or with an --entry-point that is a " +
        ".py file outside a package. A command can call torchrun itself.",
    });
  }
  if (command.length > 0) return { launcher: "command", command, arguments: words };
  if (entryPoint === undefined) return { launcher: "image", distribution };
  const { holdsToolkitByName } = await import("../contract/aws_images.ts");
  const found = holdsToolkitByName(reference)
    ? "toolkit"
    : image && launcherIn(image.Config?.Env ?? []);
  const launcher = named ?? found;
  if (launcher === undefined) {
    throw new UsageError(`Cannot determine how to start ${entryPoint} in ${reference}`, {
      hint: "Use --launcher toolkit for AWS's framework images, which contain its training " +
        "toolkit. Use --launcher script for any other image with a shell and Python.",
    });
  }
  return launcher === "image" ? { launcher, distribution } : { launcher, entryPoint, distribution };
}

/** AWS's toolkits run a package's module by `python -m`, and take only `.py` off its name for that. */
function moduleOrFile(sent: SentCode, entryPoint: string): string {
  if (!isPackage(sent) || !entryPoint.endsWith(".py")) return entryPoint;
  return entryPoint.replace(/\.py$/, "").replaceAll("/", ".");
}

/**
 * Returns the directory of the code. If only the file sets it, it has to be in the app's repository.
 *
 * @throws MlcliError where it is no directory, or must not be sent; UsageError for one that is typed.
 */
export async function sourceAt(
  app: Parameters<typeof directoryNamed>[0],
  named: Setting<string>,
): Promise<Source> {
  const place = { named, option: "--source-dir", key: "source_dir" };
  return await directoryNamed(app, place, "the code");
}

/**
 * Requires that the code is there that an app's file names.
 *
 * @throws MlcliError as `sourceAt`, and where the entry point is not in it.
 */
export async function requireCode(
  app: Parameters<typeof sourceAt>[0],
  directory: string | undefined,
  entryPoint: string,
): Promise<void> {
  const where = `"source_dir" in ${app.name}.json`;
  const source = await sourceAt(app, { value: directory ?? ".", from: "file", where });
  requireEntryPoint(await codeIn([{ source }]), source, entryPointOf(entryPoint));
}
