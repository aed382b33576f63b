import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { Scope } from './windows.ts'

export interface DeviceInService {
  id: string
  name: string
  siteName: string
}

/** Read together; a few milliseconds. */
const rowsPerRead = 500

/** Every device of the organization that can be backed up: in service, and not waiting for approval. */
export function* devicesIn(
  db: Database,
  { orgId, reach }: Scope,
  found: (device: DeviceInService) => void,
): Steps<void> {
  const seqs = db
    .all(
      q
        .selectFrom('devices')
        .select('seq')
        .where('org_id', '=', orgId)
        .where('status', 'not in', ['decommissioned', 'quarantined'])
        .where(withinReach(reach, 'devices')),
    )
    .map(({ seq }) => seq)
  for (let at = 0; at < seqs.length; at += rowsPerRead) {
    yield
    const some = JSON.stringify(seqs.slice(at, at + rowsPerRead))
    const rows = db.all(
      q
        .selectFrom('devices')
        .innerJoin('sites', 'sites.id', 'devices.site_id')
        .select((select) => [
          'devices.id',
          select.fn.coalesce('devices.display_name', 'devices.hostname').as('name'),
          'sites.name as siteName',
        ])
        .where(sql<boolean>`devices.seq IN (SELECT value FROM json_each(${some}))`),
    )
    for (const device of rows) found(device)
  }
}
