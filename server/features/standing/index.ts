export { organizationMeant } from './meant.ts'
export {
  assertNoMergeInto,
  assertNotFrozen,
  frozenBecause,
  grantedOrganization,
  isGranted,
  isGrantedTo,
  isNotFrozen,
  type OrganizationRow,
  operableOrganization,
  writableOrganization,
} from './standing.ts'
