import { generateSync } from 'otplib'
import { createApiKey } from '../../../shared/api/api-keys.ts'
import { queueCommand, runScript } from '../../../shared/api/commands.ts'
import { createContact } from '../../../shared/api/contacts.ts'
import { createDeviceGroup } from '../../../shared/api/device-groups.ts'
import { decommissionDevice, setDeviceMaintenance, updateDevice } from '../../../shared/api/devices.ts'
import { createEnrollmentKey } from '../../../shared/api/enrollment-keys.ts'
import { acceptInvite } from '../../../shared/api/invitations.ts'
import { archiveOrganization } from '../../../shared/api/lifecycle.ts'
import { mfaEnable, mfaSetup } from '../../../shared/api/mfa.ts'
import { createOrganization, updateOrganization } from '../../../shared/api/organizations.ts'
import { inviteUser, listUserRoles } from '../../../shared/api/people.ts'
import { createSite } from '../../../shared/api/sites.ts'
import { bootstrap, setupComplete } from '../../../shared/api/system.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { day } from '../../platform/clock.ts'
import { beat } from './agents.ts'
import { addBackups, type BackupRecords } from './backups.ts'
import type { Call } from './client.ts'
import { enrollDevice, type SampleDevice } from './devices.ts'
import { hasLeft } from './presence.ts'

export const sampleAdmin = { email: 'admin@homeport.test', password: 'Lantern-dev-42' }

const offices = [
  { name: 'Berlin office', slug: 'berlin-office', timezone: 'Europe/Berlin', sites: ['Headquarters', 'Warehouse'] },
  { name: 'Lisbon office', slug: 'lisbon-office', timezone: 'Europe/Lisbon', sites: ['Chiado'] },
  { name: 'Research lab', slug: 'research-lab', timezone: 'UTC', sites: ['Clean room', 'Server room'] },
]
const devicesPerSite = 8

/** What the samples are made with. */
interface Making {
  call: Call
  db: Database
  /** Every device that was enrolled, in order. */
  devices: SampleDevice[]
}

/**
 * A company in which each state occurs that an organization, a device, a person or a command can have. It is made
 * through the API like a real one; written directly is only what takes time or another appliance: the past of
 * metrics and presence, an agent that updates itself, a device that waits.
 * @returns the devices whose agents go on sending heartbeats
 */
export async function makeCompany(
  call: Call,
  db: Database,
  records: BackupRecords,
  setupCode: string,
): Promise<SampleDevice[]> {
  const making: Making = { call, db, devices: [] }
  const { tokens } = await call(bootstrap, {
    body: { ...sampleAdmin, setupCode, companyName: 'Northwind Traders', name: 'Alex Admin' },
  })
  const admin = tokens.accessToken
  await call(setupComplete, {}, admin)
  const orgIds: string[] = []
  for (const office of offices) orgIds.push(await openOffice(making, admin, office))
  const technician = await hireTechnician(call, admin)
  const [berlin = ''] = orgIds
  await inviteViewer(call, admin, berlin)
  await addContacts(call, technician, berlin)
  await addGroups(making, technician, berlin)
  await addKeys(call, admin, berlin)
  await runCommands(making, technician)
  const backedUp = making.devices.slice(0, 2 * devicesPerSite)
  await addBackups({ call, db, ...records, technician, orgId: berlin, devices: backedUp })
  const waiting = await openTrial(making, technician)
  await closeOrganizations(making, technician)
  return making.devices.filter(({ n, deviceId }) => !hasLeft(n) && !waiting.has(deviceId))
}

interface Office {
  name: string
  slug: string
  timezone: string
  sites: readonly string[]
}

/** An organization with sites and eight devices each. */
async function openOffice({ call, db, devices }: Making, token: string, office: Office): Promise<string> {
  const { timezone, sites, ...organization } = office
  const { id: orgId } = await call(createOrganization, { body: organization }, token)
  for (const name of sites) {
    const { id: siteId } = await call(createSite, { body: { orgId, name, timezone } }, token)
    const body = { orgId, siteId, name: `${name} roll-out`, maxUsage: 20 }
    const { key } = await call(createEnrollmentKey, { body }, token)
    for (let count = 0; count < devicesPerSite; count++) devices.push(await enrollDevice(call, db, key, devices.length))
  }
  return orgId
}

