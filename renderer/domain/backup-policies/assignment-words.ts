import type { ChainEntry, PolicyAssignment } from '../../../shared/api/configuration-policies.ts'
import { osNames } from '../devices/device-labels.ts'

type Assigned = Pick<PolicyAssignment, 'level' | 'targetName' | 'roleFilter' | 'osFilter'>

/** Where a policy is assigned: “All of Berlin office”, “Site Warehouse”. */
export function assignmentWords({ level, targetName, roleFilter, osFilter }: Assigned): string {
  const name = targetName ?? '…'
  const place = {
    partner: 'The whole company',
    organization: `All of ${name}`,
    site: `Site ${name}`,
    device_group: `Group ${name}`,
    device: name,
  }[level]
  const only = [...(osFilter ?? []).map((os) => osNames[os]), ...(roleFilter ?? [])]
  return only.length > 0 ? `${place}, only ${only.join(', ')}` : place
}

/** Why an assignment does or does not decide about a device. */
export function outcomeWords({ outcome, policyStatus }: Pick<ChainEntry, 'outcome' | 'policyStatus'>): string {
  switch (outcome) {
    case 'won':
      return 'Applies'
    case 'overridden':
      return 'Another one is closer to the device, or goes first'
    case 'policy_inactive':
      return policyStatus === 'archived' ? 'The policy is archived' : 'The policy is off'
    case 'role_mismatch':
      return 'Not for devices of this role'
    case 'os_mismatch':
      return 'Not for this operating system'
    case 'no_settings':
      return 'The policy says nothing about backups'
  }
}
