import type { Generated } from 'kysely'
import type { MergeResult } from '../../../shared/api/organization-merge.ts'
import { type Flag, table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface OrgMergeEventTable {
  id: string
  partner_id: string
  loser_org_id: string
  loser_org_name: string
  survivor_org_id: string
  actor_user_id: string | null
  summary: JsonText<Pick<MergeResult, 'tables' | 'warnings'>>
  created_at: string
}

/** Columns of any table, by name. */
export type RowBefore = Record<string, string | number | null>

/** What a merge has touched, as it was before. */
export interface OrgMergeUndoTable {
  seq: Generated<number>
  job_id: string
  table_name: string
  row_id: string
  before: JsonText<RowBefore>
  is_deleted: Generated<Flag>
}

export const organizationMergeTables = {
  org_merge_events: table<OrgMergeEventTable>({
    writtenBy: ['organization-merge'],
    tenancy: { by: 'none', because: 'history of the appliance' },
    merge: { policy: 'none', because: 'history, made to outlive both organizations' },
    erasure: { stay: 'history of the appliance, made to outlive both organizations' },
  }),
  org_merge_undo: table<OrgMergeUndoTable>({
    writtenBy: ['organization-merge'],
    tenancy: { by: 'none', because: 'belongs to the merge under way' },
    merge: { policy: 'none', because: 'belongs to the merge itself' },
    erasure: { stay: 'gone before a merge hands its shell over to be erased' },
  }),
}
