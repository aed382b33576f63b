import { q } from '../../server/db/query.ts'
import { day } from '../../server/platform/clock.ts'
import { archiveOrganization, listErasures, restoreOrganization } from '../../shared/api/lifecycle.ts'
import { readOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import { showFactor } from '../contract/stage.ts'
import { company, signIn } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

/** A company whose administrator has shown a second factor, with calls to archive and restore its organization. */
export async function archiving(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const { admin, org, site, key, device } = await company(app)
  showFactor(app, admin.userId)
  let token: string | null = admin.token
  /** The token of the administrator, who signs in again once time has passed. */
  const ownToken = async () => {
    if (token === null) {
      app.db.run(q.updateTable('users').set({ mfa_enabled: 0, mfa_method: null }).where('id', '=', admin.userId))
      token = await signIn(app, admin.email)
      showFactor(app, admin.userId)
    }
    return token
  }
  const as = async (by?: string) => ({ token: by ?? (await ownToken()) })
  const params = { id: org.id }
  return {
    app,
    admin,
    org,
    site,
    key,
    device,
    token: ownToken,
    archive: async (body?: object, id = org.id, by?: string) =>
      app.call(archiveOrganization, { params: { id }, ...(body && { body: body as never }) }, await as(by)),
    restore: async (id = org.id, by?: string) => app.call(restoreOrganization, { params: { id } }, await as(by)),
    read: async (id = org.id) => app.call(readOrganization, { params: { id } }, await as()),
    patch: async (body: object, by?: string) =>
      app.call(updateOrganization, { params, body: body as never }, await as(by)),
    erasures: async (by?: string) => app.call(listErasures, {}, await as(by)),
    row: (id = org.id) => app.db.first(q.selectFrom('organizations').selectAll().where('id', '=', id)),
    sweep: () => app.app.jobs.runNow('tenants.sweep'),
    pass: (days: number) => {
      app.clock.advance(days * day)
      token = null
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
