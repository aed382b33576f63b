import { randomUUID, randomUUIDv7 } from 'node:crypto'
import type { Database, TableName } from '../../server/db/database.ts'
import { q } from '../../server/db/query.ts'
import { toJson } from '../../server/lib/json.ts'
import { AuditChains, type AuditRow, eventChecksum } from '../../server/platform/audit-chain.ts'
import type { Secrets } from '../../server/platform/secrets.ts'
import type { Ids } from '../contract/kit.ts'
import { longText } from './largest.ts'
import { type Large, worstRule } from './special-questions.ts'

/** An appliance in use for years, whose names are such that searches take longest. */

const amounts = {
  devices: 20_000,
  /** Of twelve devices. */
  software: 10_000,
  events: 100_000,
  organizations: 2000,
  sites: 1000,
  groups: 300,
  contacts: 5000,
  people: 3000,
  roles: 500,
  others: 1000,
}

type Row = Record<string, string | number | null>

const many = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n))
const idsFor = (count: number) => many(count, () => randomUUIDv7())
const began = Date.now()
const minutesAgo = (minutes: number) => new Date(began - minutes * 60_000).toISOString()
const stamps = { created_at: minutesAgo(5000), updated_at: minutesAgo(5000) }
/** As much JSON as may be kept with something, in as many fields. */
const manyFields = JSON.stringify(Object.fromEntries(many(2600, (n) => [`k${n}aaaaaa`, `v${n}`])))
const called = (n: number) => `${longText(240)} ${n}`

