import { q } from '../../server/db/query.ts'
import type { OrganizationRow } from '../../server/features/organization-access/index.ts'
import {
  createOrganization,
  deleteOrganization,
  effectiveSettings,
  listOrganizations,
  listOrganizationTree,
  orderOrganizations,
  readOrganization,
  updateOrganization,
} from '../../shared/api/organizations.ts'
import { bootstrapped } from '../helpers/factories.ts'
import { auditOf } from '../helpers/rows.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

/** Calls about organizations; bodies may be anything, for what is refused. */
export function organizationsAs(app: TestApp, token: string) {
  return {
    create: (body: Record<string, unknown>) => app.call(createOrganization, { body: body as never }, { token }),
    update: (id: string, body: Record<string, unknown>) =>
      app.call(updateOrganization, { params: { id }, body: body as never }, { token }),
    remove: (id: string) => app.call(deleteOrganization, { params: { id } }, { token }),
    read: (id: string) => app.call(readOrganization, { params: { id } }, { token }),
    effective: (id: string) => app.call(effectiveSettings, { params: { id } }, { token }),
    list: (query: Record<string, string> = {}) => app.call(listOrganizations, { query: query as never }, { token }),
    tree: () => app.call(listOrganizationTree, {}, { token }),
    order: (orderedIds: unknown, query: Record<string, string> = {}) =>
      app.call(orderOrganizations, { body: { orderedIds } as never, query }, { token }),
  }
}

/** A company and its administrator. */
export async function companyScene() {
  const app = await testApp()
  const admin = await bootstrapped(app)
  return { app, admin, ...organizationsAs(app, admin.token) }
}

/** One after the other, so that the order of their creation is known. */
export async function createEach(app: TestApp, token: string, names: readonly string[]): Promise<string[]> {
  const ids: string[] = []
  for (const name of names) {
    app.clock.advance(1)
    const { body } = await organizationsAs(app, token).create({ name, slug: name.replaceAll(' ', '-') })
    ids.push(body.id)
  }
  return ids
}

export const setStatus = (app: TestApp, id: string, status: OrganizationRow['status']) =>
  app.db.run(q.updateTable('organizations').set({ status }).where('id', '=', id))

export const lastDetails = (app: TestApp, action: string) => auditOf(app, action).at(-1)?.details

export const namesIn = ({ body }: { body: { data: readonly { name: string }[] } }) => body.data.map(({ name }) => name)
