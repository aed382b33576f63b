import { randomUUIDv7 } from 'node:crypto'
import type { Updateable } from 'kysely'
import { q } from '../../server/db/query.ts'
import type { SsoProviderTable } from '../../server/features/sso/tables.ts'
import { iso } from '../../server/platform/clock.ts'
import type { TestApp } from './test-app.ts'

/** Identity providers straight into the tables: for tests in which no user signs in through one. */

type Owner = { orgId: string } | { partnerId: string }

/** One that is active and enforced. */
export function enforcingProvider(app: TestApp, owner: Owner, values: Updateable<SsoProviderTable> = {}): string {
  const id = randomUUIDv7()
  const now = iso(app.clock.now())
  app.db.run(
    q.insertInto('sso_providers').values({
      id,
      org_id: 'orgId' in owner ? owner.orgId : null,
      partner_id: 'partnerId' in owner ? owner.partnerId : null,
      name: 'Corp sign-in',
      type: 'oidc',
      attribute_mapping: JSON.stringify({ email: 'email', name: 'name' }),
      created_at: now,
      updated_at: now,
      status: 'active',
      enforce_sso: 1,
      ...values,
    } as never),
  )
  return id
}

export const setProvider = (app: TestApp, id: string, values: Updateable<SsoProviderTable>) =>
  app.db.run(q.updateTable('sso_providers').set(values).where('id', '=', id))
