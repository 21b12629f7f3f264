import { findApp } from "../../runtime/app/app.ts";
import { filesLabel } from "../../runtime/app/sources.ts";
import { LABELS } from "../../runtime/contract/images.ts";

type Labels = Readonly<Record<string, string>>;

/** Labels of an image, with the one that `mlcli build` adds for an app's files as they are. */
export async function withFilesLabel(
  { directory, name }: { readonly directory: string; readonly name: string },
  labels: Labels = {},
): Promise<Labels> {
  const app = await findApp(directory, name);
  const { label } = await filesLabel(app, { Config: { Labels: labels } });
  return { ...labels, [LABELS.files]: label };
}

/** The label of an image of no files: all files of an app differ from it. */
export const NO_FILES: Labels = { [LABELS.files]: "{}" };
