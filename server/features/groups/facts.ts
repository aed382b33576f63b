import { type RawBuilder, sql } from 'kysely'
import type { Adapter } from '../../../shared/device/inventory.ts'
import type { FilterField } from '../../../shared/device-filter.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import { day } from '../../platform/clock.ts'

/** What the rules of groups know of a device. */
export interface Facts {
  id: string
  org_id: string
  site_id: string
  status: string
  read(field: string): unknown
}

type Row = ReturnType<typeof readRows>[number]

const listOf = (ids: readonly string[]) => sql`(select value from json_each(${JSON.stringify(ids)}))`
const isAbout = (ids: readonly string[], column: string): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} in ${listOf(ids)}`

const readRows = (db: Database, ids: readonly string[]) =>
  db.all(
    q
      .selectFrom('devices')
      .leftJoin('device_hardware as hardware', 'hardware.device_id', 'devices.id')
      .select([
        'devices.id',
        'devices.org_id',
        'devices.site_id',
        'devices.status',
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
        'manufacturer',
        'model',
        'serial_number',
        'cpu_model',
        'cpu_cores',
        'ram_total_mb',
        'disk_total_gb',
        'gpu_model',
      ])
      .where(isAbout(ids, 'devices.id')),
  )

/** Of each device the values of one kind. */
type Values<T> = ReadonlyMap<string, readonly T[]>

interface Sources {
  adapters: Values<Adapter>
  software: Values<string>
  groups: Values<string>
  disk: Values<number>
  now: number
}

const daysSince = (instant: string | null, now: number) =>
  instant === null ? null : Math.floor((now - Date.parse(instant)) / day)

const readers: Record<FilterField, (row: Row, sources: Sources) => unknown> = {
  hostname: (row) => row.hostname,
  displayName: (row) => row.display_name,
  status: (row) => row.status,
  agentVersion: (row) => row.agent_version,
  enrolledAt: (row) => row.enrolled_at,
  lastSeenAt: (row) => row.last_seen_at,
  tags: (row) => JSON.parse(row.tags),
  deviceRole: (row) => row.device_role,
  lastUser: (row) => row.last_user,
  isHeadless: (row) => flag(row.is_headless),
  uptimeSeconds: (row) => row.uptime_seconds,
  watchdogStatus: (row) => row.watchdog_status,
  osType: (row) => row.os_type,
  osVersion: (row) => row.os_version,
  osBuild: (row) => row.os_build,
  architecture: (row) => row.architecture,
  'hardware.manufacturer': (row) => row.manufacturer,
  'hardware.model': (row) => row.model,
  'hardware.serialNumber': (row) => row.serial_number,
  'hardware.cpuModel': (row) => row.cpu_model,
  'hardware.cpuCores': (row) => row.cpu_cores,
  'hardware.ramTotalMb': (row) => row.ram_total_mb,
  'hardware.diskTotalGb': (row) => row.disk_total_gb,
  'hardware.gpuModel': (row) => row.gpu_model,
  'network.ipAddress': (row, { adapters }) => [row.lan_ip, ...of(adapters, row).map(({ ipAddress }) => ipAddress)],
  'network.publicIp': (row) => row.wan_ip,
  'network.macAddress': (row, { adapters }) => of(adapters, row).map(({ macAddress }) => macAddress),
  'metrics.cpuPercent': (row) => row.cpu_percent,
  'metrics.ramPercent': (row) => row.ram_percent,
  'metrics.diskPercent': (row, { disk }) => of(disk, row)[0] ?? null,
  'software.installed': (row, { software }) => of(software, row),
  'software.notInstalled': (row, { software }) => of(software, row),
  'system.rebootRequired': (row) => flag(row.pending_reboot),
  orgId: (row) => row.org_id,
  siteId: (row) => row.site_id,
  groupId: (row, { groups }) => of(groups, row),
  daysSinceLastSeen: (row, { now }) => daysSince(row.last_seen_at, now),
  daysSinceEnrolled: (row, { now }) => daysSince(row.enrolled_at, now),
}

const flag = (value: 0 | 1 | null) => (value === null ? null : value === 1)
const of = <T>(values: Values<T>, { id }: Row): readonly T[] => values.get(id) ?? []

function customField({ custom_fields }: Row, name: string): unknown {
  const fields = JSON.parse(custom_fields) as Record<string, unknown>
  return Object.hasOwn(fields, name) ? fields[name] : null
}

/** Reads of these devices what rules on `fields` ask for, and no more. */
export function readFacts(db: Database, ids: readonly string[], fields: readonly string[], now: number): Facts[] {
  const asks = (prefix: string) => fields.some((field) => field.startsWith(prefix))
  const sources: Sources = {
    adapters: asks('network.') ? adaptersOf(db, ids) : new Map(),
    software: asks('software.') ? softwareOf(db, ids) : new Map(),
    groups: asks('groupId') ? staticGroupsOf(db, ids) : new Map(),
    disk: asks('metrics.diskPercent') ? diskOf(db, ids) : new Map(),
    now,
  }
  return readRows(db, ids).map((row) => ({
    id: row.id,
    org_id: row.org_id,
    site_id: row.site_id,
    status: row.status,
    read: (field) =>
      field.startsWith('custom.')
        ? customField(row, field.slice('custom.'.length))
        : readers[field as FilterField](row, sources),
  }))
}

function gathered<T>(rows: readonly { device_id: string; value: T }[]): Values<T> {
  const values = new Map<string, T[]>()
  for (const { device_id, value } of rows) {
    const known = values.get(device_id)
    if (known) known.push(value)
    else values.set(device_id, [value])
  }
  return values
}

function adaptersOf(db: Database, ids: readonly string[]): Values<Adapter> {
  const reports = db.all(
    q
      .selectFrom('device_reports')
      .select(['device_id', 'content'])
      .where('kind', '=', 'network')
      .where(isAbout(ids, 'device_id')),
  )
  return new Map(reports.map(({ device_id, content }) => [device_id, JSON.parse(content) as Adapter[]]))
}

const softwareOf = (db: Database, ids: readonly string[]) =>
  gathered(
    db.all(
      q
        .selectFrom('device_software')
        .innerJoin('device_reports', (join) =>
          join
            .onRef('device_reports.device_id', '=', 'device_software.device_id')
            .on('device_reports.kind', '=', 'software')
            // A report under way stands beside the one in force.
            .on(sql<boolean>`device_software.report = cast(device_reports.content as integer)`),
        )
        .select(['device_software.device_id', 'name as value'])
        .where(isAbout(ids, 'device_software.device_id')),
    ),
  )

/** Static ones only: between rules that look at each other there would be no end. */
const staticGroupsOf = (db: Database, ids: readonly string[]) =>
  gathered(
    db.all(
      q
        .selectFrom('device_group_members')
        .innerJoin('device_groups', 'device_groups.id', 'group_id')
        .select(['device_id', 'group_id as value'])
        .where('type', '=', 'static')
        .where(isAbout(ids, 'device_id')),
    ),
  )

const diskOf = (db: Database, ids: readonly string[]) =>
  gathered(
    db.all(
      q
        .selectFrom('device_metrics as metric')
        .select(['device_id', 'disk as value'])
        .where(isAbout(ids, 'device_id'))
        .where(sql<boolean>`at = (select max(at) from device_metrics where device_id = metric.device_id)`),
    ),
  )
