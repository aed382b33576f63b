import { randomUUIDv7 } from 'node:crypto'
import { Database } from '../server/db/database.ts'
import { q } from '../server/db/query.ts'
import { findBuiltInRole, seedRoles } from '../server/features/access/index.ts'
import { hashPassword } from '../server/features/authentication/index.ts'
import { sha256 } from '../server/platform/secrets.ts'

/** Companies full of devices, written straight into the tables: what takes agents a year is there in seconds. */

export const admin = { email: 'ada@bench.test', password: 'Correct1Horse' }

const cities = ['berlin', 'oslo', 'porto', 'lyon', 'turin', 'graz', 'gdansk', 'ghent', 'malaga', 'bergen']
const kinds = ['desktop', 'laptop', 'srv', 'kiosk', 'desktop', 'laptop', 'desktop', 'laptop', 'desktop', 'vm'] as const
const systems = [
  {
    os: 'windows',
    version: 'Microsoft Windows 11 Pro 24H2',
    build: '26100.4349',
    cpu: '13th Gen Intel(R) Core(TM) i5-1345U',
  },
  { os: 'windows', version: 'Microsoft Windows 11 Pro 24H2', build: '26100.4349', cpu: 'AMD Ryzen 7 PRO 7840U' },
  { os: 'macos', version: 'macOS 15.5', build: '24F74', cpu: 'Apple M3' },
  { os: 'linux', version: 'Debian GNU/Linux 13 (trixie)', build: '6.12.30', cpu: 'Intel(R) Xeon(R) E-2434' },
] as const
/** Of ten devices eight are there, one is off and one is being looked after. */
const statuses = [...Array<'online'>(8).fill('online'), 'offline', 'maintenance'] as const
const minute = 60_000

/** What the `n`th device was given when it enrolled; only the hash of its token is in the database. */
export const credentialsOf = (n: number) => ({ agentId: sha256(`agent ${n}`), token: `brz_${sha256(`token ${n}`)}` })

export interface Size {
  organizations: number
  devices: number
}

/** Opens a new appliance database with one company and its administrator. */
export async function newDatabase(file: string): Promise<Database> {
  const db = new Database({ file })
  db.migrate()
  const now = new Date().toISOString()
  seedRoles(db, now)
  const [partnerId, userId] = [randomUUIDv7(), randomUUIDv7()]
  const passwordHash = await hashPassword(admin.password)
  const stamps = { created_at: now, updated_at: now }
  const partner = {
    id: partnerId,
    name: 'Bench',
    slug: 'bench',
    status: 'active',
    plan: 'unlimited',
    ...stamps,
  } as const
  const roleId = findBuiltInRole(db, 'Partner Admin', 'partner') as string
  db.transaction(() => {
    db.run(q.insertInto('partners').values(partner))
    db.run(
      q.insertInto('users').values({
        id: userId,
        email: admin.email,
        name: 'Ada',
        password_hash: passwordHash,
        status: 'active',
        is_platform_admin: 1,
        ...stamps,
      }),
    )
    db.run(
      q.insertInto('partner_users').values({
        id: randomUUIDv7(),
        partner_id: partnerId,
        user_id: userId,
        role_id: roleId,
        org_access: 'all',
        created_at: now,
      }),
    )
  })
  return db
}

/** Adds organizations, each with a site, and devices in all of them until there are as many as wanted. */
export function grow(db: Database, wanted: Size): void {
  db.transaction(() => {
    addOrganizations(db, wanted.organizations)
    addDevices(db, wanted.devices)
  })
}

function addOrganizations(db: Database, wanted: number): void {
  const { id: partnerId } = db.first(q.selectFrom('partners').select('id')) as { id: string }
  const organization = db.statement(
    `INSERT INTO organizations (id, partner_id, name, slug, settings, created_at, updated_at) VALUES (?, ?, ?, ?, '{}', ?, ?)`,
  )
  const site = db.statement(
    'INSERT INTO sites (id, org_id, name, timezone, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  for (let n = count(db, 'organizations'); n < wanted; n++) {
    const id = randomUUIDv7()
    const at = ago(wanted - n)
    organization.run(id, partnerId, `${cities[n % 10]} office ${numbered(n)}`, `org-${n}`, at, at)
    site.run(randomUUIDv7(), id, 'Head office', 'Europe/Berlin', at, at)
  }
}

