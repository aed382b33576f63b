export { createDeviceGroups } from './create-device-groups.ts'
export { groupsOf, removeForeignMemberships } from './memberships.ts'
