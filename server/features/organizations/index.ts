export { createOrganizations } from './create-organizations.ts'
