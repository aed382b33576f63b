import { type ProtectionState, protectionState } from '../../../shared/api/backup-attention.ts'
import type { DeviceProtection, listProtection } from '../../../shared/api/backup-reports.ts'
import type { QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import { nameOrder } from '../../../shared/names.ts'
import type { Database } from '../../db/database.ts'
import { folded } from '../../db/like.ts'
import { q } from '../../db/query.ts'
import type { Steps } from '../../lib/pieces.ts'
import type { UserActor } from '../../platform/actor.ts'
import { type Clock, iso } from '../../platform/clock.ts'
import {
  devicesPerRead,
  isUsable,
  looksAt,
  newestEnded,
  newestGood,
  runsOf,
  stateOf,
} from '../backup-attention/index.ts'
import { type BackupPolicies, type DeviceBackup, occurrencesAround } from '../backup-policies/index.ts'
import { backupOrganization } from '../backup-storage/index.ts'
import { type DeviceInService, devicesIn } from './devices-in-service.ts'
import { type Scope, scopeOf } from './windows.ts'

interface ReportServices {
  db: Database
  clock: Clock
  backupPolicies: BackupPolicies
}

/** Each counts the snapshots of its device, of which there may be a hundred. */
const rowsPerRead = 50

export type ProtectionFilter = Pick<QueryOf<typeof listProtection>, 'orgId' | 'state' | 'search'>

/** A device and what its policy says, if one does. */
interface Standing {
  device: DeviceInService
  backup: DeviceBackup | null
  state: ProtectionState
  /** One of its backups waits or runs. */
  isBusy: boolean
}

/** Every device of an organization with how it stands. */
export class ProtectionReport {
  readonly #services: ReportServices

  constructor(services: ReportServices) {
    this.#services = services
  }

  *list(
    actor: UserActor,
    { page, limit, ...filter }: QueryOf<typeof listProtection>,
  ): Steps<ReplyOf<typeof listProtection>> {
    const scope = this.scope(actor, filter)
    const all = yield* this.#standings(scope)
    const counts = protectionState.options.map((state) => {
      const those = all.filter((standing) => standing.state === state)
      return { state, devices: those.length, busy: those.filter(({ isBusy }) => isBusy).length }
    })
    const wanted = yield* inOrder(all.filter(matching(filter)))
    yield
    return {
      data: this.#rows(scope, wanted.slice((page - 1) * limit, page * limit)),
      pagination: { page, limit, total: wanted.length },
      counts,
    }
  }

  /** All that match, some at a time. */
  *eachOf(scope: Scope, filter: ProtectionFilter, found: (rows: DeviceProtection[]) => void): Steps<void> {
    const wanted = yield* inOrder((yield* this.#standings(scope)).filter(matching(filter)))
    for (let at = 0; at < wanted.length; at += rowsPerRead) {
      yield
      found(this.#rows(scope, wanted.slice(at, at + rowsPerRead)))
    }
  }

  /** @throws AppError `backup_org_required` */
  scope(actor: UserActor, { orgId }: Pick<ProtectionFilter, 'orgId'>): Scope {
    return scopeOf(actor, backupOrganization(this.#services.db, actor, orgId))
  }

  *#standings(scope: Scope): Steps<Standing[]> {
    const { db, clock, backupPolicies } = this.#services
    const backups = new Map<string, DeviceBackup>()
    yield* backupPolicies.inOrganization(scope.orgId, (backup) => void backups.set(backup.device.id, backup))
    const standings: Standing[] = []
    yield* devicesIn(db, scope, (device) =>
      standings.push({ device, backup: backups.get(device.id) ?? null, state: 'unprotected', isBusy: false }),
    )
    const look = looksAt(clock.now())
    const usable = standings.flatMap((standing) =>
      standing.backup && isUsable(standing.backup) ? [{ standing, backup: standing.backup }] : [],
    )
    for (let at = 0; at < usable.length; at += devicesPerRead) {
      yield
      const some = usable.slice(at, at + devicesPerRead)
      const runs = runsOf(
        db,
        some.map(({ backup }) => backup),
      )
      for (const { standing, backup } of some) {
        const known = runs.get(standing.device.id)
        if (!known) continue
        standing.state = stateOf(look(backup, known))
        standing.isBusy = known.isBusy
      }
    }
    return standings
  }

  #rows({ orgId }: Scope, standings: readonly Standing[]): DeviceProtection[] {
    const { db, clock } = this.#services
    const around = occurrencesAround(clock.now())
    const ids = JSON.stringify(standings.map(({ device }) => device.id))
    const runs = runsOf(
      db,
      standings.map(({ device, backup }) => ({ plan: backup?.plan ?? null, device: { id: device.id, orgId } })),
    )
    const storages = new Map(
      db
        .all(q.selectFrom('backup_configs').select(['id', 'name']).where('org_id', '=', orgId))
        .map(({ id, name }) => [id, name]),
    )
    const held = new Map(
      db
        .statement<Held>(heldBy)
        .all({ ids, org: orgId })
        .map((row) => [row.deviceId, row]),
    )
    return standings.map(({ device, backup, state }) => {
      const { plan, destination, source, timeZone } = backup ?? withoutPolicy
      const known = runs.get(device.id)
      const newest = known ? newestEnded(known) : null
      const configId = plan === null || destination === 'no_config' ? null : destination.configId
      const next = plan?.schedule ? around(plan.schedule, timeZone).next : null
      const { snapshots, storedBytes } = held.get(device.id) ?? { snapshots: 0, storedBytes: null }
      return {
        deviceId: device.id,
        deviceName: device.name,
        siteName: device.siteName,
        state,
        isBusy: known?.isBusy === true,
        policyId: source?.policyId ?? null,
        policyName: source?.policyName ?? null,
        configId,
        configName: (configId && storages.get(configId)) ?? null,
        lastSuccessAt: known ? newestGood(known) : null,
        lastResult: newest?.status ?? null,
        lastJobId: newest?.id ?? null,
        nextScheduledAt: next ? iso(next.at) : null,
        snapshots,
        storedBytes: storedBytes || null,
      }
    })
  }
}

const withoutPolicy = { plan: null, destination: 'no_config', source: null, timeZone: 'UTC' } as const

interface Held {
  deviceId: string
  snapshots: number
  storedBytes: number | null
}

const heldBy = `
  SELECT wanted.value AS deviceId,
    (SELECT count(*) FROM backup_snapshots INDEXED BY backup_snapshots_device
     WHERE device_id = wanted.value AND org_id = @org AND expired_at IS NULL) AS snapshots,
    (SELECT sum(stored_bytes) FROM backup_repositories INDEXED BY backup_repositories_device
     WHERE device_id = wanted.value AND org_id = @org) AS storedBytes
  FROM json_each(@ids) AS wanted`

function matching({ state, search }: ProtectionFilter): (standing: Standing) => boolean {
  const text = search ? folded(search) : ''
  return (standing) =>
    (state === undefined || standing.state === state) && (text === '' || folded(standing.device.name).includes(text))
}

const namesPerStep = 1000

/** By name, and those of the same name always in the same order. */
function* inOrder(standings: readonly Standing[]): Steps<Standing[]> {
  const keys = new Map<Standing, string>()
  for (const [at, standing] of standings.entries()) {
    keys.set(standing, nameOrder(standing.device.name))
    if (at % namesPerStep === namesPerStep - 1) yield
  }
  const keyOf = (standing: Standing) => keys.get(standing) ?? ''
  return standings.toSorted(
    (one, other) => compare(keyOf(one), keyOf(other)) || compare(one.device.id, other.device.id),
  )
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
