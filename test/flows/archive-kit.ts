import { q } from '../../server/db/query.ts'
import { day } from '../../server/platform/clock.ts'
import { archiveOrganization, listErasures, restoreOrganization } from '../../shared/api/organization-life.ts'
import { readOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import { showFactor } from '../contract/stage.ts'
import { company, signIn } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

/** A company whose administrator has shown a second factor, to archive its organization and bring it back. */
export async function archiving(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const { admin, org, site, key, device } = await company(app)
  showFactor(app, admin.userId)
  let { token } = admin
  const as = (by?: string) => ({ token: by ?? token })
  const params = { id: org.id }
  return {
    app,
    admin,
    org,
    site,
    key,
    device,
    get token() {
      return token
    },
    archive: (body?: object, id = org.id, by?: string) =>
      app.call(archiveOrganization, { params: { id }, ...(body && { body: body as never }) }, as(by)),
    restore: (id = org.id, by?: string) => app.call(restoreOrganization, { params: { id } }, as(by)),
    read: (id = org.id) => app.call(readOrganization, { params: { id } }, as()),
    patch: (body: object, by?: string) => app.call(updateOrganization, { params, body: body as never }, as(by)),
    erasures: (by?: string) => app.call(listErasures, {}, as(by)),
    row: (id = org.id) => app.db.first(q.selectFrom('organizations').selectAll().where('id', '=', id)),
    sweep: () => app.app.jobs.runNow('tenants.sweep'),
    /** Days pass; whoever was signed in comes back. */
    pass: async (days: number) => {
      app.clock.advance(days * day)
      app.db.run(q.updateTable('users').set({ mfa_enabled: 0, mfa_method: null }).where('id', '=', admin.userId))
      token = await signIn(app, admin.email)
      showFactor(app, admin.userId)
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}
