import { q } from '../../server/db/query.ts'
import { deleteOrganization, updateOrganization } from '../../shared/api/organizations.ts'
import { updatePartner } from '../../shared/api/partners.ts'
import { showFactor } from '../contract/stage.ts'
import { commander, commandOf } from '../helpers/commands.ts'
import { company, enrolledDevice, person } from '../helpers/factories.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { type TestApp, testApp } from '../helpers/test-app.ts'

export type OrganizationStatus = 'active' | 'trial' | 'suspended' | 'churned' | 'offboarding'
export type PartnerStatus = 'pending' | 'active' | 'suspended' | 'churned' | 'offboarding'

/** A company with one organization and its devices, an administrator and an operator, both with a factor. */
export async function leaving(options: Parameters<typeof testApp>[0] = {}) {
  const app = await testApp(options)
  const { admin, org, site, key, device } = await company(app)
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  for (const id of [admin.userId, operator.id]) showFactor(app, id)
  let count = 0
  return {
    app,
    admin,
    operator,
    org,
    site,
    key,
    device: fakeDevice(app, device),
    console: commander(app, admin.token),
    newDevice: async () => fakeDevice(app, await enrolledDevice(app, key.key, `leaving-${++count}`)),
    patch: (status: OrganizationStatus, { id = org.id, token = admin.token } = {}) =>
      app.call(updateOrganization, { params: { id }, body: { status } }, { token }),
    patchPartner: (status: PartnerStatus, id = admin.partnerId) =>
      app.call(updatePartner, { params: { id }, body: { status } }, { token: operator.token }),
    remove: () => app.call(deleteOrganization, { params: { id: org.id } }, { token: admin.token }),
    sweep: () => app.app.jobs.runNow('tenants.sweep'),
    /** Lets enough time pass for a drain without remaining agents to end by itself. */
    endDue: () => {
      app.clock.advance(2000)
      app.app.drainCompletion.start()
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

/** The removal commands of a device, oldest first. */
export const removalsOf = (app: TestApp, deviceId: string) =>
  app.db
    .all(
      q
        .selectFrom('device_commands')
        .select('id')
        .where('device_id', '=', deviceId)
        .where('type', '=', 'self_uninstall')
        .orderBy('created_at')
        .orderBy('id'),
    )
    .map(({ id }) => ({ ...commandOf(app, id), reasons: reasonsOf(app, id) }))

const reasonsOf = (app: TestApp, id: string) => JSON.parse(commandOf(app, id).reasons) as string[]

export const organizationRow = (app: TestApp, id: string) =>
  app.db.first(q.selectFrom('organizations').selectAll().where('id', '=', id))
export const partnerRow = (app: TestApp, id: string) =>
  app.db.first(q.selectFrom('partners').selectAll().where('id', '=', id))