/** A colleague with a second factor, who may do all that asks for one. Returns their access token. */
async function hireTechnician(call: Call, admin: string): Promise<string> {
  const { data: roles } = await call(listUserRoles, {}, admin)
  const roleId = roles.find(({ name }) => name === 'Partner Admin')?.id ?? ''
  const invitation = { email: 'sam@homeport.test', name: 'Sam Sharma', roleId, orgAccess: 'all' as const }
  const { inviteUrl } = await call(inviteUser, { body: invitation }, admin)
  const token = inviteUrl?.split(/[#/=]/).at(-1) ?? ''
  const { tokens } = await call(acceptInvite, { body: { token, password: 'Harbor-dev-4711' } })
  const { secret } = await call(mfaSetup, {}, tokens?.accessToken)
  const enrolled = await call(mfaEnable, { body: { code: generateSync({ secret }) } }, tokens?.accessToken)
  return enrolled.tokens.accessToken
}

/** Somebody who has not answered their invitation. */
async function inviteViewer(call: Call, admin: string, orgId: string): Promise<void> {
  const query = { orgId, ownerScope: 'organization' as const }
  const { data: roles } = await call(listUserRoles, { query }, admin)
  const roleId = roles.find(({ name }) => name === 'Org Viewer')?.id ?? ''
  await call(inviteUser, { query, body: { email: 'kim@homeport.test', name: 'Kim Keller', roleId } }, admin)
}

async function addContacts(call: Call, technician: string, id: string): Promise<void> {
  for (const body of [
    { name: 'Petra Lindqvist', email: 'petra@berlin.homeport.test', title: 'Office manager', isPrimary: true },
    { name: 'Jonas Weber', email: 'jonas@berlin.homeport.test', phone: '+49 30 901820', roles: ['technical'] },
    { name: 'Accounts payable', email: 'invoices@berlin.homeport.test', roles: ['billing'] },
  ])
    await call(createContact, { params: { id }, body }, technician)
}

async function addGroups({ call, devices }: Making, technician: string, orgId: string): Promise<void> {
  const deviceIds = devices.slice(0, 3).map(({ deviceId }) => deviceId)
  await call(createDeviceGroup, { body: { orgId, name: 'Pilot ring', deviceIds } }, technician)
  const isServer = { field: 'deviceRole', operator: 'equals', value: 'server' }
  const filterConditions = { operator: 'AND', conditions: [isServer] }
  await call(createDeviceGroup, { body: { orgId, name: 'Servers', type: 'dynamic', filterConditions } }, technician)
  for (const { deviceId: id } of devices.slice(0, 3))
    await call(updateDevice, { params: { id }, body: { tags: ['pilot'] } }, technician)
}

/** Keys that expire soon. */
async function addKeys(call: Call, admin: string, orgId: string): Promise<void> {
  const expiresAt = new Date(Date.now() + 6 * day).toISOString()
  const scopes = ['devices:read' as const]
  await call(createApiKey, { body: { orgId, name: 'Inventory export', scopes, expiresAt } }, admin)
  await call(createEnrollmentKey, { body: { orgId, name: 'Temporary staff', maxUsage: 5, expiresAt } }, admin)
}

/** A script that works and one that fails, a finished command, and one that waits for its device. */
async function runCommands({ call, devices }: Making, technician: string): Promise<void> {
  const [first, second, , , , , away] = devices
  if (!first || !second || !away) throw new Error('The commands need seven devices')
  const disks = {
    language: 'powershell' as const,
    content: '# Free space of every volume\nGet-PSDrive -PSProvider FileSystem',
  }
  const repair = { language: 'powershell' as const, content: 'chkdsk C: /scan\nexit 1' }
  await call(runScript, { params: { id: first.deviceId }, body: disks }, technician)
  await call(runScript, { params: { id: second.deviceId }, body: repair }, technician)
  await call(queueCommand, { params: { id: first.deviceId }, body: { type: 'refresh_inventory' } }, technician)
  await beat(call, first)
  await beat(call, second)
  await call(queueCommand, { params: { id: away.deviceId }, body: { type: 'refresh_inventory' } }, technician)
}

/**
 * An organization on trial, whose devices are in all the states that are neither online nor offline.
 * @returns the ids of those whose agent does not report
 */
async function openTrial(making: Making, technician: string): Promise<Set<string>> {
  const { call, db, devices } = making
  const office = {
    name: 'Stockholm office',
    slug: 'stockholm-office',
    timezone: 'Europe/Stockholm',
    sites: ['Slussen'],
  }
  const start = devices.length
  const orgId = await openOffice(making, technician, office)
  await call(updateOrganization, { params: { id: orgId }, body: { status: 'trial' } }, technician)
  const [inMaintenance, decommissioned, updating, pending, quarantined] = devices
    .slice(start)
    .filter(({ n }) => !hasLeft(n))
    .map(({ deviceId }) => deviceId)
  if (!inMaintenance || !decommissioned || !updating || !pending || !quarantined)
    throw new Error('The states need five devices')
  const hours = { enable: true, durationHours: 168 }
  await call(setDeviceMaintenance, { params: { id: inMaintenance }, body: hours }, technician)
  await call(decommissionDevice, { params: { id: decommissioned } }, technician)
  const at = new Date().toISOString()
  const changes = [
    [updating, { status: 'updating', updated_at: at }],
    [pending, { status: 'pending', last_seen_at: null, updated_at: at }],
    [
      quarantined,
      { status: 'quarantined', quarantined_at: at, quarantined_reason: 'hostname_collision', updated_at: at },
    ],
  ] as const
  db.transaction(() => {
    for (const [id, change] of changes) db.run(q.updateTable('devices').set(change).where('id', '=', id))
  })
  return new Set([decommissioned, updating, pending, quarantined])
}

/** Organizations that are suspended, closed, archived, and on the way to be closed. */
async function closeOrganizations({ call, db, devices }: Making, technician: string): Promise<void> {
  const open = async (name: string, slug: string) =>
    (await call(createOrganization, { body: { name, slug } }, technician)).id
  const suspended = await open('Oslo office', 'oslo-office')
  await call(updateOrganization, { params: { id: suspended }, body: { status: 'suspended' } }, technician)
  const closed = await open('Madrid office', 'madrid-office')
  await call(updateOrganization, { params: { id: closed }, body: { status: 'churned' } }, technician)
  const archived = await open('Vienna office', 'vienna-office')
  await call(archiveOrganization, { params: { id: archived } }, technician)
  const closing = await open('Porto office', 'porto-office')
  const { id: siteId } = await call(createSite, { body: { orgId: closing, name: 'Ribeira' } }, technician)
  const body = { orgId: closing, siteId, name: 'Ribeira roll-out', maxUsage: 5 }
  const { key } = await call(createEnrollmentKey, { body }, technician)
  // Its only device is offline, so that the appliance goes on waiting for it.
  devices.push(await enrollDevice(call, db, key, 104))
  await call(updateOrganization, { params: { id: closing }, body: { status: 'offboarding' } }, technician)
}
