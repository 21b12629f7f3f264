import type { AccessKey } from "./account.ts";
import { assumedRole, sessionToken, xmlElement } from "./answers.ts";
import {
  accountOf,
  type BoxRequest,
  type Permission,
  type Platform,
  Refused,
  type Service,
  Unexpected,
} from "./service.ts";

/** STS of one box. */
export class Sts implements Service {
  /** How long (s) a session is said to last; without it, as long as was asked for. */
  sessionLasts?: number;
  #sessions = 0;

  constructor(private readonly platform: Platform) {}

  permission({ operation, input }: BoxRequest): Permission {
    return { action: `sts:${operation}`, resource: input.RoleArn ?? "*" };
  }

  handle(request: BoxRequest): Response {
    switch (request.operation) {
      case "AssumeRole":
        return this.#assumeRole(request);
      case "GetSessionToken":
        return this.#sessionToken(request);
      case "GetCallerIdentity":
        return callerIdentity(request.key);
      default:
        throw new Unexpected(`Not expected: sts:${request.operation}`);
    }
  }

  #sessionToken({ key, input }: BoxRequest): Response {
    if (key.token !== undefined) {
      throw new Refused(
        "AccessDenied",
        "Cannot call GetSessionToken with session credentials",
        403,
      );
    }
    const number = String(++this.#sessions).padStart(4, "0");
    const session: AccessKey = {
      id: `ASIASESSIONSESSI${number}`,
      secret: `session-secret-that-nobody-may-see-0${number}`,
      token: `session-token-that-nobody-may-see-00${number}`,
      user: key.user,
    };
    this.platform.keys.set(session.id, session);
    return sessionToken(session, this.#endIn(Number(input.DurationSeconds ?? 43_200)));
  }

  #endIn(seconds: number): string {
    return new Date(Date.now() + (this.sessionLasts ?? seconds) * 1000).toISOString();
  }

  #assumeRole({ key, input }: BoxRequest): Response {
    const { RoleArn = "", RoleSessionName = "", DurationSeconds = "3600" } = input;
    if (!/^[\w+=,.@-]{2,64}$/.test(RoleSessionName)) {
      throw new Refused(
        "ValidationError",
        `1 validation error detected: Value '${RoleSessionName}' at 'roleSessionName' failed to ` +
          "satisfy constraint: Member must satisfy regular expression pattern: [\\w+=,.@-]*",
      );
    }
    const seconds = Number(DurationSeconds);
    if (!(seconds >= 900 && seconds <= 43_200)) {
      throw new Refused(
        "ValidationError",
        `1 validation error detected: Value '${DurationSeconds}' at 'durationSeconds' failed to ` +
          "satisfy constraint: Member must have value greater than or equal to 900",
      );
    }
    if (!this.platform.roles.has(RoleArn)) {
      throw new Refused(
        "AccessDenied",
        `User: ${key.user} is not authorized to perform: sts:AssumeRole on resource: ${RoleArn}`,
        403,
      );
    }
    const [account, name] = [RoleArn.split(":")[4], RoleArn.slice(RoleArn.lastIndexOf("/") + 1)];
    const number = String(++this.#sessions).padStart(4, "0");
    const session: AccessKey = {
      id: `ASIAROLEROLEROLE${number}`,
      secret: `role-secret-that-nobody-may-see-0000${number}`,
      token: `role-token-that-nobody-may-see-00000${number}`,
      user: `arn:aws:sts::${account}:assumed-role/${name}/${RoleSessionName}`,
    };
    this.platform.keys.set(session.id, session);
    return assumedRole(session, RoleSessionName, this.#endIn(seconds));
  }
}

function callerIdentity(key: AccessKey): Response {
  return new Response(
    `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">` +
      `<GetCallerIdentityResult>${xmlElement("Arn", key.user)}` +
      `${xmlElement("UserId", key.id.replace(/^AKIA?/, "AIDA"))}` +
      `${xmlElement("Account", accountOf(key))}</GetCallerIdentityResult>` +
      `<ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></GetCallerIdentityResponse>`,
    { headers: { "content-type": "text/xml" } },
  );
}
