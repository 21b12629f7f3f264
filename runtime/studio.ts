/**
 * Whether mlcli runs in an app of SageMaker Studio: JupyterLab, Code Editor, or a classic notebook's
 * kernel.
 *
 * Source: what AWS's SDK looks at (aws/sagemaker-python-sdk, local/utils.py, `check_for_studio`). A
 * notebook instance has the file, too, but no AppType, and an ordinary engine.
 *
 * @module
 */

import { join } from "@std/path/join";
import { isObject } from "./json.ts";

/** An app of Studio. */
export interface Studio {
  /** `JupyterLab`, `CodeEditor`, `KernelGateway` */
  readonly appType: string;
  /** `d-0123456789ab`, where the file says it. */
  readonly domainId: string | undefined;
}

/** Where Studio says what it is, below the root of the file system. */
const METADATA = "opt/ml/metadata/resource-metadata.json";

/** Those that have an engine behind Studio's rules. */
const APP_TYPES: readonly unknown[] = ["KernelGateway", "CodeEditor", "JupyterLab"];

/**
 * The app of Studio that this is; undefined elsewhere.
 *
 * @param root of the file system: `/`.
 */
export function studioAt(root: string): Studio | undefined {
  let metadata: unknown;
  try {
    // For an asynchronous call, a program that has made none yet starts threads: 2 ms.
    metadata = JSON.parse(Deno.readTextFileSync(join(root, METADATA)));
  } catch {
    return undefined; // not there, or somebody else's
  }
  if (!isObject(metadata) || !APP_TYPES.includes(metadata["AppType"])) return undefined;
  const domain = metadata["DomainId"];
  const isDomain = typeof domain === "string" && /^d-[A-Za-z0-9-]{1,61}$/.test(domain);
  return { appType: metadata["AppType"] as string, domainId: isDomain ? domain : undefined };
}

/** How Docker gets enabled, as a hint. Source: AWS's guide, "Getting started with local mode". */
export function enablingHint({ domainId = "DOMAIN_ID" }: Studio): string {
  return "Docker has to be enabled for the domain: aws sagemaker update-domain " +
    `--domain-id ${domainId} --domain-settings-for-update ` +
    `'{"DockerSettings":{"EnableDockerAccess":"ENABLED"}}'. It holds for spaces that are started ` +
    "afterwards: stop and start this one.";
}
