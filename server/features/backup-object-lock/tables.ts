import { table } from '../../db/table.ts'
import type { JsonText } from '../../lib/json.ts'

export interface ObjectLockTryTable {
  id: string
  repository_id: string
  org_id: string
  device_id: string
  place: string
  tried_at: string
  try_again_at: string
}

export interface LockedObjectTable {
  id: string
  repository_id: string
  folder: string
  objects: JsonText<Record<string, string>>
}

export const backupObjectLockTables = {
  backup_object_lock_tries: table<ObjectLockTryTable>({
    writtenBy: ['backup-object-lock'],
    tenancy: { by: 'organization', org: 'org_id', device: 'device_id' },
    merge: { policy: 'repoint' },
    erasure: { goWith: 'organization' },
  }),
  backup_locked_objects: table<LockedObjectTable>({
    writtenBy: ['backup-object-lock'],
    tenancy: { by: 'none', because: 'reached only through their repository' },
    merge: { policy: 'follows-parent', parent: 'backup_repositories' },
    erasure: { goWith: 'reference', to: 'backup_repositories' },
  }),
}
