import { type Deployment, type Request, Resource, type Variant } from "./resource.ts";

/** `EndpointStatus` */
export type EndpointStatus =
  | "Creating"
  | "InService"
  | "Updating"
  | "SystemUpdating"
  | "RollingBack"
  | "UpdateRollbackFailed"
  | "Failed"
  | "Deleting"
  | "OutOfService";

/** In these, nothing may be asked of an endpoint. */
const IN_PROGRESS: readonly EndpointStatus[] = [
  "Creating",
  "Updating",
  "SystemUpdating",
  "RollingBack",
  "Deleting",
];

/** Where its log is: `/aws/sagemaker/Endpoints/NAME`. */
const LOG_GROUP = "/aws/sagemaker/Endpoints/";

/**
 * An endpoint. It begins in Creating. `settle`, `fail`, `rollBack` end what goes on; CreateEndpoint,
 * UpdateEndpoint and DeleteEndpoint begin it (the constructor, `beginUpdate`, `beginDelete`).
 */
export class Endpoint extends Resource {
  #status: EndpointStatus = "Creating";
  /** Served, or while Creating about to be; `EndpointConfigName` is its configuration's. */
  current: Deployment;
  /** While Updating: what is to be served. */
  pending?: Deployment;
  failureReason?: string;
  lastModified: number;
  isGone = false;

  constructor(
    name: string,
    request: Request,
    deployment: Deployment,
    /** Called when it has been deleted. */
    private readonly onGone: (endpoint: Endpoint) => void = () => {},
  ) {
    super("endpoint", name, request, deployment.startTime);
    this.current = deployment;
    this.lastModified = deployment.startTime;
  }

  get status(): EndpointStatus {
    return this.#status;
  }

  get isInProgress(): boolean {
    return IN_PROGRESS.includes(this.#status);
  }

  /** What it serves. */
  get variants(): readonly Variant[] {
    return this.current.variants;
  }

  get logGroup(): string {
    return `${LOG_GROUP}${this.name}`;
  }

  /** The stream of an instance: `AllTraffic/i-0123456789abcdef0`. */
  logStream(instance: string, variant = this.variants[0]?.name ?? "AllTraffic"): string {
    return `${variant}/${instance}`;
  }

  /** UpdateEndpoint: the old deployment serves until `settle`. */
  beginUpdate(deployment: Deployment): void {
    this.pending = deployment;
    this.failureReason = undefined;
    this.enter("Updating");
  }

  /** DeleteEndpoint. `settle` makes it be gone. */
  beginDelete(): void {
    this.enter("Deleting");
  }

  /** Goes on to a status on the way: `RollingBack`, `SystemUpdating`. */
  enter(status: EndpointStatus): void {
    this.#status = status;
    this.lastModified = Date.now() / 1_000;
  }

  /** What goes on went well: it serves (what was pending, if something was), or is gone. */
  settle(): void {
    if (this.#status === "Deleting") {
      this.isGone = true;
      return this.onGone(this);
    }
    if (this.pending) this.current = this.pending;
    this.pending = undefined;
    for (const variant of this.variants) variant.settle();
    this.enter("InService");
  }

  /** Where nothing goes on: there are as many instances as are wanted. */
  follow(): void {
    if (this.#status === "InService") { for (const variant of this.variants) variant.settle(); }
  }

  /** Creating failed: only deleting it is left. */
  fail(reason?: string): void {
    this.#end("Failed", reason);
  }

  /** An update failed: it serves what it served before, and looks as if all were well. */
  rollBack(reason?: string): void {
    this.#end("InService", reason);
  }

  /** Not even going back went well. */
  failRollback(reason?: string): void {
    this.#end("UpdateRollbackFailed", reason);
  }

  #end(status: EndpointStatus, reason: string | undefined): void {
    this.pending = undefined;
    this.failureReason = reason?.slice(0, 1_024);
    this.enter(status);
  }
}
