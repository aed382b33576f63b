export { createDeviceGroups } from './create-device-groups.ts'
export { dropStrays, groupsOf } from './memberships.ts'
