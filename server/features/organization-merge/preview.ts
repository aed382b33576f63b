import { setImmediate } from 'node:timers/promises'
import type { MergePreview } from '../../../shared/api/organization-merge.ts'
import { nameKey } from '../../../shared/names.ts'
import type { Database, TableName } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { rulesOf } from '../../tables.ts'
import type { OrganizationRow } from '../organization-access/index.ts'
import { counted, customMerges } from './custom.ts'
import { findOrganization } from './pair.ts'
import { ofLoser, type Pair } from './policy.ts'
import { dropsOf, tablesThatMove } from './steps.ts'

/** What a merge would do, found out without writing anything, table by table. */
export async function previewOf(
  db: Database,
  loser: OrganizationRow,
  pair: Pair,
  maxRows: number,
): Promise<MergePreview> {
  const counts: MergePreview['tables'] = []
  const warnings: string[] = []
  for (const table of tablesThatMove) {
    const drops = dropsOf(table)
    counts.push({
      table,
      policy: rulesOf(table).merge.policy,
      loserRows: count(db, table, ofLoser, pair),
      wouldDrop: drops ? count(db, table, drops, pair) : 0,
    })
    warnings.push(...(customMerges[table]?.warnings(db, pair) ?? []))
    await setImmediate()
  }
  warnings.push(...sitesAlike(db, pair), ...overLimit(db, loser, pair.survivor))
  const events = await countEvents(db, loser.id)
  counts.push({ table: 'audit_logs', policy: rulesOf('audit_logs').merge.policy, loserRows: events, wouldDrop: events })
  if (events > 0)
    warnings.push(
      `The audit log of ${loser.name} is deleted with it, but for who made it and changed its status: ${events} events`,
    )
  const totalMovableRows = counts.reduce((sum, { loserRows, wouldDrop }) => sum + loserRows - wouldDrop, 0)
  return {
    tables: counts.filter(({ loserRows }) => loserRows > 0),
    totalMovableRows,
    verdict: totalMovableRows > maxRows ? 'too-large' : 'ok',
    warnings,
    blockers: [],
  }
}

/** Sites are not merged: those of one name stand beside each other afterwards. */
function sitesAlike(db: Database, { loser, survivor }: Pair): string[] {
  const namesOf = (orgId: string) =>
    db.all(q.selectFrom('sites').select('name').where('org_id', '=', orgId)).map(({ name }) => nameKey(name))
  const kept = new Set(namesOf(survivor))
  const alike = namesOf(loser).filter((name) => kept.has(name)).length
  const of = counted(alike, 'site has', 'sites have')
  return alike === 0 ? [] : [`${of} the name of a site of the organization that stays: both are kept, side by side`]
}

/** A merge may exceed it: nothing is refused half-way, but no device enrolls afterwards. */
function overLimit(db: Database, loser: OrganizationRow, survivorId: string): string[] {
  const survivor = findOrganization(db, survivorId)
  const together = loser.device_count + (survivor?.device_count ?? 0)
  if (!survivor || survivor.max_devices === null || together <= survivor.max_devices) return []
  const { name, max_devices } = survivor
  return [
    `${name} has a limit of ${counted(max_devices, 'device', 'devices')} and ${together} with these: no other device can enroll there`,
  ]
}

const count = (db: Database, table: TableName, where: string, pair: Pair): number =>
  db.statement<number>(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get(pair) ?? 0

const stride = 20_000

/** There may be millions of them: counted in strides of the index. */
async function countEvents(db: Database, orgId: string): Promise<number> {
  const after = 'FROM audit_logs WHERE org_id = +@orgId AND (timestamp, id) > (@timestamp, @id)'
  const hop = db.statement<{ timestamp: string; id: string }>(
    `SELECT timestamp, id ${after} ORDER BY timestamp, id LIMIT 1 OFFSET ${stride - 1}`,
  )
  const rest = db.statement<number>(`SELECT count(*) ${after}`).pluck()
  let last = { timestamp: '', id: '' }
  for (let counted = 0; ; counted += stride) {
    const next = hop.get({ orgId, ...last })
    if (!next) return counted + (rest.get({ orgId, ...last }) ?? 0)
    last = next
    await setImmediate()
  }
}
