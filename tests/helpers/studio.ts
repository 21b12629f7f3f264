/**
 * An app of SageMaker Studio on this machine: the real engine behind a filter that has the rules of
 * Studio's, and a user whose programs find the files that a space has.
 *
 * Of the filter is known what issues and samples quote (`runtime/docker/studio.ts` names them). That
 * it is deaf to `docker exec` and to other networks: a sample that runs `docker compose` there. What
 * nobody quotes is left to the engine, which is strict enough: on the network of another container,
 * as the space's is here, a container has no host name, no names and no published ports of its own.
 */

import { dirname, join } from "@std/path";
import type { CreateBody } from "../../runtime/docker/engine.ts";
import { TEST_IMAGE, withEngine } from "./engine.ts";
import { type EngineFront, engineFront, type Fate, type FrontCall } from "./engine_front.ts";
import { type OtherUser, otherUser } from "./other_user.ts";

/** What a filter lets pass. */
interface Rules {
  /** Id of the container whose network is the space's. */
  readonly space: string;
  /** The directory of the engine's machine that the space has as its home. */
  readonly home: () => string;
  /** Whether images come from Amazon ECR alone. */
  readonly vpcOnly: boolean;
}

/** The filter's words. They come as text that holds JSON. */
function forbidden(message: string): Fate {
  const headers = { "Content-Type": "text/plain" };
  return { answer: { status: 403, headers, body: JSON.stringify({ message }) } };
}

const NOT_ALLOWED = "The request for current resource is not allowed on SageMaker Studio.";

/** What becomes of a call there. */
function fateOf(call: FrontCall, rules: Rules): Fate {
  const { version } = call;
  if (version === "") {
    // Where that leads is not known: nobody is to go there.
    const headers = { Location: "http://192.0.2.2/" };
    return { answer: { status: 301, headers, body: "Moved Permanently" } };
  }
  if (version !== "/v1.41") {
    const message = `client version ${version.slice(2)} is not 1.41`;
    return { answer: { status: 400, body: JSON.stringify({ message }) } };
  }
  if (call.call === "POST /containers/create") return created(call, rules);
  if (call.call === "POST /build") return built(call, rules);
  const image = call.query.get("fromImage");
  if (call.call === "POST /images/create" && image !== null && rules.vpcOnly && !isEcr(image)) {
    return notEcr(image);
  }
  const isOther = /\/exec\b|^POST \/networks|^(GET|DELETE) \/networks\/./.test(call.call);
  return isOther ? forbidden(NOT_ALLOWED) : "pass";
}

function created({ body }: FrontCall, { space, home }: Rules): Fate {
  const plan = body as CreateBody & { readonly HostConfig: { readonly Privileged?: boolean } };
  const { NetworkMode, Privileged, Mounts } = plan.HostConfig;
  const usage = "Forbidden. Reason: [ContainerCreate] SageMaker Studio Docker Usage";
  if (Privileged) return forbidden(`${usage} does not allow privileged mode execution`);
  if (NetworkMode !== "sagemaker") {
    return forbidden(`${usage} only allows 'sagemaker' as network input`);
  }
  // The engine's machine has the home directory alone in common with the space.
  const outside = (Mounts ?? []).find(({ Type, Source }) =>
    Type === "bind" && !`${Source}/`.startsWith(`${home()}/`)
  );
  if (outside) {
    const message = 'invalid mount config for type "bind": bind source path does not exist: ' +
      outside.Source;
    return { answer: { status: 400, body: JSON.stringify({ message }) } };
  }
  const HostConfig = { ...plan.HostConfig, NetworkMode: `container:${space}` };
  return { changed: { body: { ...plan, HostConfig } } };
}

function built({ query }: FrontCall, { space, vpcOnly }: Rules): Fate {
  if (query.get("networkmode") !== "sagemaker") {
    return forbidden(
      "Forbidden. Reason: [ImageBuild] 'sagemaker' is the only user allowed network input",
    );
  }
  const { BASE_IMAGE = "scratch" } = JSON.parse(query.get("buildargs") ?? "{}");
  if (vpcOnly && !isEcr(BASE_IMAGE)) return notEcr(BASE_IMAGE);
  const changed = new URLSearchParams(query);
  changed.set("networkmode", `container:${space}`);
  return { changed: { query: changed } };
}

function isEcr(image: string): boolean {
  return /^\d{12}\.dkr\.ecr\.[a-z0-9-]+\.amazonaws\.com\//.test(image);
}

function notEcr(image: string): Fate {
  return forbidden(
    `Forbidden. Reason: [ValidateVPCOnlyModeImage] Image ${image} is not an ECR Image. Studio VPC ` +
      "Only Mode allows Amazon ECR private registry Images belonging to trusted AWS Account IDs " +
      "configured in Studio Domain API Settings",
  );
}

/** A space of Studio. */
export interface StudioSpace extends AsyncDisposable {
  readonly filter: EngineFront;
  /** Its user, below whose home apps lie. */
  readonly user: OtherUser;
  /** From now on, images come from Amazon ECR alone. */
  requireEcr(isOnly: boolean): void;
}

/** Where Studio's apps have the file by which they are known. */
const METADATA = "/opt/ml/metadata";

/** Makes a space. Root has to run the tests: its user sees a file system of its own. */
export async function studioSpace(): Promise<StudioSpace> {
  const space = await startSpace();
  let home = "";
  let vpcOnly = false;
  const filter = await engineFront((call) => fateOf(call, { space, home: () => home, vpcOnly }));
  const metadata = await Deno.makeTempDir({ prefix: "mlcli-studio-" });
  const said = { AppType: "JupyterLab", DomainId: "d-abcdef012345", SpaceName: "mine" };
  await Deno.writeTextFile(join(metadata, "resource-metadata.json"), JSON.stringify(said));
  await Deno.mkdir(METADATA, { recursive: true });
  for (const folder of [metadata, join(filter.socket, "..")]) await Deno.chmod(folder, 0o755);
  await Deno.chmod(filter.socket, 0o666);
  const user = await otherUser({
    within: [
      ...["unshare", "--mount", "--", "sh", "-c", 'mount --bind "$1" "$2" && shift 2 && exec "$@"'],
      ...["sh", metadata, METADATA],
    ],
    env: filter.env,
  });
  home = user.home;
  return {
    filter,
    user,
    requireEcr: (isOnly) => void (vpcOnly = isOnly),
    async [Symbol.asyncDispose](): Promise<void> {
      await user[Symbol.asyncDispose]();
      await filter[Symbol.asyncDispose]();
      await Deno.remove(metadata, { recursive: true });
      // Where nothing is in it: the machine may have one of its own.
      for (const path of [METADATA, dirname(METADATA)]) await Deno.remove(path).catch(() => {});
      await withEngine((engine) => engine.removeContainer(space));
    },
  };
}

/** The container that Studio's app is in: on this machine's network, as the tests are. */
async function startSpace(): Promise<string> {
  const body = {
    Image: TEST_IMAGE,
    Entrypoint: ["sleep"],
    Cmd: ["600"],
    Hostname: "sagemaker-local",
    Labels: {},
    HostConfig: {
      AutoRemove: true,
      Init: true,
      NetworkMode: "host",
      ExtraHosts: ["sagemaker-local:127.0.0.1"],
      Mounts: [],
    },
  };
  const name = `mlcli-test-space-${crypto.randomUUID().slice(0, 8)}`;
  return await withEngine(async (engine) => {
    const id = await engine.createContainer(name, body);
    await engine.startContainer(id);
    return id;
  });
}
