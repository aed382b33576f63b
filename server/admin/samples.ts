import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { buildApp } from '../app.ts'
import { type Config, loadConfig } from '../config/config.ts'
import type { Database } from '../db/database.ts'
import { openData } from '../db/open-data.ts'
import { q } from '../db/query.ts'
import { hour, minute, systemClock } from '../platform/clock.ts'
import { silentLog } from '../platform/log.ts'
import { openSecrets } from '../platform/secrets.ts'

/** A sample company, made through the API like a real one; only the past of its metrics is written directly. */

export const sampleAdmin = { email: 'admin@homeport.test', password: 'Lantern-dev-42' }

const companies = [
  { name: 'Berlin office', slug: 'berlin-office', timezone: 'Europe/Berlin', sites: ['Headquarters', 'Warehouse'] },
  { name: 'Lisbon office', slug: 'lisbon-office', timezone: 'Europe/Lisbon', sites: ['Chiado'] },
  { name: 'Research lab', slug: 'research-lab', timezone: 'UTC', sites: ['Clean room', 'Server room'] },
]
const machines = [
  {
    osType: 'windows',
    osVersion: 'Windows 11 Pro 24H2',
    role: 'workstation',
    model: 'Latitude 7450',
    manufacturer: 'Dell Inc.',
  },
  {
    osType: 'windows',
    osVersion: 'Windows Server 2025',
    role: 'server',
    model: 'PowerEdge R660',
    manufacturer: 'Dell Inc.',
  },
  { osType: 'macos', osVersion: 'macOS 15.6', role: 'workstation', model: 'MacBook Air M4', manufacturer: 'Apple' },
  {
    osType: 'linux',
    osVersion: 'Ubuntu 24.04.3 LTS',
    role: 'server',
    model: 'ThinkSystem SR630',
    manufacturer: 'Lenovo',
  },
] as const
const software = [
  '7-Zip',
  'Firefox',
  'Git',
  'LibreOffice',
  'Node.js',
  'OpenSSH',
  'PowerShell',
  'Python',
  'Thunderbird',
  'VLC',
]

type Send = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object, token?: string) => Promise<unknown>

/** What is needed of the answers. */
const answers = {
  bootstrap: z.object({ tokens: z.object({ accessToken: z.string() }) }),
  created: z.object({ id: z.string() }),
  key: z.object({ key: z.string() }),
  enrolled: z.object({ agentId: z.string(), authToken: z.string(), deviceId: z.string() }),
}

export async function seedSamples(config: Config): Promise<string> {
  const db = openData(config)
  const wide = {
    HOMEPORT_LIMIT_GLOBAL: '0/60',
    HOMEPORT_LIMIT_ENROLLMENT_IP: '0/60',
    HOMEPORT_LIMIT_ENROLLMENT_KEY_CREATE: '0/60',
  }
  const relaxed = { ...config, limits: loadConfig(wide).limits }
  const secrets = openSecrets(config.dataDir, config.secrets)
  const app = await buildApp({
    config: relaxed,
    db,
    clock: systemClock,
    log: silentLog(),
    secrets,
    tls: null,
    version: '0.0.0',
    distDir: config.dataDir,
  })
  try {
    if (!app.bootstrap.isNeeded()) return 'There is already a company; nothing was added.'
    app.bootstrap.setupCode()
    const count = await seed(sender(app.fastify), db, config.dataDir)
    await app.telemetry.flush()
    return `Added ${count} sample devices. Sign in as ${sampleAdmin.email} with ${sampleAdmin.password}`
  } finally {
    await app.stop()
    db.close()
  }
}

