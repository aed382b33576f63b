export { resolveOrganization } from './organization-of-call.ts'
export {
  assertOwnerWritable,
  isOwnerAbove,
  isOwnerSeen,
  type Owner,
  ownerToBe,
  partnerOfOwner,
} from './owner.ts'
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
