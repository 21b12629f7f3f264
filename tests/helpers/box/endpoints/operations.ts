import type { AccessKey } from "../account.ts";
import { emptyAnswer, jsonAnswer } from "../answers.ts";
import { checkRole, findImage } from "../jobs/checks.ts";
import type { JobPlatform } from "../jobs/platform.ts";
import type { BoxRequest, Permission } from "../service.ts";
import { checkInput } from "../validation.ts";
import {
  checkConfiguration,
  checkModelData,
  checkPolicy,
  checkQuota,
  checkSwitch,
  checkUpdate,
  deploymentOf,
  withoutImage,
} from "./checks.ts";
import {
  describeConfiguration,
  describeEndpoint,
  describeModel,
  listEndpoints,
  listModels,
} from "./describe.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointChange, EndpointStore } from "./endpoint_store.ts";
import type { EndpointRunner } from "./invocations.ts";
import {
  arnOf,
  type Deployment,
  type Request,
  type Resource,
  type ResourceKind,
} from "./resource.ts";
import { ENDPOINT_RULES } from "./rules.ts";
import { alreadyThere, inProgress, NO_CAPACITY, noImage, notFound } from "./words.ts";

/** SageMaker, as far as endpoints go. */
export class EndpointOperations implements AsyncDisposable {
  constructor(
    private readonly services: JobPlatform,
    readonly store: EndpointStore,
    /** Roles that trust SageMaker. */
    private readonly roles: ReadonlySet<string>,
    /** What makes endpoints run; without it they go on as their scripts say. */
    readonly runner?: EndpointRunner,
  ) {}

  /** Whether it has that operation. */
  has(operation: string): boolean {
    return ENDPOINT_RULES[operation] !== undefined;
  }

  permission({ operation, input }: BoxRequest): Permission {
    const action = `sagemaker:${operation}`;
    const { kind, name } = subjectOf(operation, input);
    const isOne = !operation.startsWith("List") && typeof name === "string";
    return { action, resource: isOne ? arnOf(kind, name) : "*" };
  }

  /** @throws Refused */
  handle(request: BoxRequest): Response {
    const { operation, input, key } = request;
    checkInput(ENDPOINT_RULES[operation]!, input);
    switch (operation) {
      case "CreateModel":
        return this.#createModel(input, key);
      case "CreateEndpointConfig":
        return this.#createConfiguration(input, key);
      case "CreateEndpoint":
        return this.#createEndpoint(input, key);
      case "UpdateEndpoint":
        return this.#updateEndpoint(input, key);
      case "DeleteEndpoint":
        return this.#deleteEndpoint(this.#endpoint(input));
      case "DescribeEndpoint":
        return this.#describeEndpoint(this.#endpoint(input));
      case "ListEndpoints":
        return jsonAnswer(listEndpoints(this.store.endpoints.values(), input));
      case "ListModels":
        return jsonAnswer(listModels(this.store.models.values(), input));
      case "DescribeModel":
        return jsonAnswer(describeModel(this.#found("model", this.store.models, input)));
      case "DescribeEndpointConfig":
        return jsonAnswer(describeConfiguration(this.#configuration(input)));
      case "DeleteModel":
        this.store.models.delete(this.#found("model", this.store.models, input).name);
        return emptyAnswer();
      default:
        // DeleteEndpointConfig. It is not refused while an endpoint uses it.
        this.store.configurations.delete(this.#configuration(input).name);
        return emptyAnswer();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runner?.[Symbol.asyncDispose]();
  }

  #createModel(input: Request, key: AccessKey): Response {
    const { ModelName: name, PrimaryContainer: container, ExecutionRoleArn: role } = input;
    this.#checkNew("model", this.store.models, input, key);
    checkRole(role, { services: this.services, roles: this.roles, key });
    checkModelData(container, role, this.services.s3);
    findImage(container.Image, { services: this.services });
    return jsonAnswer({ ModelArn: this.store.addModel(name, input).arn });
  }

  #createConfiguration(input: Request, key: AccessKey): Response {
    this.#checkNew("endpoint-config", this.store.configurations, input, key);
    const models = input.ProductionVariants.map(({ ModelName }: Request) =>
      this.#found("model", this.store.models, { ModelName })
    );
    checkConfiguration(input, models);
    const { arn } = this.store.addConfiguration(input.EndpointConfigName, input);
    return jsonAnswer({ EndpointConfigArn: arn });
  }

  #createEndpoint(input: Request, key: AccessKey): Response {
    this.#checkNew("endpoint", this.store.endpoints, input, key);
    this.#checkBoth("CreateEndpoint", input, key);
    const policy = input.DeploymentConfig;
    const { store, services: { ecr } } = this;
    const deployment = deploymentOf(this.#configuration(input), policy, store, ecr);
    this.#checkDeployment(deployment);
    const endpoint = store.addEndpoint(input.EndpointName, input, deployment);
    if (this.runner) this.runner.start(endpoint);
    else this.#begin(endpoint, deployment, { end: "Failed" });
    return jsonAnswer({ EndpointArn: endpoint.arn });
  }

  #updateEndpoint(input: Request, key: AccessKey): Response {
    const endpoint = this.#endpoint(input);
    this.#checkBoth("UpdateEndpoint", input, key);
    const configuration = this.#configuration(input);
    checkUpdate(endpoint, input);
    const { store, services: { ecr } } = this;
    const policy = input.DeploymentConfig;
    const except = (input.ExcludeRetainedVariantProperties ?? []).map((one: Request) =>
      one.VariantPropertyType
    );
    const retained = input.RetainAllVariantProperties === true
      ? { from: endpoint.current, except }
      : undefined;
    const deployment = deploymentOf(configuration, policy, store, ecr, retained);
    checkSwitch(endpoint.current, deployment);
    this.#checkDeployment(deployment);
    endpoint.beginUpdate(deployment);
    if (this.runner) this.runner.update(endpoint);
    else this.#begin(endpoint, deployment, { rollback: true });
    return jsonAnswer({ EndpointArn: endpoint.arn });
  }

  #deleteEndpoint(endpoint: Endpoint): Response {
    if (endpoint.isInProgress) throw inProgress(endpoint);
    endpoint.beginDelete();
    if (this.runner) this.runner.delete(endpoint);
    else this.store.begin(endpoint);
    return emptyAnswer();
  }

  #describeEndpoint(endpoint: Endpoint): Response {
    const answer = jsonAnswer(describeEndpoint(endpoint));
    if (!this.runner) this.store.advance(endpoint);
    return answer;
  }

  /** Both operations are about the endpoint and its configuration; IAM is asked about both. */
  #checkBoth(operation: string, { EndpointConfigName }: Request, key: AccessKey): void {
    const resource = arnOf("endpoint-config", EndpointConfigName);
    this.#allow({ action: `sagemaker:${operation}`, resource }, key);
  }

  #checkDeployment(deployment: Deployment): void {
    checkPolicy(deployment.policy);
    checkQuota(deployment, this.services.platform.faults);
  }

