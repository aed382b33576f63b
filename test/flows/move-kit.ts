import { moveDevices, moveDeviceToOrganization } from '../../shared/api/devices.ts'
import type { BodyOf } from '../../shared/endpoint.ts'
import { holdings } from '../helpers/factories.ts'
import { fleet } from './group-kit.ts'

/** A company with two organizations: three devices in Berlin, one in Hamburg. */
export async function moveScene(env: Record<string, string> = {}) {
  const scene = await fleet(env)
  const { app, admin } = scene
  const hamburg = await holdings(app, admin.token, 'Hamburg', 'hh-1')
  const toHamburg = { orgId: hamburg.org.id, siteId: hamburg.site.id }
  return {
    ...scene,
    hamburg,
    toHamburg,
    move: (id: string, body: BodyOf<typeof moveDeviceToOrganization> = toHamburg, token = admin.token) =>
      app.call(moveDeviceToOrganization, { params: { id }, body }, { token }),
    moveMany: (body: BodyOf<typeof moveDevices>, token = admin.token) => app.call(moveDevices, { body }, { token }),
  }
}
