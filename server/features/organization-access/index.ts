export { resolveOrganization } from './organization-of-call.ts'
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
} from './writable.ts'