  /** Of an endpoint that does not run: its script counts, or else how a deployment fails. */
  #begin(endpoint: Endpoint, deployment: Deployment, failed: EndpointChange): void {
    const reason = this.#obstacle(deployment);
    this.store.begin(endpoint, reason === undefined ? undefined : [{ ...failed, reason }]);
  }

  /** Why a deployment fails that does not run; `undefined` where nothing is in its way. */
  #obstacle(deployment: Deployment): string | undefined {
    const { platform: { faults }, ecr } = this.services;
    const variant = withoutImage(deployment, ecr);
    if (variant) return noImage(variant.name);
    const hasInstances = deployment.variants.some(({ isServerless }) => !isServerless);
    return hasInstances && !faults.hasCapacity ? NO_CAPACITY : undefined;
  }

  #checkNew(
    kind: ResourceKind,
    all: ReadonlyMap<string, Resource>,
    input: Request,
    key: AccessKey,
  ): void {
    const name = nameIn(kind, input);
    const resource = arnOf(kind, name);
    if (input.Tags?.length > 0) this.#allow({ action: "sagemaker:AddTags", resource }, key);
    if (all.has(name)) throw alreadyThere(kind, name);
  }

  #allow(permission: Permission, key: AccessKey): void {
    const denial = this.services.platform.faults.denial(permission, key);
    if (denial) throw denial;
  }

  #endpoint(input: Request): Endpoint {
    return this.#found("endpoint", this.store.endpoints, input);
  }

  #configuration(input: Request) {
    return this.#found("endpoint-config", this.store.configurations, input);
  }

  #found<T extends Resource>(kind: ResourceKind, all: ReadonlyMap<string, T>, input: Request): T {
    const found = all.get(nameIn(kind, input));
    if (found) return found;
    throw notFound(kind, nameIn(kind, input));
  }
}

function subjectOf(operation: string, input: Request): { kind: ResourceKind; name: unknown } {
  const kind: ResourceKind = /Models?$/.test(operation)
    ? "model"
    : /Configs?$/.test(operation)
    ? "endpoint-config"
    : "endpoint";
  return { kind, name: nameIn(kind, input) };
}

function nameIn(kind: ResourceKind, input: Request): string {
  if (kind === "model") return input.ModelName;
  return kind === "endpoint" ? input.EndpointName : input.EndpointConfigName;
}
