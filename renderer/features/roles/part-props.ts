import type { RoleDetail, RoleRow } from '../../../shared/api/roles.ts'
import type { Draft } from './draft.ts'

/** What every tab of a role's page is given. */
export interface PartProps {
  role: RoleDetail
  roles: readonly RoleRow[]
  draft: Draft
  /** Nothing can be changed by who reads this. */
  isClosed: boolean
  onChange: (draft: Draft) => void
}
