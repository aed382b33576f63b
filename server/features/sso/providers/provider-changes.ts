import { randomUUIDv7 } from 'node:crypto'
import { sql, type Updateable } from 'kysely'
import type { createSsoProvider, SsoProvider, SsoProviderStatus } from '../../../../shared/api/sso-providers.ts'
import type { AuditActionOf } from '../../../../shared/audit-actions/index.ts'
import type { ReplyOf } from '../../../../shared/endpoint.ts'
import type { Database } from '../../../db/database.ts'
import { q } from '../../../db/query.ts'
import type { UserActor } from '../../../platform/actor.ts'
import type { Audit, AuditEvent } from '../../../platform/audit.ts'
import { type Clock, isoNow } from '../../../platform/clock.ts'
import { AppError } from '../../../platform/errors.ts'
import type { Log } from '../../../platform/log.ts'
import type { Secrets } from '../../../platform/secrets.ts'
import { changedFieldsOf, changeOf } from '../../../platform/updates.ts'
import { isOperator } from '../../access/index.ts'
import type { Outbound } from '../outbound/index.ts'
import { assertWholePartner, organizationFor } from '../provider/access.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import { aboutProvider, getProvider, ownerOf, type Provider, secretContext } from '../provider/store.ts'
import type { SsoProviderTable } from '../tables.ts'
import { assertMayConfer } from './default-role.ts'
import {
  assertEndpointsAllowed,
  changedEndpoints,
  changesIssuer,
  issuerToAsk,
  leavesTokenEndpoint,
  namesOtherEndpoint,
} from './endpoints.ts'
import { type DiscoveryAnswer, discoveredColumns, type IssuerDiscovery } from './issuer-discovery.ts'
import { missingSettings } from './missing-settings.ts'
import { findPreset, issuerOf } from './presets.ts'
import type { Providers } from './providers.ts'
import { type Creation, changedSettings, newSettings, type Update } from './settings.ts'
import type { ProviderViews } from './views.ts'

interface Dependencies {
  db: Database
  clock: Clock
  log: Log
  audit: Audit
  secrets: Secrets
  outbound: Outbound
  issuerDiscovery: IssuerDiscovery
  providers: Providers
  views: ProviderViews
}

type Saved = ReplyOf<typeof createSsoProvider>
type Warning = NonNullable<Saved['warnings']>[number]

/**
 * Setting up, changing and deleting identity providers. Each change raises the version of a provider, which ends the
 * sign-ins that were begun with the version before.
 */
export class ProviderChanges {
  readonly #dependencies: Dependencies

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  async create(actor: UserActor, orgInQuery: string | undefined, input: Creation): Promise<Saved> {
    const { db, issuerDiscovery, log } = this.#dependencies
    const preset = findPreset(input.preset, input.type)
    const settings = newSettings(input, preset)
    const issuer = input.issuer ?? issuerOf(preset)
    const admit = () => this.#ownerOfNew(actor, orgInQuery, input)
    const owner = admit()
    const answer = input.type === 'oidc' && issuer !== null ? await issuerDiscovery.ask(actor, issuer, owner) : null
    return db.transaction(() => {
      // Checked again, because the discovery took time.
      const row = this.#insert(actor, admit(), input, { ...settings, issuer, ...found(answer) })
      this.#record(actor, 'create', row, { type: row.type, status: row.status })
      if (answer && 'error' in answer)
        log.warn({ providerId: row.id, reason: answer.error }, 'the endpoints of an identity provider were not found')
      return this.#saved(row, notFound(answer))
    })
  }

