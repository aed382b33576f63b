import { Readable } from 'node:stream'
import { type DeviceProtection, type ProtectionColumn, protectionColumns } from '../../../shared/api/backup-reports.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { csvOf } from '../../lib/csv.ts'
import { inSteps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import type { Audit } from '../../platform/audit.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { ProtectionFilter, ProtectionReport } from './protection-report.ts'

interface ExportServices {
  db: Database
  audit: Audit
  limits: RateLimits
  report: ProtectionReport
}

/** The protection of every device as a CSV file. Recorded before the first byte is sent. */
export function exportedProtection(
  { db, audit, limits, report }: ExportServices,
  actor: UserActor,
  { orgId: named, ...filter }: ProtectionFilter,
): Readable {
  limits.consume('backup_protection_export', actor.userId)
  const scope = report.scope(actor, { orgId: named })
  const { id, name } = db.one(q.selectFrom('organizations').select(['id', 'name']).where('id', '=', scope.orgId))
  audit(actor, {
    action: 'backup.protection.export',
    resourceType: 'organization',
    resourceId: id,
    resourceName: name,
    orgId: id,
    details: { filters: filter },
  })
  const left = new AbortController()
  async function* csv(): AsyncGenerator<string> {
    let text = `${protectionColumns.join(',')}\n`
    const row = (device: DeviceProtection) => protectionColumns.map((column) => cells[column](device, name))
    await inSteps(
      left.signal,
      report.eachOf(scope, filter, (rows) => {
        text += csvOf(rows.map(row))
      }),
    )
    yield text
  }
  return Readable.from(csv(), { objectMode: false }).once('close', () => left.abort())
}

const cells: Record<ProtectionColumn, (device: DeviceProtection, orgName: string) => string> = {
  device: ({ deviceName }) => deviceName,
  organization: (_, orgName) => orgName,
  site: ({ siteName }) => siteName,
  state: ({ state }) => state,
  policy: ({ policyName }) => policyName ?? '',
  destination: ({ configName }) => configName ?? '',
  lastSuccessAt: ({ lastSuccessAt }) => lastSuccessAt ?? '',
  lastResult: ({ lastResult }) => lastResult ?? '',
  nextScheduledAt: ({ nextScheduledAt }) => nextScheduledAt ?? '',
  snapshots: ({ snapshots }) => String(snapshots),
  storedBytes: ({ storedBytes }) => (storedBytes === null ? '' : String(storedBytes)),
  deviceId: ({ deviceId }) => deviceId,
}
