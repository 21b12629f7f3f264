/**
 * Whose an image or a container of mlcli's is. A clone chooses its app's name, but not where it lies:
 * labels have both.
 *
 * @module
 */

import { MlcliError } from "../errors.ts";
import type { Marks } from "../images.ts";
import { LABELS } from "../labels.ts";
import { inOneLine } from "../text.ts";
import type { App } from "./app.ts";

/** What their labels say. */
export type OwnerLabels = Readonly<Record<string, string>> | null | undefined;

/** The labels of what is made for an app. */
export function ownerLabels({ name, mark }: Pick<App, "name" | "mark">): Record<string, string> {
  return { [LABELS.app]: name, [LABELS.directory]: mark };
}

/**
 * Whether it is another app's, or this one's of another directory or machine. What mlcli did not make
 * has no such labels, and is nobody's.
 */
export function strangerOf(
  { name, mark }: Pick<App, "name" | "mark">,
  labels: OwnerLabels,
): "app" | "directory" | undefined {
  const { [LABELS.app]: app, [LABELS.directory]: directory } = labels ?? {};
  if (!app) return undefined;
  if (app !== name) return "app";
  return directory && directory !== mark ? "directory" : undefined;
}

/**
 * What is to be said of an image that an app is to use.
 *
 * @param reference `name:tag`
 * @throws MlcliError where it is another app's.
 */
export function ownImageFinding(
  app: Pick<App, "name" | "mark">,
  reference: string,
  { Config }: Marks,
): { readonly message: string; readonly hint: string } | undefined {
  const stranger = strangerOf(app, Config?.Labels);
  if (stranger === undefined) return undefined;
  if (stranger === "directory") {
    return {
      message: `${reference} was built in another directory, or on another machine`,
      hint: "mlcli build, here, makes it of this directory's code.",
    };
  }
  throw new MlcliError(`${reference} is the image of another app: ${appOf(Config?.Labels)}`, {
    hint: `Another image_name in ${app.name}.json, or another --docker-tag, and mlcli build make ` +
      "one of this app.",
  });
}

/** The app that labels name, to be shown. */
export function appOf(labels: OwnerLabels): string {
  return inOneLine(labels?.[LABELS.app] ?? "");
}
