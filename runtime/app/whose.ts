/**
 * Whose an image of mlcli's is. A clone chooses its app's name, but not where it lies: labels have both.
 *
 * @module
 */

import { LABELS, type Marks } from "../contract/images.ts";
import { MlcliError } from "../errors.ts";
import { inOneLine } from "../text.ts";
import type { App } from "./app.ts";

/** The labels of what is made for an app. */
export function ownerLabels({ name, mark }: Pick<App, "name" | "mark">): Record<string, string> {
  return { [LABELS.app]: name, [LABELS.directory]: mark };
}

/**
 * Whether what is labelled so was made in another directory, or on another machine; not where that is not
 * known.
 */
export function isElsewhere(directory: string | undefined, mark: string): boolean {
  return Boolean(directory) && directory !== mark;
}

/**
 * Requires that an image that an app is to use, or to replace, is not another app's. Without labels it is
 * nobody's.
 *
 * @param reference `name:tag`
 * @throws MlcliError
 */
export function requireOwnImage(
  { name }: Pick<App, "name">,
  reference: string,
  { Config }: Marks,
): void {
  const { [LABELS.app]: app } = Config?.Labels ?? {};
  if (!app || app === name) return;
  throw new MlcliError(`${reference} is the image of another app: ${inOneLine(app)}`, {
    hint: `Another image_name in ${name}.json, or another --docker-tag, leaves it alone; ` +
      "mlcli build --replace gives its name to this app's.",
  });
}

/** What is to be said of an app's image that was built in another directory. */
export function elsewhereFinding(
  { mark }: Pick<App, "mark">,
  reference: string,
  { Config }: Marks,
): { readonly message: string; readonly hint: string } | undefined {
  const { [LABELS.app]: app, [LABELS.directory]: directory } = Config?.Labels ?? {};
  if (!app || !isElsewhere(directory, mark)) return undefined;
  return {
    message: `${reference} was built in another directory, or on another machine`,
    hint:
      "mlcli build makes it of the code that is here; another image_name, or --docker-tag, leaves " +
      "that image alone.",
  };
}

/**
 * What is to be said of a base image that is here: that mlcli built it of another app, which may have any
 * image's name. Nobody then asks a registry for that image.
 */
export function baseImageFinding(
  { name, mark }: Pick<App, "name" | "mark">,
  reference: string,
  { Config }: Marks,
): string | undefined {
  const { [LABELS.app]: app, [LABELS.directory]: directory } = Config?.Labels ?? {};
  if (!app || app === name && !isElsewhere(directory, mark)) return undefined;
  return `The base image ${reference} was built by mlcli, of the app ${inOneLine(app)}. ` +
    `If you mean the registry's: docker pull ${reference}`;
}