  async update(actor: UserActor, id: string, input: Update): Promise<Saved> {
    const { db, outbound, issuerDiscovery, providers } = this.#dependencies
    const find = () => {
      const row = providers.find(actor, id, 'write')
      this.#assertChange(actor, row, input)
      return row
    }
    const present = find()
    if (namesOtherEndpoint(present, input)) issuerDiscovery.count(actor)
    await assertEndpointsAllowed(outbound, present, input)
    let answer: DiscoveryAnswer | null = null
    for (;;) {
      // Read again after each discovery: the provider may have been changed meanwhile.
      const before = find()
      if (answer && 'error' in answer && changesIssuer(before, input)) this.#refuse(actor, before, input, answer)
      const issuer = issuerToAsk(before, input)
      if (issuer === null || issuer === answer?.asked)
        return db.transaction(() => this.#save(actor, before, input, answer))
      answer = await issuerDiscovery.ask(actor, issuer, ownerOf(before))
    }
  }

  setStatus(actor: UserActor, id: string, status: SsoProviderStatus): Saved {
    const { db, providers } = this.#dependencies
    return db.transaction(() => {
      const before = providers.find(actor, id, 'write')
      const row = this.#write(before, { status })
      this.#record(actor, 'status.update', row, { status, previousStatus: before.status })
      const missing = missingSettings(row)
      const isUseless = status === 'active' && missing !== null
      const message = `Nobody can sign in through it yet: ${missing}`
      return this.#saved(row, isUseless ? [{ code: 'provider_incomplete', message }] : [])
    })
  }

  /** Deletes pending sign-ins and connections to accounts with it. Sessions stay. */
  remove(actor: UserActor, id: string): void {
    const { db, providers } = this.#dependencies
    db.transaction(() => {
      const row = providers.find(actor, id, 'write')
      db.run(q.deleteFrom('sso_providers').where('id', '=', id))
      this.#record(actor, 'delete', row, { type: row.type, status: row.status })
    })
  }

  /** @throws AppError where the caller may not set up a provider, or not with this default role */
  #ownerOfNew(actor: UserActor, orgInQuery: string | undefined, input: Creation): ProviderOwner {
    const { db } = this.#dependencies
    const owner =
      input.ownerScope === 'partner'
        ? ownCompany(actor)
        : { orgId: organizationFor(db, actor, [input.orgId, orgInQuery], 'write'), partnerId: null }
    if (input.defaultRoleId) assertMayConfer(db, actor, owner, input.defaultRoleId)
    return owner
  }

