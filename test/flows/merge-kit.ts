import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { q } from '../../server/db/query.ts'
import type { ContactTable } from '../../server/features/contacts/tables.ts'
import { toJson } from '../../server/lib/json.ts'
import { isoNow } from '../../server/platform/clock.ts'
import { mergeOrganization, previewMerge, readMergeRun } from '../../shared/api/organization-merge.ts'
import { showFactor } from '../contract/stage.ts'
import { eventually } from '../helpers/eventually.ts'
import { bootstrapped, holdings } from '../helpers/factories.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** Two organizations of one company, each with a site, a key and a device, and a user who may merge them. */
export async function mergeScene(env: Record<string, string> = {}) {
  const unlimited = { HOMEPORT_LIMIT_AGENT: '0/60', HOMEPORT_LIMIT_AGENT_ADDRESS: '0/60' }
  const app = await testApp({ env: { ORG_MERGE_FENCE_DRAIN_MS: '0', ...unlimited, ...env } })
  onTestFinished(() => app[Symbol.asyncDispose]())
  // Merges wait until a test starts the tasks.
  await app.app.tasks.stop()
  const admin = await bootstrapped(app)
  showFactor(app, admin.userId)
  const loser = await holdings(app, admin.token, 'Loser', 'loser-pc')
  const survivor = await holdings(app, admin.token, 'Survivor', 'survivor-pc')
  return { app, admin, loser, survivor, ...merging(app, admin.token, loser.org.id, survivor.org.id) }
}

function merging(app: TestApp, token: string, loserId: string, survivorId: string) {
  const runOf = (jobId = `org-merge-${loserId}`) => app.call(readMergeRun, { params: { jobId } }, { token })
  const ended = (state: 'completed' | 'failed') =>
    eventually(async () => {
      const { body } = await runOf()
      expect(body.state, JSON.stringify(body)).toBe(state)
      return body
    })
  const merge = (body: { confirmName?: string } = {}) =>
    app.call(mergeOrganization, { params: { id: loserId }, body: { survivorId, ...body } }, { token })
  const run = async (state: 'completed' | 'failed') => {
    expect(await merge()).toMatchObject({ status: 202, body: { jobId: `org-merge-${loserId}` } })
    app.app.tasks.start()
    return ended(state)
  }
  return {
    merge,
    runOf,
    ended,
    /** Merges and waits for the end. */
    run,
    preview: () => app.call(previewMerge, { params: { id: loserId }, body: { survivorId } }, { token }),
  }
}

/** All rows of all tables, without the rate limits and the tables named in `except`. */
export function rowsOf(app: TestApp, ...except: string[]): Record<string, unknown[]> {
  const names = Object.keys(app.rowCounts()).filter((name) => !['rate_limits', ...except].includes(name))
  return Object.fromEntries(names.map((name) => [name, app.db.statement(`SELECT * FROM "${name}" ORDER BY 1`).all()]))
}

export function addContact(app: TestApp, orgId: string, fields: Partial<Insertable<ContactTable>>): string {
  const id = randomUUID()
  const now = isoNow(app.clock)
  app.db.run(
    q.insertInto('contacts').values({ id, org_id: orgId, name: 'Kim', created_at: now, updated_at: now, ...fields }),
  )
  return id
}

export const addLink = (app: TestApp, orgId: string, contactId: string, externalId: string) =>
  app.db.run(
    q.insertInto('contact_external_links').values({
      id: randomUUID(),
      org_id: orgId,
      contact_id: contactId,
      system: 'psa',
      external_id: externalId,
      created_at: isoNow(app.clock),
    }),
  )

export function addRole(app: TestApp, orgId: string, name: string, parentId: string | null = null): string {
  const id = randomUUID()
  const now = isoNow(app.clock)
  app.db.run(
    q.insertInto('roles').values({
      id,
      org_id: orgId,
      parent_role_id: parentId,
      scope: 'organization',
      name,
      created_at: now,
      updated_at: now,
    }),
  )
  return id
}

export function addGroup(app: TestApp, orgId: string, siteId: string | null, deviceIds: readonly string[]): string {
  const id = randomUUID()
  const now = isoNow(app.clock)
  app.db.run(
    q
      .insertInto('device_groups')
      .values({ id, org_id: orgId, site_id: siteId, name: 'Kiosks', created_at: now, updated_at: now }),
  )
  for (const deviceId of deviceIds)
    app.db.run(
      q
        .insertInto('device_group_members')
        .values({ group_id: id, device_id: deviceId, added_by: 'manual', added_at: now }),
    )
  return id
}

/** Adds a membership, also for a user who belongs to another organization already. */
export const addMembership = (
  app: TestApp,
  orgId: string,
  userId: string,
  roleId: string,
  siteIds: readonly string[] | null,
  groupIds: readonly string[] | null = null,
) =>
  app.db.run(
    q.insertInto('organization_users').values({
      id: randomUUID(),
      org_id: orgId,
      user_id: userId,
      role_id: roleId,
      site_ids: siteIds && toJson([...siteIds]),
      device_group_ids: groupIds && toJson([...groupIds]),
      created_at: isoNow(app.clock),
    }),
  )

/** The organization of every row of a table, by the id of the row. */
export const orgOf = (app: TestApp, table: string, id: string) =>
  app.db.statement(`SELECT org_id FROM ${table} WHERE id = ?`).pluck().get(id)

export const auditCount = (app: TestApp, orgId: string) =>
  app.db.statement('SELECT count(*) FROM audit_logs WHERE org_id = ?').pluck().get(orgId) as number

/** Makes the last step of erasing organizations fail, so that a test sees what is left until then. */
export function holdErasures(app: TestApp): () => void {
  app.db.statement(`CREATE TRIGGER held BEFORE DELETE ON organizations BEGIN SELECT raise(ABORT, 'held'); END`).run()
  return () => app.db.statement('DROP TRIGGER held').run()
}

/** Adds an active identity provider that enforces single sign-on; returns its id. */
export function addSsoProvider(app: TestApp, orgId: string): string {
  const id = randomUUID()
  const now = isoNow(app.clock)
  const flags = { status: 'active', enforce_sso: 1 } as const
  const told = { name: 'Entra', type: 'oidc', attribute_mapping: toJson({ email: 'email', name: 'name' }) } as const
  app.db.run(
    q.insertInto('sso_providers').values({ id, org_id: orgId, ...told, ...flags, created_at: now, updated_at: now }),
  )
  return id
}

export function addDomain(app: TestApp, orgId: string, domain: string): string {
  const id = randomUUID()
  const now = isoNow(app.clock)
  const row = { id, org_id: orgId, domain, verification_token: id, verified_at: now, created_at: now, updated_at: now }
  app.db.run(q.insertInto('sso_verified_domains').values(row))
  return id
}