/** Fills the company of the ids, before all its organization; `userId` is who works there. */
export function fillAppliance(db: Database, secrets: Secrets, ids: Ids, userId: string): Large {
  const insert = (table: TableName, rows: readonly Row[]) => {
    for (const row of rows) {
      const columns = Object.keys(row)
      const marks = columns.map(() => '?').join(', ')
      db.statement(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${marks})`).run(Object.values(row))
    }
  }
  return db.transaction(() => {
    const devices = fillDevices(insert, ids)
    for (const id of [ids.device, ...devices.slice(0, 11)]) fillReports(insert, id)
    fillHistory(db, insert, ids)
    const places = fillPlaces(insert, ids)
    const groups = fillGroups(insert, ids, devices)
    fillContacts(insert, ids)
    fillPeople(db, insert, ids, userId)
    fillSettings(insert, ids, userId)
    fillLog(db, new AuditChains(db, secrets), ids, userId)
    return { ...ids, devices, ...places, ...groups }
  })
}

type Insert = (table: TableName, rows: readonly Row[]) => void

function fillDevices(insert: Insert, { org, site }: Ids): string[] {
  const devices = idsFor(amounts.devices)
  insert(
    'devices',
    devices.map((id, n) => ({
      id,
      org_id: org,
      site_id: site,
      agent_id: randomUUID(),
      hostname: `${longText(200)}-${n % 7}-${n}`,
      display_name: n % 2 ? longText(250) : null,
      last_user: longText(250),
      os_type: ['windows', 'linux', 'macos'][n % 3] ?? null,
      status: n % 40 === 0 ? 'decommissioned' : n % 40 === 1 ? 'quarantined' : n % 2 ? 'online' : 'offline',
      enrolled_at: minutesAgo(n),
      last_seen_at: minutesAgo(n % 600),
      tags: JSON.stringify(many(n % 50 ? 2 : 100, (tag) => `${longText(90)}${tag}`)),
      custom_fields: n % 40 === 2 ? manyFields : JSON.stringify({ note: longText(n % 100 ? 100 : 15_000) }),
      ...stamps,
    })),
  )
  insert(
    'device_hardware',
    devices.map((device_id) => ({
      device_id,
      cpu_model: longText(200),
      cpu_cores: 8,
      serial_number: longText(250),
      manufacturer: longText(250),
      model: longText(250),
      updated_at: minutesAgo(1),
    })),
  )
  return devices
}

/** Of one device all that it may tell. */
function fillReports(insert: Insert, device_id: string): void {
  insert(
    'device_software',
    many(amounts.software, (position) => ({
      device_id,
      report: 1,
      name: `${longText(position % 2 ? 480 : 60)}${position}${position % 3 ? '' : ' Ω'}`,
      version: '1.0',
      position,
      vendor: longText(position % 2 ? 250 : 20),
      install_location: longText(100),
    })),
  )
  const reports = {
    software: 1,
    network: many(500, (n) => ({
      interfaceName: longText(250),
      ipAddress: `10.1.2.${n % 250}`,
      macAddress: '02:42:ac:11:00:02',
      ipType: 'ipv4',
      isPrimary: false,
    })),
    disks: many(100, () => ({
      mountPoint: longText(900),
      device: longText(900),
      fsType: 'ext4',
      totalGb: 1,
      usedGb: 1,
      freeGb: 1,
      usedPercent: 1,
      health: 'ok',
    })),
    connections: many(10_000, (n) => ({
      protocol: 'tcp',
      localAddr: '10.0.0.1',
      localPort: n,
      remoteAddr: '10.0.0.2',
      remotePort: 443,
      state: 'ESTABLISHED',
      pid: n,
      processName: longText(200),
    })),
    vpns: many(100, () => ({
      provider: 'x',
      active: true,
      interfaceName: longText(250),
      ipv4: null,
      ipv6: null,
      dnsName: longText(250),
      detectionSource: 'x',
    })),
  }
  insert(
    'device_reports',
    Object.entries(reports).map(([kind, content]) => ({
      device_id,
      kind,
      content: JSON.stringify(content),
      content_hash: randomUUID(),
      reported_at: minutesAgo(5),
    })),
  )
}

/** A month of metrics of one device, and its commands: scripts with long output. */
function fillHistory(db: Database, insert: Insert, { device, command }: Ids): void {
  insert(
    'device_metrics',
    many(30 * 24 * 60 - 5, (n) => ({
      device_id: device,
      at: began - n * 60_000,
      cpu: n % 100,
      ram: 2.25,
      ram_used_mb: 3,
      disk: 4.5,
      disk_used_gb: 5,
      disk_read_bytes: n,
      disk_write_bytes: n,
      network_in: n,
      network_out: n,
      process_count: 7,
    })),
  )
  const script = (n: number) => ({
    language: 'bash',
    content: 'x'.repeat(n < 100 ? 250_000 : 2000),
    timeoutSeconds: 300,
  })
  insert(
    'device_commands',
    many(amounts.others, (n) => ({
      id: randomUUIDv7(),
      device_id: device,
      type: 'script',
      payload: toJson(script(n)),
      status: 'completed',
      created_at: minutesAgo(n),
      completed_at: minutesAgo(n),
      result: JSON.stringify({ status: 'completed', exitCode: 0, stdout: 'x'.repeat(4000) }),
    })),
  )
  db.statement(`UPDATE device_commands SET result = '{"status":"completed"}' WHERE id = ?`).run(command)
  const output = 'a line of output\n'.repeat(290_000)
  insert('device_command_outputs', [{ command_id: command, device_id: device, stdout: output, stderr: output }])
}

function fillPlaces(insert: Insert, { org, partner }: Ids) {
  const organizations = idsFor(amounts.organizations)
  const organizationNames = organizations.map((_, n) => called(n))
  const sites = idsFor(amounts.sites)
  insert(
    'organizations',
    organizations.map((id, n) => ({
      id,
      partner_id: partner,
      name: called(n),
      slug: `large-${n}`,
      settings: n < 300 ? manyFields : '{}',
      ...stamps,
    })),
  )
  insert(
    'sites',
    organizations.map((org_id, n) => ({ id: randomUUIDv7(), org_id, name: called(n), ...stamps })),
  )
  insert(
    'sites',
    sites.map((id, n) => ({ id, org_id: org, name: called(n), settings: n < 300 ? manyFields : null, ...stamps })),
  )
  return { organizations, organizationNames, sites }
}

function fillGroups(insert: Insert, { org }: Ids, devices: readonly string[]) {
  const [fullGroup = '', dynamicGroup = '', ...others] = idsFor(amounts.groups)
  const group = (id: string, n: number, more: Row = {}) => ({
    id,
    org_id: org,
    name: called(n),
    rules: n % 2 ? manyFields : JSON.stringify({ text: longText(2000) }),
    ...more,
    ...stamps,
  })
  const rule = { type: 'dynamic', filter_conditions: JSON.stringify(worstRule) }
  const fields = JSON.stringify(['software.installed', 'hostname', 'custom.note', 'tags'])
  insert('device_groups', [
    group(fullGroup, 0),
    group(dynamicGroup, 1, { ...rule, filter_fields_used: fields }),
    ...others.map((id, n) => group(id, n + 2)),
  ])
  const membersOf = (group_id: string, some: readonly string[]) =>
    insert(
      'device_group_members',
      some.map((device_id) => ({ group_id, device_id, added_by: 'manual', added_at: minutesAgo(3) })),
    )
  membersOf(fullGroup, devices)
  for (const id of others) membersOf(id, devices.slice(0, 250))
  insert(
    'device_group_log',
    devices.map((device_id) => ({
      group_id: fullGroup,
      device_id,
      action: 'added',
      reason: 'manual',
      created_at: minutesAgo(3),
    })),
  )
  return { fullGroup, dynamicGroup }
}

function fillContacts(insert: Insert, { org, site }: Ids): void {
  const contacts = idsFor(amounts.contacts)
  insert(
    'contacts',
    contacts.map((id, n) => ({
      id,
      org_id: org,
      site_id: n % 2 ? site : null,
      name: called(n),
      name_key: called(n),
      email: `person.${n}@acme.test`,
      roles: '["technical"]',
      notes: longText(5000),
      ...stamps,
    })),
  )
  insert(
    'contact_external_links',
    contacts.map((contact_id, n) => ({
      id: randomUUIDv7(),
      org_id: org,
      contact_id,
      system: 'psa',
      external_id: `${n}`,
      created_at: minutesAgo(1),
    })),
  )
}

/** Everybody is a member of the company and of its organization. */
function fillPeople(db: Database, insert: Insert, { org, partner, role }: Ids, userId: string): void {
  const people = idsFor(amounts.people)
  const viewer = db.statement(`SELECT id FROM roles WHERE name = 'Org Viewer'`).pluck().get() as string
  insert(
    'users',
    people.map((id, n) => ({ id, email: `person.${n}@large.test`, name: called(n), status: 'active', ...stamps })),
  )
  const membership = (user_id: string) => ({ id: randomUUIDv7(), user_id, created_at: minutesAgo(1) })
  insert(
    'partner_users',
    people.map((id) => ({ ...membership(id), partner_id: partner, role_id: role, org_access: 'all' })),
  )
  insert(
    'organization_users',
    people.map((id) => ({ ...membership(id), org_id: org, role_id: viewer })),
  )
  const roles = idsFor(amounts.roles)
  insert(
    'roles',
    roles.map((id, n) => ({
      id,
      partner_id: partner,
      scope: 'partner',
      name: `${longText(90)} ${n}`,
      description: longText(500),
      ...stamps,
    })),
  )
  const permissions = db.statement('SELECT id FROM permissions').pluck().all() as string[]
  insert(
    'role_permissions',
    roles.flatMap((role_id) => permissions.map((permission_id) => ({ role_id, permission_id }))),
  )
  const session = db.statement('SELECT * FROM sessions WHERE user_id = ?').get(userId) as Row
  insert(
    'sessions',
    many(amounts.others, () => ({ ...session, id: randomUUIDv7(), token_hash: randomUUID() })),
  )
}

function fillSettings(insert: Insert, { org, partner }: Ids, userId: string): void {
  const of = (n: number) => ({ id: randomUUIDv7(), org_id: org, name: called(n) })
  const all = <T>(make: (n: number) => T) => many(amounts.others, make)
  insert(
    'api_keys',
    all((n) => ({ ...of(n), key_hash: randomUUID(), key_prefix: 'svc_aaaaaaaa', created_by: userId, ...stamps })),
  )
  insert(
    'enrollment_keys',
    all((n) => ({ ...of(n), key: randomUUID(), created_at: minutesAgo(n) })),
  )
  insert(
    'psa_connections',
    all((n) => ({ ...of(n), provider: 'jira', ...stamps })),
  )
  insert(
    'sso_providers',
    all((n) => ({ ...of(n), type: 'oidc', attribute_mapping: toJson({}), ...stamps })),
  )
  insert(
    'sso_verified_domains',
    all((n) => ({
      id: randomUUIDv7(),
      org_id: org,
      domain: `d${n}.acme.test`,
      verification_token: randomUUID(),
      ...stamps,
    })),
  )
  insert(
    'partners',
    all((n) => ({
      id: randomUUIDv7(),
      name: called(n),
      slug: `large-${n}`,
      settings: JSON.stringify({ note: longText(5000) }),
      ...stamps,
    })),
  )
  insert(
    'tasks',
    all((n) => ({
      id: randomUUIDv7(),
      kind: 'mail.send',
      input: JSON.stringify({ kind: 'registration-attempted', to: `${n}@x.test`, data: { name: 'Bo' } }),
      state: 'failed',
      created_at: minutesAgo(n),
      finished_at: minutesAgo(n),
    })),
  )
  insert(
    'tasks',
    all((n) => ({
      id: `org-merge-${n}`,
      kind: 'organization.merge',
      org_id: randomUUID(),
      partner_id: partner,
      state: 'failed',
      error: 'performer_inactive',
      input: JSON.stringify({ survivorId: org }),
      created_at: minutesAgo(n),
      finished_at: minutesAgo(n),
    })),
  )
}

/** Chained and sealed as the appliance does, so that a check goes through all of them. */
function fillLog(db: Database, chains: AuditChains, { org, partner }: Ids, userId: string): void {
  for (const [org_id, share] of [
    [org, 2 / 3],
    [null, 1 / 3],
  ] as const) {
    const chain = chains.find({ org_id, partner_id: partner })
    if (!chain) throw new Error('nothing has happened there yet')
    let { head, head_seq } = chain
    const count = Math.floor(amounts.events * share)
    for (let n = count; n > 0; n--) {
      const row = eventOf(n, org_id, partner, userId)
      const checksum = eventChecksum(head, row)
      const link = q.insertInto('audit_logs').values({ ...row, prev_checksum: head, checksum })
      head_seq = db.write(link.returning('seq'))[0]?.seq ?? 0
      head = checksum
    }
    chains.save(chain, { head, head_seq, length: chain.length + count })
  }
}

const eventOf = (n: number, org_id: string | null, partner_id: string, userId: string): AuditRow => ({
  id: randomUUID(),
  org_id,
  partner_id,
  timestamp: minutesAgo(n),
  actor_type: 'user',
  actor_id: userId,
  actor_email: 'ada@acme.test',
  action: n % 50 ? 'device.update' : 'user.login',
  resource_type: 'device',
  resource_id: null,
  resource_name: `${longText(200)}-${n}`,
  details: toJson({ changedFields: ['displayName'], note: longText(n % 20 ? 300 : 4000) }),
  ip_address: '10.0.0.7',
  user_agent: longText(100),
  result: 'success',
  error_message: null,
  initiated_by: 'manual',
})
