import { callsTo } from '../../server/admin/samples/client.ts'
import { q } from '../../server/db/query.ts'
import { login } from '../../shared/api/auth.ts'
import { createEnrollmentKey } from '../../shared/api/enrollment-keys.ts'
import { enroll } from '../../shared/device/enroll.ts'
import type { OsType } from '../../shared/device/inventory.ts'
import { type AgentSocket, type Credentials, connect } from '../helpers/fake-device.ts'
import { ada, type Company, password } from './company.ts'
import type { SeededOrganization } from './tenants.ts'

export interface ConnectedDevice extends Credentials {
  hostname: string
  socket: AgentSocket
}

/** The access token of the administrator. */
export async function tokenOfAda({ origin }: Company): Promise<string> {
  const reply = await callsTo(origin)(login, { body: { email: ada.email, password } })
  return 'tokens' in reply && reply.tokens ? reply.tokens.accessToken : ''
}

/** A new device with restic whose agent is connected. */
export async function connectNewDevice(
  company: Company,
  org: SeededOrganization,
  hostname: string,
  { site = 0, osType = 'linux' }: { site?: number; osType?: OsType } = {},
): Promise<ConnectedDevice> {
  const call = callsTo(company.origin)
  const token = await tokenOfAda(company)
  const siteId = org.sites[site]?.id ?? ''
  const { key } = await call(createEnrollmentKey, { body: { orgId: org.id, siteId, name: 'Tills' } }, token)
  const about = { hostname, osType, osVersion: '24.04', architecture: 'amd64', agentVersion: '0.5.0' }
  const credentials = await call(enroll, { body: { enrollmentKey: key, ...about } })
  const engine = { backup_version: 'restic/0.18.0' }
  company.db.run(q.updateTable('devices').set(engine).where('id', '=', credentials.deviceId))
  return { ...credentials, hostname, socket: await connect(company.origin, credentials) }
}