function sender(app: FastifyInstance): Send {
  return async (method, path, body, token) => {
    const response = await app.inject({
      method,
      url: `/api/v1${path}`,
      headers: { ...(token && { authorization: `Bearer ${token}` }) },
      ...(body && { payload: body }),
    })
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.body}`)
    return response.json()
  }
}

async function seed(send: Send, db: Database, dataDir: string): Promise<number> {
  const setupCode = readFileSync(join(dataDir, 'setup-code'), 'utf8').trim()
  const first = await send('POST', '/system/bootstrap', {
    ...sampleAdmin,
    setupCode,
    companyName: 'Northwind Traders',
    name: 'Alex Admin',
  })
  const { accessToken } = answers.bootstrap.parse(first).tokens
  await send('POST', '/system/setup-complete', undefined, accessToken)
  let count = 0
  for (const { sites, timezone, ...company } of companies) {
    const org = answers.created.parse(await send('POST', '/orgs/organizations', company, accessToken))
    for (const name of sites) {
      const site = answers.created.parse(
        await send('POST', '/orgs/sites', { orgId: org.id, name, timezone }, accessToken),
      )
      const newKey = { orgId: org.id, siteId: site.id, name: `${name} roll-out`, maxUsage: 20 }
      const { key } = answers.key.parse(await send('POST', '/enrollment-keys', newKey, accessToken))
      for (let n = 0; n < 8; n++) await enrollSample(send, db, key, count++)
    }
  }
  return count
}

async function enrollSample(send: Send, db: Database, enrollmentKey: string, n: number): Promise<void> {
  const machine = machines[n % machines.length] ?? machines[0]
  const hardware = hardwareOf(machine, n)
  const enrolled = answers.enrolled.parse(
    await send('POST', '/agents/enroll', {
      enrollmentKey,
      hostname: hostnameOf(machine, n),
      osType: machine.osType,
      osVersion: machine.osVersion,
      architecture: machine.osType === 'macos' ? 'arm64' : 'amd64',
      agentVersion: '0.1.0',
      deviceRole: machine.role,
      hardwareInfo: hardware,
    }),
  )
  const { agentId, authToken, deviceId } = enrolled
  for (const [part, body] of Object.entries(inventoryOf(n)))
    await send('PUT', `/agents/${agentId}/${part}`, body, authToken)
  await send('PUT', `/agents/${agentId}/hardware`, hardware, authToken)
  if (!hasLeft(n)) await send('POST', `/agents/${agentId}/heartbeat`, heartbeatOf(n, hardware.ramTotalMb), authToken)
  writePast(db, deviceId, n)
}

type Machine = (typeof machines)[number]

function hostnameOf(machine: Machine, n: number): string {
  const prefix = machine.role === 'server' ? 'srv' : machine.osType === 'macos' ? 'mac' : 'pc'
  return `${prefix}-${String(n + 1).padStart(3, '0')}`
}

function hardwareOf(machine: Machine, n: number) {
  return {
    cpuModel: machine.osType === 'macos' ? 'Apple M4' : 'Intel Core Ultra 7 155U',
    cpuCores: 12,
    cpuThreads: 14,
    ramTotalMb: machine.role === 'server' ? 131_072 : 32_768,
    diskTotalGb: 953.9,
    serialNumber: `SN${100_000 + n * 37}`,
    manufacturer: machine.manufacturer,
    model: machine.model,
  }
}

/** What the device reports beside its hardware, by the last part of the address. */
const inventoryOf = (n: number) => ({
  software: { software: software.map((name, i) => ({ name, version: `${i + 1}.${n % 7}.0`, vendor: 'Sample' })) },
  disks: {
    disks: [
      {
        mountPoint: '/',
        device: 'nvme0n1',
        fsType: 'ext4',
        totalGb: 953.9,
        usedGb: 312.4,
        freeGb: 641.5,
        usedPercent: 32.7,
      },
    ],
  },
  network: {
    adapters: [
      {
        interfaceName: 'eth0',
        macAddress: `02:00:00:00:00:${(n % 256).toString(16).padStart(2, '0')}`,
        ipAddress: `10.0.0.${n + 10}`,
        ipType: 'ipv4',
        isPrimary: true,
      },
    ],
  },
})

function heartbeatOf(n: number, ramTotalMb: number) {
  const load = past(n, Date.now())
  return {
    status: 'ok',
    agentVersion: '0.1.0',
    metrics: {
      cpuPercent: load.cpu,
      ramPercent: load.ram,
      ramUsedMb: Math.round((ramTotalMb * load.ram) / 100),
      diskPercent: 32.7,
      diskUsedGb: 312.4,
      bandwidthInBps: load.received,
      bandwidthOutBps: load.sent,
    },
    uptime: 86_400 + n * 3600,
    lastUser: ['ada', 'grace', 'linus'][n % 3],
  }
}

/** What sample device `n` was busy with at a time: its own rhythm, over the day. */
function past(n: number, at: number) {
  const wave = (Math.sin(at / hour + n) + 1) / 2
  const ripple = (Math.sin(at / (7 * minute) + n * 3) + 1) / 2
  const round = (value: number) => Math.round(value * 10) / 10
  return {
    cpu: round(4 + wave * 38 + ripple * 12),
    ram: round(34 + (n % 5) * 6 + wave * 16),
    received: Math.round((wave * 3 + ripple) * 1e6),
    sent: Math.round((wave + ripple / 2) * 1e6),
  }
}

/** Every seventh device left two hours ago. */
const hasLeft = (n: number) => n % 7 === 6

/** A day of metrics in steps of five minutes. */
function writePast(db: Database, deviceId: string, n: number): void {
  const insert = db.statement(
    `INSERT INTO device_metrics (device_id, at, cpu, ram, ram_used_mb, disk, disk_used_gb, bandwidth_in_bps, bandwidth_out_bps)
     VALUES (?, ?, ?, ?, 12000, 32.7, 312.4, ?, ?)`,
  )
  const end = Date.now() - (hasLeft(n) ? 2 * hour : 2 * minute)
  db.transaction(() => {
    for (let at = end - 24 * hour; at < end; at += 5 * minute) {
      const { cpu, ram, received, sent } = past(n, at)
      insert.run(deviceId, at, cpu, ram, received, sent)
    }
    if (hasLeft(n)) {
      const changes = { status: 'offline', last_seen_at: new Date(end).toISOString() } as const
      db.run(q.updateTable('devices').set(changes).where('id', '=', deviceId))
    }
  })
}
