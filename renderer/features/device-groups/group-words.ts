import type { DeviceGroup, GroupMember } from '../../../shared/api/device-groups.ts'

export const groupTypeWords: Record<DeviceGroup['type'], string> = { static: 'By hand', dynamic: 'By rule' }

export const originWords = ({ isPinned, addedBy }: Pick<GroupMember, 'isPinned' | 'addedBy'>): string =>
  isPinned ? 'Pinned' : { manual: 'By hand', dynamic_rule: 'By rule', policy: 'By a policy' }[addedBy]
