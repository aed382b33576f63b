import type { DynamicGroups } from './dynamic-groups.ts'
import type { GroupDevices } from './group-devices.ts'
import type { DeviceGroups } from './groups.ts'
import type { MembershipLog } from './membership-log.ts'

export interface GroupServices {
  dynamic: DynamicGroups
  membershipLog: MembershipLog
  groups: DeviceGroups
  devices: GroupDevices
}
