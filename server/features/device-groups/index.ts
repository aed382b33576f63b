export { createGroups, type GroupServices } from './create-groups.ts'
export { groupJobs } from './jobs.ts'
export { dropStrays, groupsOf } from './memberships.ts'
export { groupRoutes } from './routes.ts'
