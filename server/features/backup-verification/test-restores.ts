import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { inPieces } from '../../lib/pieces.ts'
import { type Clock, day, iso } from '../../platform/clock.ts'
import { engineOf } from '../backup-engine/index.ts'
import type { SnapshotRow } from '../backup-snapshots/index.ts'
import type { Connections } from '../device-connections/index.ts'
import { mayWork } from '../devices/index.ts'
import { isCritical } from './critical.ts'
import { isNight } from './night.ts'
import type { CheckPlaces } from './places.ts'
import type { Starts } from './starts.ts'

interface TestRestoreServices {
  db: Database
  clock: Clock
  connections: Connections
  places: CheckPlaces
  starts: Starts
}

/** Of an organization that calls no device critical, those whose last test is longest ago. */
const othersEachWeek = 10
const atOnce = 4
const everyMs = 7 * day
/** A device that is on by day only gets it by day. */
const byDayAfterMs = 8 * day

interface Candidate {
  id: string
  orgId: string
  isCritical: number
  testedAt: string | null
  isBySchedule: number
}

const part = `SELECT count(*) AS length, max(seq) AS last FROM (
  SELECT seq FROM devices WHERE seq > @after ORDER BY seq LIMIT @maxRows)`

/** Devices that can be restored for proof, with when that was done last. */
const candidates = `SELECT device.id, device.org_id AS orgId, last.created_at AS testedAt,
    ${isCritical} AS isCritical,
    coalesce(last.source = 'scheduled', 0) AS isBySchedule
  FROM devices AS device
  LEFT JOIN backup_verifications AS last ON last.id = (
    SELECT id FROM backup_verifications INDEXED BY backup_verifications_device
    WHERE device_id = device.id AND verification_type = 'test_restore' ORDER BY created_at DESC, id DESC LIMIT 1)
  WHERE device.seq > @after AND device.seq <= @last AND device.status NOT IN ('decommissioned', 'quarantined')
    AND EXISTS (
      SELECT 1 FROM backup_snapshots AS snapshot INDEXED BY backup_snapshots_device
      WHERE snapshot.device_id = device.id AND snapshot.org_id = device.org_id AND snapshot.expired_at IS NULL
        AND snapshot.repository_id IS NOT NULL)`

/** Once a week, has critical devices restore their newest backup for proof: at night, or by day where they are off at night. */
export class TestRestores {
  readonly #services: TestRestoreServices

  constructor(services: TestRestoreServices) {
    this.#services = services
  }

  async start(signal: AbortSignal): Promise<void> {
    let free = atOnce - this.#underWay()
    if (free <= 0) return
    for (const id of await this.#due(signal)) {
      signal.throwIfAborted()
      if (free > 0 && (await this.#start(id))) free--
    }
  }

  #underWay(): number {
    const open = q
      .selectFrom('backup_verifications')
      .select((select) => select.fn.countAll<number>().as('total'))
      .where('verification_type', '=', 'test_restore')
      .where('status', 'in', ['pending', 'running'])
    return this.#services.db.one(open).total
  }

  /** The one first whose last test is longest ago. */
  async #due(signal: AbortSignal): Promise<string[]> {
    const { db, clock } = this.#services
    const all: Candidate[] = []
    let after = 0
    await inPieces(signal, (maxRows) => {
      const { length, last } = db.statement<{ length: number; last: number | null }>(part).get({ after, maxRows }) ?? {
        length: 0,
        last: null,
      }
      all.push(...db.statement<Candidate>(candidates).all({ after, last }))
      after = last ?? after
      return length
    })
    const patienceMs = isNight(clock.now()) ? everyMs : byDayAfterMs
    const testedBefore = iso(clock.now() - patienceMs)
    return [...Map.groupBy(all, ({ orgId }) => orgId).values()]
      .flatMap((devices) => this.#ofOrganization(devices))
      .filter(({ testedAt }) => testedAt === null || testedAt <= testedBefore)
      .sort((one, other) => ((one.testedAt ?? '') < (other.testedAt ?? '') ? -1 : 1))
      .map(({ id }) => id)
  }

  #ofOrganization(devices: readonly Candidate[]): readonly Candidate[] {
    const critical = devices.filter(({ isCritical }) => isCritical)
    if (critical.length > 0) return critical
    const thisWeek = iso(this.#services.clock.now() - everyMs)
    const [done, waiting] = [
      devices.filter(({ testedAt, isBySchedule }) => isBySchedule && (testedAt ?? '') > thisWeek),
      devices.filter(({ testedAt }) => (testedAt ?? '') <= thisWeek),
    ]
    return waiting
      .toSorted((one, other) => ((one.testedAt ?? '') < (other.testedAt ?? '') ? -1 : 1))
      .slice(0, Math.max(0, othersEachWeek - done.length))
  }

  async #start(deviceId: string): Promise<boolean> {
    const { db, connections, places, starts } = this.#services
    if (!connections.isConnected(deviceId) || !mayWork(db, deviceId)) return false
    const found = this.#newest(deviceId)
    const place = found && (await places.of(found, 'test_restore'))
    return db.transaction(() => {
      const snapshot = this.#newest(deviceId)
      const device = db.first(q.selectFrom('devices').select('backup_version').where('id', '=', deviceId))
      if (!place || !snapshot || !device || engineOf(device.backup_version) !== 'restic') return false
      return starts.beginUnlessBusy({
        ...{ snapshot, type: 'test_restore', source: 'scheduled', ranOn: 'device' },
        ...{ requestedBy: null, subset: null },
      })
    })
  }

  #newest(deviceId: string): SnapshotRow | undefined {
    const { db } = this.#services
    const device = q.selectFrom('devices').select('org_id').where('id', '=', deviceId)
    return db.first(
      q
        .selectFrom('backup_snapshots')
        .selectAll()
        .where('device_id', '=', deviceId)
        .where('org_id', '=', db.first(device)?.org_id ?? '')
        .where('repository_id', 'is not', null)
        .where('expired_at', 'is', null)
        .orderBy('timestamp', 'desc')
        .orderBy('id', 'desc')
        .limit(1),
    )
  }
}
