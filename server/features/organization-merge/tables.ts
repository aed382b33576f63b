import type { Generated } from 'kysely'
import { type Flag, table } from '../../db/table.ts'

export interface OrgMergeEventTable {
  id: string
  partner_id: string
  loser_org_id: string
  loser_org_name: string
  survivor_org_id: string
  actor_user_id: string | null
  summary: string
  created_at: string
}

/** What a merge has touched, as it was before. */
export interface OrgMergeUndoTable {
  seq: Generated<number>
  job_id: string
  table_name: string
  row_id: string
  before: string
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