function addDevices(db: Database, wanted: number): void {
  const sites = db.all(q.selectFrom('sites').select(['id', 'org_id']).orderBy('created_at'))
  const columns = Object.keys(deviceColumns(0, { id: '', org_id: '' }))
  const device = db.statement(
    `INSERT INTO devices (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  )
  const hardware = db.statement(
    `INSERT INTO device_hardware (device_id, cpu_model, cpu_cores, cpu_threads, ram_total_mb, disk_total_gb, manufacturer, model, updated_at)
     VALUES (?, ?, 10, 12, 32768, 953.9, 'LENOVO', '21HD004RGE', ?)`,
  )
  for (let n = count(db, 'devices'); n < wanted; n++) {
    const row = deviceColumns(n, sites[siteOf(n, sites.length)] as (typeof sites)[number])
    device.run(row)
    hardware.run(row.id, systemOf(n).cpu, row.updated_at)
  }
}

/** One customer is large: it has every tenth device. */
const siteOf = (n: number, sites: number) => (n % 10 === 3 ? 0 : n % sites)

const systemOf = (n: number) => systems[Math.floor(n / 7) % systems.length] as (typeof systems)[number]

function deviceColumns(n: number, site: { id: string; org_id: string }) {
  const { agentId, token } = credentialsOf(n)
  const system = systemOf(n)
  const status = statuses[Math.floor(n / 3) % 10] as (typeof statuses)[number]
  const seen = status === 'offline' ? ago(60 + n) : new Date(Date.now() - (n % 60) * 1000).toISOString()
  return {
    id: randomUUIDv7(),
    org_id: site.org_id,
    site_id: site.id,
    agent_id: agentId,
    hostname: hostnameOf(n),
    os_type: system.os,
    os_version: system.version,
    os_build: system.build,
    architecture: 'amd64',
    agent_version: '0.1.0',
    device_role: kinds[n % 10] === 'srv' ? 'server' : 'workstation',
    status,
    enrolled_at: ago(10_000 + n),
    last_seen_at: seen,
    last_user: `user${n % 500}`,
    uptime_seconds: 86_400 + n,
    wan_ip: '127.0.0.1',
    lan_ip: `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
    tags: n % 4 === 0 ? '["managed"]' : '[]',
    cpu_percent: 12.5,
    ram_percent: 48.2,
    metrics_at: seen,
    agent_token_hash: sha256(token),
    token_issued_at: ago(10_000),
    created_at: ago(10_000 + n),
    updated_at: ago(100),
  }
}

const hostnameOf = (n: number) => `${kinds[n % 10]}-${cities[Math.floor(n / 10) % 10]}-${String(n).padStart(6, '0')}`

/** A device's last day as its agent reports it: one row of metrics a minute, and its network. */
export function addHistory(db: Database, deviceIds: readonly string[]): void {
  const metric = db.statement(
    `INSERT INTO device_metrics (device_id, at, cpu, ram, ram_used_mb, disk, disk_used_gb, disk_activity_available,
       disk_read_bytes, disk_write_bytes, network_in, network_out, bandwidth_in_bps, bandwidth_out_bps, process_count)
     VALUES (?, ?, ?, 48.2, 15800, 61.4, 585.2, 1, 1048576, 524288, 65536, 32768, 1200.5, 800.25, 312)`,
  )
  const network = db.statement(
    `INSERT INTO device_reports (device_id, kind, content, content_hash, reported_at) VALUES (?, 'network', ?, '', ?)`,
  )
  const adapters = JSON.stringify([
    { interfaceName: 'eth0', ipAddress: '10.0.0.7', ipType: 'ipv4', macAddress: '02:42:ac:11:00:02', isPrimary: true },
    { interfaceName: 'eth0', ipAddress: 'fe80::42:acff:fe11:2', ipType: 'ipv6', macAddress: '02:42:ac:11:00:02' },
  ])
  const now = Date.now()
  db.transaction(() => {
    for (const id of deviceIds) {
      network.run(id, adapters, new Date(now).toISOString())
      for (let back = 24 * 60; back > 0; back--) metric.run(id, now - back * minute, (back * 7) % 100)
    }
  })
}

/** The partner has sorted its organizations, the newest first, and put a few away. */
export function arrangeOrganizations(db: Database): void {
  db.transaction(() => {
    db.statement(
      `UPDATE organizations SET display_order = place.at FROM
         (SELECT id, row_number() OVER (ORDER BY created_at DESC, id) AS at FROM organizations) AS place
       WHERE place.id = organizations.id`,
    ).run()
    db.statement(
      `UPDATE organizations SET status = 'archived', archived_at = created_at WHERE id IN
         (SELECT id FROM organizations ORDER BY created_at LIMIT 5 OFFSET 20)`,
    ).run()
  })
}

/** Another company with one organization, while the appliance runs. */
export function addCompany(file: string): void {
  const db = new Database({ file })
  const [id, now] = [randomUUIDv7(), new Date().toISOString()]
  const stamps = { created_at: now, updated_at: now }
  db.transaction(() => {
    db.run(q.insertInto('partners').values({ id, name: 'Other', slug: 'other', status: 'active', ...stamps }))
    db.run(
      q.insertInto('organizations').values({ id: randomUUIDv7(), partner_id: id, name: 'Other', slug: 'o', ...stamps }),
    )
  })
  db.close()
}

const numbered = (n: number) => String(n).padStart(6, '0')

const ago = (minutes: number) => new Date(Date.now() - minutes * minute).toISOString()

const count = (db: Database, table: 'organizations' | 'devices') =>
  db.statement(`SELECT count(*) FROM ${table}`).pluck().get() as number
