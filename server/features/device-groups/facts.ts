import type { Selectable } from 'kysely'
import type { Adapter } from '../../../shared/device/inventory.ts'
import { type FilterField, isFilterField } from '../../../shared/device-filter.ts'
import type { Database } from '../../db/database.ts'
import { fromJson, type JsonText } from '../../lib/json.ts'
import { day } from '../../platform/clock.ts'
import type { Tables } from '../../tables.ts'
import { Software, type SoftwareAsked } from './software.ts'

/** The columns read for every device; everything else is read when a rule asks for it. */
const columns = [
  'id',
  'org_id',
  'site_id',
  'status',
  'hostname',
  'display_name',
  'agent_version',
  'enrolled_at',
  'last_seen_at',
  'tags',
  'custom_fields',
  'device_role',
  'last_user',
  'is_headless',
  'uptime_seconds',
  'watchdog_status',
  'os_type',
  'os_version',
  'os_build',
  'architecture',
  'lan_ip',
  'wan_ip',
  'cpu_percent',
  'ram_percent',
  'pending_reboot',
] as const
const hardwareColumns = [
  'manufacturer',
  'model',
  'serial_number',
  'cpu_model',
  'cpu_cores',
  'ram_total_mb',
  'disk_total_gb',
  'gpu_model',
] as const

type Hardware = Record<(typeof hardwareColumns)[number], string | number | null>
export type DeviceFactsRow = Pick<Selectable<Tables['devices']>, (typeof columns)[number]> & Hardware

const selectRows = `SELECT ${[...columns.map((column) => `devices.${column}`), ...hardwareColumns].join(', ')}
  FROM devices LEFT JOIN device_hardware ON device_hardware.device_id = devices.id`

/** Those of these devices, by the numbers of their rows, that are in the organization and fit `also`. */
export function readRows(
  db: Database,
  orgId: string,
  seqs: readonly number[],
  also: { sql: string; parameters: readonly unknown[] } = { sql: '1', parameters: [] },
): DeviceFactsRow[] {
  return db
    .statement<DeviceFactsRow>(
      `${selectRows} WHERE devices.seq IN (SELECT value FROM json_each(?)) AND +devices.org_id = ? AND ${also.sql}`,
    )
    .all(JSON.stringify(seqs), orgId, ...also.parameters)
}

const readers: Record<FilterField, (facts: Facts, row: DeviceFactsRow) => unknown> = {
  hostname: (_, row) => row.hostname,
  displayName: (_, row) => row.display_name,
  status: (_, row) => row.status,
  agentVersion: (_, row) => row.agent_version,
  enrolledAt: (_, row) => row.enrolled_at,
  lastSeenAt: (_, row) => row.last_seen_at,
  tags: (_, row) => fromJson(row.tags),
  deviceRole: (_, row) => row.device_role,
  lastUser: (_, row) => row.last_user,
  isHeadless: (_, row) => flag(row.is_headless),
  uptimeSeconds: (_, row) => row.uptime_seconds,
  watchdogStatus: (_, row) => row.watchdog_status,
  osType: (_, row) => row.os_type,
  osVersion: (_, row) => row.os_version,
  osBuild: (_, row) => row.os_build,
  architecture: (_, row) => row.architecture,
  'hardware.manufacturer': (_, row) => row.manufacturer,
  'hardware.model': (_, row) => row.model,
  'hardware.serialNumber': (_, row) => row.serial_number,
  'hardware.cpuModel': (_, row) => row.cpu_model,
  'hardware.cpuCores': (_, row) => row.cpu_cores,
  'hardware.ramTotalMb': (_, row) => row.ram_total_mb,
  'hardware.diskTotalGb': (_, row) => row.disk_total_gb,
  'hardware.gpuModel': (_, row) => row.gpu_model,
  'network.ipAddress': (facts, row) => [row.lan_ip, ...facts.adapters.map(({ ipAddress }) => ipAddress)],
  'network.publicIp': (_, row) => row.wan_ip,
  'network.macAddress': (facts) => facts.adapters.map(({ macAddress }) => macAddress),
  'metrics.cpuPercent': (_, row) => row.cpu_percent,
  'metrics.ramPercent': (_, row) => row.ram_percent,
  'metrics.diskPercent': (facts) => facts.disk,
  // Too much to be read as a whole: rules ask `software`.
  'software.installed': () => null,
  'software.notInstalled': () => null,
  'system.rebootRequired': (_, row) => flag(row.pending_reboot),
  orgId: (_, row) => row.org_id,
  siteId: (_, row) => row.site_id,
  groupId: (facts) => facts.groups,
  daysSinceLastSeen: (facts, row) => facts.daysSince(row.last_seen_at),
  daysSinceEnrolled: (facts, row) => facts.daysSince(row.enrolled_at),
}

const flag = (value: 0 | 1 | null) => (value === null ? null : value === 1)

/** What rules know of one device: each fact is read once, when the first condition asks for it. */
export class Facts {
  readonly software: Software
  readonly #db: Database
  readonly #row: DeviceFactsRow
  readonly #now: number
  readonly #known = new Map<string, unknown>()
  readonly #texts = new Map<string, readonly string[]>()

  constructor(db: Database, row: DeviceFactsRow, asked: SoftwareAsked, now: number) {
    this.#db = db
    this.#row = row
    this.#now = now
    this.software = new Software(db, row.id, asked)
  }

  read(field: string): unknown {
    if (!this.#known.has(field)) this.#known.set(field, this.#find(field))
    return this.#known.get(field)
  }

  /** Of a fact that is one text or several: all there are, in small letters. */
  texts(field: string): readonly string[] {
    let texts = this.#texts.get(field)
    if (!texts) {
      texts = smallTexts(this.read(field))
      this.#texts.set(field, texts)
    }
    return texts
  }

  get adapters(): readonly Adapter[] {
    const content = this.#one<JsonText<Adapter[]>>(
      `SELECT content FROM device_reports WHERE device_id = ? AND kind = 'network'`,
    )
    return content === undefined ? [] : fromJson(content)
  }

  get disk(): unknown {
    return this.#one('SELECT disk FROM device_metrics WHERE device_id = ? ORDER BY at DESC LIMIT 1') ?? null
  }

  /** Static groups only: rules that refer to each other might never settle. */
  get groups(): readonly string[] {
    return this.#db
      .statement<string>(
        `SELECT group_id FROM device_group_members JOIN device_groups ON device_groups.id = group_id
         WHERE device_id = ? AND type = 'static'`,
      )
      .pluck()
      .all(this.#row.id)
  }

  daysSince(instant: string | null): number | null {
    return instant === null ? null : Math.floor((this.#now - Date.parse(instant)) / day)
  }

  #find(field: string): unknown {
    if (isFilterField(field)) return readers[field](this, this.#row)
    const name = field.slice('custom.'.length)
    this.#custom ??= fromJson(this.#row.custom_fields)
    return Object.hasOwn(this.#custom, name) ? this.#custom[name] : null
  }
  #custom: Record<string, unknown> | null = null

  #one<Value>(statement: string): Value | undefined {
    return this.#db.statement<Value>(statement).pluck().get(this.#row.id)
  }
}

export const smallTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((one) =>
    one === null || one === undefined || one === '' ? [] : [String(one).toLowerCase()],
  )
