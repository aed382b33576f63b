import type { DeviceUsage, listDeviceUsage, UsageOrder } from '../../../shared/api/backup-usage.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import { nameOrder } from '../../../shared/names.ts'
import type { Database } from '../../db/database.ts'
import { folded } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import { backupOrganization } from '../backup-storage/index.ts'

interface DeviceUsageServices {
  db: Database
  clock: Clock
}

/** A few milliseconds. */
const devicesPerRead = 200

/** Each counts the snapshots of its device, of which there may be a hundred. */
const rowsPerRead = 50

interface Figures {
  id: string
  name: string
  siteName: string
  status: string
  storedBytes: number
  newestBytes: number
  /** Of repositories that were measured. */
  dataBytes: number | null
  uncompressedBytes: number | null
  measuredFilesBytes: number | null
  measuredAt: string | null
  since: string | null
  sinceStoredBytes: number | null
  sinceNewestBytes: number | null
}

const figuresOf = `
  SELECT devices.id, coalesce(display_name, hostname) AS name, sites.name AS siteName, devices.status,
    held.storedBytes, coalesce(newest.newest_bytes, 0) AS newestBytes,
    held.dataBytes, held.uncompressedBytes, held.measuredFilesBytes, held.measuredAt,
    since.day AS since, since.stored_bytes AS sinceStoredBytes, since.newest_bytes AS sinceNewestBytes
  FROM json_each(@ids) AS wanted
    JOIN devices ON devices.id = wanted.value
    JOIN sites ON sites.id = devices.site_id
    JOIN (
      SELECT device_id, sum(stored_bytes) AS storedBytes, sum(data_bytes) AS dataBytes,
        sum(iif(uncompressed_bytes IS NULL, data_bytes, uncompressed_bytes)) AS uncompressedBytes,
        sum(files_bytes) AS measuredFilesBytes, min(measured_at) AS measuredAt
      FROM backup_repositories WHERE org_id = @org AND device_id IN (SELECT value FROM json_each(@ids))
      GROUP BY device_id) AS held ON held.device_id = devices.id
    LEFT JOIN backup_device_days AS newest ON newest.id = (
      SELECT id FROM backup_device_days WHERE device_id = devices.id AND org_id = @org ORDER BY day DESC LIMIT 1)
    LEFT JOIN backup_device_days AS since ON since.id = (
      SELECT id FROM backup_device_days WHERE device_id = devices.id AND org_id = @org AND day >= @from AND day < @today
      ORDER BY day LIMIT 1)`

interface Held {
  deviceId: string
  snapshots: number
  filesBytes: number
}

const heldBy = `
  SELECT device_id AS deviceId, count(*) AS snapshots, sum(size) AS filesBytes
  FROM backup_snapshots INDEXED BY backup_snapshots_device
  WHERE device_id IN (SELECT value FROM json_each(@ids)) AND org_id = @org AND expired_at IS NULL
  GROUP BY device_id`

/** Every device of an organization that has backups, with what they take; those out of service as well. */
export class DeviceUsages {
  readonly #services: DeviceUsageServices

  constructor(services: DeviceUsageServices) {
    this.#services = services
  }

  *list(actor: UserActor, wanted: QueryOf<typeof listDeviceUsage>): Steps<ReplyOf<typeof listDeviceUsage>> {
    const { db } = this.#services
    const { page, limit, sort, sortDir = sort === 'name' ? 'asc' : 'desc', days } = wanted
    const orgId = backupOrganization(db, actor, wanted.orgId)
    const all = yield* this.#figures(actor, orgId, days)
    const totals = totalsOf(all)
    const text = wanted.search ? folded(wanted.search) : ''
    const found = text === '' ? all : all.filter(({ name }) => folded(name).includes(text))
    yield
    const ordered = inOrder(found, sort, sortDir)
    yield
    const shown = ordered.slice((page - 1) * limit, page * limit)
    const held = yield* this.#held(shown, orgId)
    const data = shown.map((one) => viewOf(one, held.get(one.id)))
    return { data, pagination: { page, limit, total: found.length }, totals }
  }

