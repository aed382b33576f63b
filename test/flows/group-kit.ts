import { randomUUID } from 'node:crypto'
import { createDeviceGroup, listGroupDevices } from '../../shared/api/device-groups.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { allPermissions } from '../../shared/permissions.ts'
import { regrant, showFactor } from '../contract/stage.ts'
import { company, enrolledDevice, person, siteOf } from '../helpers/factories.ts'
import { type Answer, type TestApp, testApp } from '../helpers/test-app.ts'

/** A company with three devices: two at its first site, one at another. The administrator has shown a factor. */
export async function fleet(env: Record<string, string> = {}) {
  const app = await testApp({ env: { HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60', ...env } })
  const { admin, org, site, key, device } = await company(app)
  showFactor(app, admin.userId)
  const branch = await siteOf(app, admin.token, org.id, 'Branch')
  const second = await enrolledDevice(app, key.key, 'pc-2')
  const far = await enrolledDevice(app, key.key, 'srv-1')
  app.db.statement('UPDATE devices SET site_id = ? WHERE id = ?').run(branch.id, far.deviceId)
  return { app, admin, org, site, branch, key, one: device, two: second, far }
}
export type Fleet = Awaited<ReturnType<typeof fleet>>

export async function groupOf({ app, admin, org }: Fleet, wanted: Partial<BodyOf<typeof createDeviceGroup>> = {}) {
  const body = { orgId: org.id, name: 'Group', ...wanted }
  const answer = await app.call(createDeviceGroup, { body }, { token: admin.token })
  if (answer.status !== 201) throw new Error(`group: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body.data
}

export const named = (contains: string) => ({
  operator: 'AND',
  conditions: [{ field: 'hostname', operator: 'contains', value: contains }],
})

export async function namesIn(app: TestApp, token: string, id: string): Promise<string[]> {
  const { body } = await app.call(listGroupDevices, { params: { id } }, { token })
  return body.data.map(({ hostname }) => hostname)
}

/** A user who sees only the devices of these groups, holds every permission and has shown a factor. */
export async function confinedTo({ app, org }: Fleet, deviceGroupIds: string[], siteIds: string[] | null = null) {
  regrant(app, { name: 'Org Admin', scope: 'organization' }, allPermissions)
  const email = `confined-${randomUUID()}@x.test`
  const who = await person(app, { email, scope: 'organization', orgId: org.id, deviceGroupIds, siteIds })
  showFactor(app, who.id)
  return who
}

export const statusAndError = ({ status, body }: Answer<object>) => [status, (body as { error?: string }).error]
