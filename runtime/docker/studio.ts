/**
 * SageMaker Studio's engine. It is behind a filter that allows one network, one version of the API, and
 * only the classic builder.
 *
 * Sources: aws/sagemaker-python-sdk (local/image.py; #5147), aws/amazon-sagemaker-feedback (#161,
 * #219), awslabs/awsome-distributed-ai (#753), aws-samples/amazon-sagemaker-local-mode (no BuildKit).
 */

import { join } from "@std/path/join";
import { LABELS } from "../contract/images.ts";
import { isObject } from "../text.ts";

/** The only network that containers and builds may have: the space's own, localhost included. */
export const STUDIO_NETWORK = "sagemaker";

/** The only version of the API. (A path without a version is redirected.) */
export const STUDIO_API = "1.41";

/** The fields of a container's body that are read or changed here. */
interface Body {
  readonly Env?: readonly string[];
  readonly Hostname?: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly ExposedPorts?: unknown;
  readonly HostConfig: {
    readonly ExtraHosts?: readonly string[];
    readonly NetworkMode?: string;
    readonly PortBindings?: Readonly<Record<string, readonly { readonly HostPort: string }[]>>;
  };
}

/**
 * The body of a container as Studio allows it: on the space's network, without names, ports and a host
 * name of its own. SageMaker's variable tells its server to listen on the port that would have been
 * published.
 */
export function studioBody(
  { Hostname: _name, ExposedPorts: _ports, Env = [], Labels, HostConfig, ...body }: Body,
): Body {
  const { ExtraHosts: _hosts, PortBindings = {}, ...others } = HostConfig;
  const [port] = Object.values(PortBindings).flat().map(({ HostPort }) => HostPort);
  const own = [
    // As the SDK's local mode has it.
    "SM_STUDIO_LOCAL_MODE=True",
    ...(port ? [`SAGEMAKER_BIND_TO_PORT=${port}`] : []),
  ];
  const names = own.map((variable) => variable.replace(/=.*/, "="));
  return {
    ...body,
    Env: [...Env.filter((variable) => !names.some((name) => variable.startsWith(name))), ...own],
    // Also when empty, or the image's label would count.
    Labels: { ...Labels, [LABELS.listens]: port ?? "" },
    HostConfig: { ...others, NetworkMode: STUDIO_NETWORK },
  };
}

/** The port of a container on this machine: the engine lists only ports that it publishes. */
export function studioPorts(
  { Labels, State }: {
    readonly Labels: Readonly<Record<string, string>>;
    readonly State: string;
  },
): readonly { readonly IP: string; readonly PublicPort: number }[] {
  const port = Labels[LABELS.listens] ?? "";
  const isOpen = State === "running" && /^[1-9]\d{0,4}$/.test(port);
  return isOpen ? [{ IP: "127.0.0.1", PublicPort: Number(port) }] : [];
}

/** The filter's refusals: how most begin, and words that others hold. */
const REFUSAL = /^Forbidden\. Reason: |not allowed on SageMaker Studio/;

/** What to do about a refusal in the filter's words; undefined for other words. */
export function studioHint(reason: string): string | undefined {
  if (!REFUSAL.test(reason)) return undefined;
  return reason.includes("[ValidateVPCOnlyModeImage]")
    ? "Use an image from an Amazon ECR account that the domain trusts, because the domain is VPC only. " +
      "Set it with --base-image, or base_image in NAME.json."
    : `See "SageMaker Studio" in mlcli's documentation: Studio restricts what Docker can do`;
}

/** An app of SageMaker Studio: JupyterLab, Code Editor, or a classic notebook's kernel. */
export interface Studio {
  /** `JupyterLab`, `CodeEditor`, `KernelGateway` */
  readonly appType: string;
  /** `d-0123456789ab`, where the file says it. */
  readonly domainId: string | undefined;
}

/** Where Studio says what it is, below the root of the file system. */
const METADATA = "opt/ml/metadata/resource-metadata.json";

/** The apps that have Studio's engine. */
const APP_TYPES: readonly unknown[] = ["KernelGateway", "CodeEditor", "JupyterLab"];

/**
 * The app of Studio that mlcli runs in; undefined elsewhere.
 *
 * Source: what AWS's SDK looks at (aws/sagemaker-python-sdk, local/utils.py, `check_for_studio`). A
 * notebook instance has the file, too, but no AppType, and an ordinary engine.
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

/** The hint to enable Docker. Source: AWS's guide, "Getting started with local mode". */
export function enablingHint({ domainId = "DOMAIN_ID" }: Studio): string {
  return "Enable Docker for the domain with this command, then restart this space: aws sagemaker " +
    `update-domain --domain-id ${domainId} --domain-settings-for-update ` +
    `'{"DockerSettings":{"EnableDockerAccess":"ENABLED"}}'`;
}
