/**
 * What the engine of SageMaker Studio wants to be different: it stands behind a filter, which takes
 * one network, one version of the API, and no other builder than the classic one.
 *
 * Sources: aws/sagemaker-python-sdk (local/image.py; #5147), aws/amazon-sagemaker-feedback (#161,
 * #219), awslabs/awsome-distributed-ai (#753), aws-samples/amazon-sagemaker-local-mode (no BuildKit).
 */

import { join } from "@std/path/join";
import { LABELS } from "../contract/images.ts";
import { isObject } from "../text.ts";

/** The only network that containers and builds may have: the space's own, localhost included. */
export const STUDIO_NETWORK = "sagemaker";

/** The only version of the API: a path without one is answered by a redirection. */
export const STUDIO_API = "1.41";

/** What of a container's body is looked at here. */
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
 * The body of a container as Studio takes it: on the space's network, whose names, ports and host
 * name are not the container's. Its server gets the port that it would have been published on, by the
 * variable that SageMaker names one with.
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
    // Always, or it would be that of the image.
    Labels: { ...Labels, [LABELS.listens]: port ?? "" },
    HostConfig: { ...others, NetworkMode: STUDIO_NETWORK },
  };
}

/** The ports of a container on this machine: the engine lists those that it publishes alone. */
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

/** Words of the filter: the beginning of most refusals, and what it says of other resources. */
const REFUSAL = /^Forbidden\. Reason: |not allowed on SageMaker Studio/;

/** What to do about a refusal in the filter's words; undefined for other words. */
export function studioHint(reason: string): string | undefined {
  if (!REFUSAL.test(reason)) return undefined;
  return reason.includes("[ValidateVPCOnlyModeImage]")
    ? "In this domain (VPC only), images come from Amazon ECR, of accounts that the domain trusts: " +
      "--base-image, or base_image in the app's NAME.json, names one."
    : "This is a rule of SageMaker Studio's Docker; docs/studio.md has those that are known.";
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

/** Those that have an engine behind Studio's rules. */
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

/** How Docker gets enabled, as a hint. Source: AWS's guide, "Getting started with local mode". */
export function enablingHint({ domainId = "DOMAIN_ID" }: Studio): string {
  return "Docker has to be enabled for the domain: aws sagemaker update-domain " +
    `--domain-id ${domainId} --domain-settings-for-update ` +
    `'{"DockerSettings":{"EnableDockerAccess":"ENABLED"}}'. It holds for spaces that are started ` +
    "afterwards: stop and start this one.";
}
