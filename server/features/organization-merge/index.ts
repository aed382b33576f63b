export { createOrganizationMerge } from './create-organization-merge.ts'