  #insert(
    actor: UserActor,
    { orgId, partnerId }: ProviderOwner,
    { clientSecret, defaultRoleId }: Creation,
    columns: ReturnType<typeof newSettings> & Updateable<SsoProviderTable>,
  ): Provider {
    const { db, clock } = this.#dependencies
    const id = randomUUIDv7()
    const now = isoNow(clock)
    db.run(
      q.insertInto('sso_providers').values({
        ...columns,
        id,
        org_id: orgId,
        partner_id: partnerId,
        ...(clientSecret && { client_secret: this.#seal(id, clientSecret) }),
        ...(defaultRoleId && { default_role_id: defaultRoleId, default_role_configured_by: actor.userId }),
        created_by: actor.userId,
        created_at: now,
        updated_at: now,
      }),
    )
    return getProvider(db, id)
  }

  #assertChange(actor: UserActor, before: Provider, input: Update): void {
    changedFieldsOf(input)
    changedSettings(before, input)
    const isCleared = input.issuer === null && before.issuer !== null
    if (isCleared && (input.type ?? before.type) === 'oidc') throw new AppError('oidc_issuer_required')
    if (input.defaultRoleId) assertMayConfer(this.#dependencies.db, actor, ownerOf(before), input.defaultRoleId)
    const pointsElsewhere = changesIssuer(before, input) || namesOtherEndpoint(before, input)
    if (pointsElsewhere && !isOperator(actor) && vouchesForOperator(this.#dependencies.db, before)) {
      const error = 'An operator of this appliance signs in through it, so only an operator may point it elsewhere'
      throw new AppError('platform_admin_required', { error, message: error })
    }
  }

  #save(actor: UserActor, before: Provider, input: Update, answer: DiscoveryAnswer | null): Saved {
    const { views } = this.#dependencies
    const { clientSecret, defaultRoleId } = input
    const endpoints = changedEndpoints(before, input, answer)
    const isElsewhere = endpoints.token_url !== undefined && leavesTokenEndpoint(before, endpoints.token_url)
    const isSecretDropped = isElsewhere && before.client_secret !== null && clientSecret === undefined
    const after = this.#write(before, {
      ...changedSettings(before, input),
      ...endpoints,
      ...(clientSecret !== undefined && { client_secret: clientSecret && this.#seal(before.id, clientSecret) }),
      ...(isSecretDropped && { client_secret: null }),
      ...(defaultRoleId !== undefined && {
        default_role_id: defaultRoleId,
        default_role_configured_by: defaultRoleId && actor.userId,
      }),
    })
    const fields = [...changedFieldsOf(input), ...(isSecretDropped ? ['clientSecret'] : [])]
    this.#record(actor, 'update', after, changeOf(fields, views.one(before), views.one(after)))
    return this.#saved(after, [...notFound(answer), ...(isSecretDropped ? [secretDropped] : [])])
  }

  /** Raises the version in the same statement, so that no change can forget it. */
  #write({ id }: Provider, columns: Updateable<SsoProviderTable>): Provider {
    const { db, clock } = this.#dependencies
    db.run(
      q
        .updateTable('sso_providers')
        .set({ ...columns, config_version: sql<number>`config_version + 1`, updated_at: isoNow(clock) })
        .where('id', '=', id),
    )
    return getProvider(db, id)
  }

  #refuse(
    actor: UserActor,
    before: Provider,
    input: Update,
    { asked, error }: { asked: string; error: string },
  ): never {
    const details = { reason: error, issuer: asked, changedFields: changedFieldsOf(input) }
    this.#record(actor, 'update.rejected', before, details, 'failure')
    const message = `OIDC discovery failed for issuer "${asked}": ${error}`
    throw new AppError('oidc_discovery_failed', { error: message, message })
  }

  #seal = (id: string, secret: string): string => this.#dependencies.secrets.encrypt(secret, secretContext(id))

  #saved(row: Provider, warnings: Warning[]): Saved {
    const data: SsoProvider = this.#dependencies.views.one(row)
    return warnings.length > 0 ? { data, warnings } : { data }
  }

  #record(
    actor: UserActor,
    what: AuditActionOf<'sso.provider'>,
    row: Provider,
    details: Record<string, unknown>,
    result: NonNullable<AuditEvent['result']> = 'success',
  ): void {
    this.#dependencies.audit(actor, providerEvent(what, row, details, result))
  }
}

/** An audit event about a provider. */
export const providerEvent = (
  what: AuditActionOf<'sso.provider'>,
  provider: Provider,
  details: Record<string, unknown>,
  result: NonNullable<AuditEvent['result']>,
): AuditEvent => ({
  ...aboutProvider(provider),
  action: `sso.provider.${what}`,
  details: { ...details, partnerId: provider.partner_id },
  result,
})

/** Whether a platform admin signs in through this provider of a partner: only operators may point it elsewhere then. */
const vouchesForOperator = (db: Database, { id, partner_id }: Provider): boolean =>
  partner_id !== null &&
  db.first(
    q
      .selectFrom('user_sso_identities')
      .innerJoin('users', 'users.id', 'user_sso_identities.user_id')
      .select('users.id')
      .where('provider_id', '=', id)
      .where('is_platform_admin', '=', 1),
  ) !== undefined

function ownCompany(actor: UserActor): ProviderOwner {
  if (actor.scope !== 'partner' || actor.partnerId === null) throw new AppError('sso_partner_axis')
  assertWholePartner(actor)
  return { orgId: null, partnerId: actor.partnerId }
}

const found = (answer: DiscoveryAnswer | null) => {
  if (!answer) return {}
  return 'found' in answer ? discoveredColumns(answer.found) : { discovery_error: answer.error }
}

const notFound = (answer: DiscoveryAnswer | null): Warning[] =>
  answer && 'error' in answer
    ? [{ code: 'oidc_discovery_failed', message: `OIDC discovery failed: ${answer.error}` }]
    : []

const secretDropped: Warning = {
  code: 'client_secret_cleared',
  message: 'The client secret was given for another server, so it is forgotten. Enter it again.',
}