  *#figures(actor: UserActor, orgId: string, days: number): Steps<Figures[]> {
    const { db, clock } = this.#services
    const now = clock.now()
    const asked = { org: orgId, from: iso(now - days * day).slice(0, 10), today: iso(now).slice(0, 10) }
    const ids = db
      .all(
        q
          .selectFrom('backup_repositories')
          .innerJoin('devices', 'devices.id', 'backup_repositories.device_id')
          .select('devices.id')
          .distinct()
          .where('backup_repositories.org_id', '=', orgId)
          // Of those that were moved away, the repositories stay behind.
          .where('devices.org_id', '=', orgId)
          .where(withinReach(actor, 'devices')),
      )
      .map(({ id }) => id)
    const figures: Figures[] = []
    for (let at = 0; at < ids.length; at += devicesPerRead) {
      yield
      const some = JSON.stringify(ids.slice(at, at + devicesPerRead))
      figures.push(...db.statement<Figures>(figuresOf).all({ ...asked, ids: some }))
    }
    return figures
  }

  *#held(shown: readonly Figures[], orgId: string): Steps<Map<string, Held>> {
    const { db } = this.#services
    const held = new Map<string, Held>()
    for (let at = 0; at < shown.length; at += rowsPerRead) {
      yield
      const ids = JSON.stringify(shown.slice(at, at + rowsPerRead).map(({ id }) => id))
      for (const row of db.statement<Held>(heldBy).all({ ids, org: orgId })) held.set(row.deviceId, row)
    }
    return held
  }
}

const grown = ({ storedBytes, sinceStoredBytes }: Figures): number =>
  sinceStoredBytes === null ? 0 : storedBytes - sinceStoredBytes

function inOrder(figures: readonly Figures[], sort: UsageOrder, direction: 'asc' | 'desc'): Figures[] {
  const sign = direction === 'asc' ? 1 : -1
  const names = new Map(figures.map((one) => [one, nameOrder(one.name)]))
  const byName = (one: Figures, other: Figures) =>
    compare(names.get(one) ?? '', names.get(other) ?? '') || compare(one.id, other.id)
  if (sort === 'name') return figures.toSorted((one, other) => sign * byName(one, other))
  const sizeOf = { stored: ({ storedBytes }: Figures) => storedBytes, newest: newestOf, growth: grown }[sort]
  return figures.toSorted((one, other) => sign * (sizeOf(one) - sizeOf(other)) || byName(one, other))
}

const newestOf = ({ newestBytes }: Figures): number => newestBytes

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

function totalsOf(figures: readonly Figures[]): ReplyOf<typeof listDeviceUsage>['totals'] {
  const sum = (of: (one: Figures) => number | null) => figures.reduce((total, one) => total + (of(one) ?? 0), 0)
  return {
    storedBytes: sum(({ storedBytes }) => storedBytes),
    newestBytes: sum(newestOf),
    grownBytes: sum(grown),
    ...ratiosOf({
      measuredFilesBytes: sum((one) => one.measuredFilesBytes),
      uncompressedBytes: sum((one) => one.uncompressedBytes),
      dataBytes: sum((one) => one.dataBytes),
    }),
  }
}

function ratiosOf({
  measuredFilesBytes,
  uncompressedBytes,
  dataBytes,
}: Pick<Figures, 'measuredFilesBytes' | 'uncompressedBytes' | 'dataBytes'>) {
  return {
    deduplication: measuredFilesBytes && uncompressedBytes ? measuredFilesBytes / uncompressedBytes : null,
    compression: uncompressedBytes && dataBytes ? uncompressedBytes / dataBytes : null,
  }
}

const viewOf = (one: Figures, held: Held | undefined): DeviceUsage => ({
  deviceId: one.id,
  deviceName: one.name,
  siteName: one.siteName,
  isDecommissioned: one.status === 'decommissioned',
  snapshots: held?.snapshots ?? 0,
  filesBytes: held?.filesBytes ?? 0,
  newestBytes: one.newestBytes,
  // A repository elsewhere is as good as never empty; one that was not measured says 0.
  storedBytes: one.storedBytes || null,
  ...ratiosOf(one),
  measuredAt: one.measuredAt,
  growth:
    one.since === null
      ? null
      : {
          since: one.since,
          newestBytes: one.newestBytes - (one.sinceNewestBytes ?? 0),
          storedBytes: grown(one),
        },
})
