import { importContacts, previewContactImport } from '../../shared/api/contact-import.ts'
import { createContact, deleteContact, listContacts, updateContact } from '../../shared/api/contacts.ts'
import { readOrganization } from '../../shared/api/organizations.ts'
import { readSite, updateSite } from '../../shared/api/sites.ts'
import { omnipotent, showFactor } from '../contract/stage.ts'
import { bootstrapped, organizationOf, type Person, siteOf } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'

type Body = Record<string, unknown>

/** An organization with two sites, and an administrator who has shown a second factor. */
export async function contactScene() {
  const app = await testApp()
  const admin = await bootstrapped(app)
  showFactor(app, admin.userId)
  const { token } = admin
  const org = await organizationOf(app, token, 'Berlin')
  const hq = await siteOf(app, token, org.id, 'HQ')
  const depot = await siteOf(app, token, org.id, 'Depot')
  const scene = {
    app,
    admin,
    org,
    hq,
    depot,
    list: (query: Record<string, string> = {}, as = token, id = org.id) =>
      app.call(listContacts, { params: { id }, query }, { token: as }),
    create: (body: Body, as = token, id = org.id) => app.call(createContact, { params: { id }, body }, { token: as }),
    change: (contactId: string, body: Body, as = token) =>
      app.call(updateContact, { params: { contactId }, body }, { token: as }),
    remove: (contactId: string, as = token) => app.call(deleteContact, { params: { contactId } }, { token: as }),
    organization: async () => (await app.call(readOrganization, { params: { id: org.id } }, { token })).body,
    site: async (id = hq.id) => (await app.call(readSite, { params: { id } }, { token })).body,
    changeSite: (body: Body, id = hq.id) => app.call(updateSite, { params: { id }, body }, { token }),
    preview: (rows: Body[], as = token, more: Body = {}) =>
      app.call(previewContactImport, { body: { rows, ...more } as never }, { token: as }),
    commit: (rows: Body[], more: Body = {}, as = token) =>
      app.call(importContacts, { body: { rows, ...more } as never }, { token: as }),
    /** A user of the organization who is confined to these sites and has shown a second factor. */
    confined: async (siteIds: string[] | null, more: Partial<Person> = {}) => {
      const email = `c${siteIds?.length ?? 'all'}@x.test`
      const who = await omnipotent(app, { email, scope: 'organization', orgId: org.id, siteIds, ...more })
      showFactor(app, who.id)
      return who.token
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
  return scene
}
