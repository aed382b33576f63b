import { randomUUIDv7 } from 'node:crypto'
import { type RawBuilder, sql, type Updateable } from 'kysely'
import { z } from 'zod'
import type {
  createPsaConnection,
  listPsaConnections,
  PsaConnection,
  updatePsaConnection,
} from '../../../shared/api/psa.ts'
import type { AuditActionOf } from '../../../shared/audit-actions/index.ts'
import type { BodyOf, QueryOf, ReplyOf } from '../../../shared/endpoint.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { withinReach } from '../../db/tenancy.ts'
import { fromJson, toJson } from '../../lib/json.ts'
import { type Steps, shownInSteps } from '../../lib/pieces.ts'
import { isConfined, reachesOrg, type UserActor } from '../../platform/actor.ts'
import { actingPartnerId } from '../../platform/actor-tenant.ts'
import type { Audit } from '../../platform/audit.ts'
import { type Clock, isoNow } from '../../platform/clock.ts'
import { AppError, fieldError } from '../../platform/errors.ts'
import { barredHost, type Destinations } from '../../platform/outbound/index.ts'
import type { RateLimits } from '../../platform/rate-limit.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { changedFieldsOf, changeOf } from '../../platform/updates.ts'
import { grantedOrganization, operableOrganization } from '../organization-access/index.ts'
import { type Credentials, mergedCredentials } from './credentials.ts'
import { probe } from './probe.ts'
import type { PsaConnectionTable } from './tables.ts'
import { type ConnectionRow, connectionView } from './views.ts'

interface PsaServices {
  db: Database
  clock: Clock
  audit: Audit
  secrets: Secrets
  limits: RateLimits
  destinations: Destinations
}

const storedCredentials = z.record(z.string(), z.string())
const maxSettingsCharacters = 64 * 1024

/** Connections to ticket systems. Whose they are never changes; their credentials leave the appliance only to the system. */
export class PsaConnections {
  readonly #services: PsaServices

  constructor(services: PsaServices) {
    this.#services = services
  }

  *list(
    actor: UserActor,
    { page, limit, orgId, provider }: QueryOf<typeof listPsaConnections>,
  ): Steps<ReplyOf<typeof listPsaConnections>> {
    if (orgId && !(reachesOrg(actor, orgId) && grantedOrganization(this.#services.db, actor, orgId)))
      return { data: [], pagination: { page, limit, total: 0 } }
    let visible = q.selectFrom('psa_connections').where(isVisible(actor))
    if (orgId)
      visible = visible.where((where) =>
        where.or([where('org_id', '=', orgId), ...(actor.scope === 'partner' ? [where('org_id', 'is', null)] : [])]),
      )
    if (provider) visible = visible.where('provider', '=', provider)
    const rows = visible.orderBy('updated_at', 'desc').orderBy('id', 'desc')
    const ids = this.#services.db.all(
      rows
        .select('id')
        .limit(limit)
        .offset((page - 1) * limit),
    )
    const total =
      this.#services.db.first(visible.select((select) => select.fn.countAll<number>().as('total')))?.total ?? 0
    const read = (some: readonly { id: string }[]) =>
      this.#services.db.all(
        rows.selectAll().where(
          'id',
          'in',
          some.map(({ id }) => id),
        ),
      )
    return { data: yield* shownInSteps(ids, read, connectionView), pagination: { page, limit, total } }
  }

  read(actor: UserActor, id: string): PsaConnection {
    const row = this.#services.db.first(
      q.selectFrom('psa_connections').selectAll().where('id', '=', id).where(isVisible(actor)),
    )
    if (!row) throw new AppError('psa_connection_not_found')
    return connectionView(row)
  }

  create(actor: UserActor, wanted: BodyOf<typeof createPsaConnection>): PsaConnection {
    const { db, clock } = this.#services
    const credentials = this.#merged(wanted.provider, {}, wanted.credentials)
    return db.transaction(() => {
      const id = randomUUIDv7()
      const now = isoNow(clock)
      db.run(
        q.insertInto('psa_connections').values({
          ...this.#ownerOf(actor, wanted),
          id,
          provider: wanted.provider,
          name: wanted.name,
          credentials: this.#seal(id, credentials),
          settings: toJson(wanted.settings ?? {}),
          created_at: now,
          updated_at: now,
        }),
      )
      const row = this.#byId(id)
      this.#record(actor, 'create', row, { provider: row.provider })
      return connectionView(row)
    })
  }

