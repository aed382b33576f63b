import type { DeviceGroup, GroupMember, MembershipLogEntry } from '../../../shared/api/device-groups.ts'

export const groupTypeNames: Record<DeviceGroup['type'], string> = { static: 'Manual', dynamic: 'Rule' }

export const originNames = ({ isPinned, addedBy }: Pick<GroupMember, 'isPinned' | 'addedBy'>): string =>
  isPinned ? 'Pinned' : { manual: 'Manual', dynamic_rule: 'By rule', policy: 'By policy' }[addedBy]

export const membershipActionNames: Record<MembershipLogEntry['action'], string> = {
  added: 'Added',
  removed: 'Removed',
  pinned: 'Pinned',
  unpinned: 'Unpinned',
}

export function membershipReasonText({
  action,
  reason,
  changedByName,
}: Pick<MembershipLogEntry, 'action' | 'reason' | 'changedByName'>): string {
  if (reason === 'filter_match') return 'Matches the rule'
  if (reason === 'filter_unmatch') return 'No longer matches the rule'
  // Without an actor, the device left because it moved to another site.
  if (changedByName === null) return 'It moved to another site'
  return action === 'added' && reason === 'pinned' ? `Pinned by ${changedByName}` : `By ${changedByName}`
}
