/**
 * The disks of instances.
 *
 * @module
 */

/**
 * Families with disks of their own (NVMe), which a job's data lies on: the size that is asked for is
 * ignored, and a key for them is refused. CreateTrainingJob, `ResourceConfig`: "You can't request a
 * VolumeKmsKeyId when using an instance type with local storage". A `d` after the generation says so
 * (m5d, g4dn, p4d); these have one without it. Source: EC2 user guide, "Instance store volumes".
 */
const WITH_DISKS = /^(g5|g6e?|gr6|g7e?|p5(e|en)?|p6[a-z-]*|trn1n?|trn2u?|i[34].*)$/;

/** Whether an instance type has disks of its own: `ml.g5.xlarge`. */
export function hasOwnDisk(instanceType: string): boolean {
  const family = instanceType.split(".")[1] ?? "";
  return WITH_DISKS.test(family) || /^[a-z]+\d+[a-ce-z]*d[a-z]*$/.test(family);
}