  update(actor: UserActor, id: string, wanted: BodyOf<typeof updatePsaConnection>): PsaConnection {
    return this.#services.db.transaction(() => {
      const before = this.#findToWrite(actor, id)
      const changedFields = changedFieldsOf(wanted)
      this.#change(id, {
        ...(wanted.name && { name: wanted.name }),
        ...(wanted.settings && { settings: mergedSettings(before, wanted.settings) }),
        ...(wanted.credentials && {
          credentials: this.#seal(id, this.#merged(before.provider, this.#open(before), wanted.credentials)),
        }),
      })
      const after = this.#byId(id)
      const view = connectionView(after)
      this.#record(actor, 'update', after, changeOf(changedFields, connectionView(before), view))
      return view
    })
  }

  setStatus(actor: UserActor, id: string, status: ConnectionRow['status']) {
    return this.#services.db.transaction(() => {
      const row = this.#findToWrite(actor, id)
      this.#change(id, { status })
      this.#record(actor, 'status.update', row, { status })
      return { success: true as const, status }
    })
  }

  async test(actor: UserActor, id: string) {
    const { db, clock, limits, destinations } = this.#services
    const { provider, ...row } = this.#findToWrite(actor, id)
    limits.consume('psa_test', actor.userId)
    const error = await probe(provider, this.#open(row), destinations)
    db.transaction(() => {
      const tested = q
        .updateTable('psa_connections')
        .set({ last_tested_at: isoNow(clock) })
        .where('id', '=', id)
      if (db.run(tested) === 0) throw new AppError('psa_connection_not_found')
      this.#record(actor, 'test', row, { success: error === null })
    })
    return error === null
      ? { success: true as const, message: 'The server accepted the credentials' }
      : { success: false as const, error }
  }

  assertWritable(actor: UserActor, id: string): void {
    this.#findToWrite(actor, id)
  }

  remove(actor: UserActor, id: string): void {
    const { db } = this.#services
    db.transaction(() => {
      const row = this.#findToWrite(actor, id)
      const user = q.selectFrom('partners').select('id').where('service_management_psa_connection_id', '=', id)
      if (db.first(user)) throw new AppError('PSA_CONNECTION_IN_USE')
      db.run(q.deleteFrom('psa_connections').where('id', '=', id))
      this.#record(actor, 'delete', row)
    })
  }

  #ownerOf(actor: UserActor, { ownerScope, orgId }: BodyOf<typeof createPsaConnection>) {
    if (ownerScope === 'partner') {
      assertFullAccess(actor)
      return { org_id: null, partner_id: actingPartnerId(actor) }
    }
    assertUnconfined(actor)
    const wanted = orgId ?? (actor.scope === 'organization' ? actor.orgId : null)
    if (!wanted) throw new AppError('org_id_required')
    return { org_id: operableOrganization(this.#services.db, actor, wanted, 'psa_access_denied').id, partner_id: null }
  }

  /** Found without the reach, so that a frozen organization says so. */
  #findToWrite(actor: UserActor, id: string): ConnectionRow {
    const row = this.#services.db.first(q.selectFrom('psa_connections').selectAll().where('id', '=', id))
    if (!row) throw new AppError('psa_connection_not_found')
    if (row.org_id !== null) {
      operableOrganization(this.#services.db, actor, row.org_id, 'psa_connection_not_found')
      assertUnconfined(actor)
    } else {
      if (actor.scope !== 'system' && (actor.scope !== 'partner' || row.partner_id !== actor.partnerId))
        throw new AppError('psa_connection_not_found')
      assertFullAccess(actor)
    }
    return row
  }

  #change(id: string, changes: Updateable<PsaConnectionTable>): void {
    const { db, clock } = this.#services
    db.run(
      q
        .updateTable('psa_connections')
        .set({ ...changes, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
  }

  #byId(id: string): ConnectionRow {
    return this.#services.db.one(q.selectFrom('psa_connections').selectAll().where('id', '=', id))
  }

  /** @throws AppError `validation_failed`, also for a server on the appliance itself */
  #merged(...of: Parameters<typeof mergedCredentials>): Credentials {
    const credentials = mergedCredentials(...of)
    const { hostname } = new URL(credentials.baseUrl)
    if (this.#services.destinations.isBarred(hostname)) throw fieldError('credentials', `baseUrl ${barredHost}`)
    return credentials
  }

  #seal(id: string, credentials: Credentials): string {
    return this.#services.secrets.encrypt(JSON.stringify(credentials), contextOf(id))
  }

  #open({ id, credentials }: Pick<ConnectionRow, 'id' | 'credentials'>): Credentials {
    return credentials === null
      ? {}
      : storedCredentials.parse(JSON.parse(this.#services.secrets.decrypt(credentials, contextOf(id))))
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'psa.connection'>,
    row: Pick<ConnectionRow, 'id' | 'name' | 'org_id' | 'partner_id'>,
    details: Record<string, unknown> = {},
  ): void {
    this.#services.audit(actor, {
      action: `psa.connection.${what}`,
      resourceType: 'psa_connection',
      resourceId: row.id,
      resourceName: row.name,
      orgId: row.org_id,
      ...(row.partner_id && { partnerId: row.partner_id }),
      details,
    })
  }
}

const contextOf = (id: string) => `psa_connection:${id}`

/** Connections of organizations in reach, and those of the partner itself for its own people. */
function isVisible(actor: UserActor): RawBuilder<boolean> {
  if (isConfined(actor)) return sql<boolean>`0`
  const ofOrganizations = sql`org_id in (select id from organizations where ${withinReach(actor, 'organizations')})`
  if (actor.scope === 'organization') return sql<boolean>`${ofOrganizations}`
  const ofPartner = actor.scope === 'system' ? sql`partner_id is not null` : sql`partner_id = ${actor.partnerId}`
  return sql<boolean>`(${ofOrganizations} or ${ofPartner})`
}

/** A connection is about the whole organization; somebody of one site or group has no part in it. */
function assertUnconfined(actor: UserActor): void {
  if (isConfined(actor)) throw new AppError('psa_access_denied')
}

function assertFullAccess({ scope, orgAccess }: UserActor): void {
  if (scope === 'organization' || orgAccess !== 'all') throw new AppError('partner_policy_access_required')
}

function mergedSettings({ settings }: ConnectionRow, changes: Record<string, unknown>): ConnectionRow['settings'] {
  const merged = toJson({ ...fromJson(settings), ...changes })
  if (merged.length > maxSettingsCharacters) throw fieldError('settings', 'Must not be larger than 64 KB')
  return merged
}
