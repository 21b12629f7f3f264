import { assertEquals } from "@std/assert";
import {
  type EngineInfo,
  isRootless,
  remapsUsers,
  unlimitedBy,
  usesSelinux,
} from "../../../runtime/docker/engine_info.ts";
import { it, suite } from "../../helpers/suite.ts";

/** What they say, as far as it matters, and what is true of them. */
const ENGINES: readonly (readonly [
  title: string,
  info: EngineInfo,
  truth: readonly string[],
])[] = [
  [
    "Docker 20.10",
    {
      SecurityOptions: ["name=seccomp,profile=default"],
      MemoryLimit: true,
      CpuCfsQuota: true,
      CgroupVersion: "1",
    },
    [],
  ],
  [
    "Docker 20.10, --userns-remap",
    { SecurityOptions: ["name=seccomp,profile=default", "name=userns"] },
    ["remaps users"],
  ],
  [
    "Docker 20.10, rootless, without cgroups",
    {
      SecurityOptions: ["name=seccomp,profile=default", "name=rootless"],
      MemoryLimit: false,
      CpuCfsQuota: false,
      PidsLimit: false,
      CgroupVersion: "1",
    },
    ["rootless", "no memory", "no cpus", "no processes"],
  ],
  [
    "Podman 4.3, rootless, with cgroup v1",
    {
      SecurityOptions: ["name=seccomp,profile=default"],
      Rootless: true,
      MemoryLimit: true,
      CpuCfsQuota: true,
      CgroupVersion: "1",
    },
    ["rootless", "no memory", "no cpus", "no processes"],
  ],
  [
    "Podman 5, rootless, on Fedora",
    {
      SecurityOptions: ["name=seccomp,profile=default", "name=rootless", "name=selinux"],
      Rootless: true,
      MemoryLimit: true,
      CpuCfsQuota: true,
      CgroupVersion: "2",
    },
    ["rootless", "SELinux"],
  ],
  [
    "Docker on Fedora",
    { SecurityOptions: ["name=seccomp,profile=builtin", "name=selinux", "name=cgroupns"] },
    ["SELinux"],
  ],
  ["one with a profile of such a name", {
    SecurityOptions: ["name=seccomp,profile=/etc/name=userns.json", "name=apparmor"],
  }, []],
  ["one that says nothing", {}, []],
];

suite("what an engine says of itself", () => {
  for (const [title, info, truth] of ENGINES) {
    it(`is understood: ${title}`, () => {
      assertEquals([
        ...(isRootless(info) ? ["rootless"] : []),
        ...(remapsUsers(info) ? ["remaps users"] : []),
        ...(usesSelinux(info) ? ["SELinux"] : []),
        ...unlimitedBy(info).map((limit) => `no ${limit}`),
      ], truth);
    });
  }
});
