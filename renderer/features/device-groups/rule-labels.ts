import {
  type FilterConditions,
  type FilterField,
  fieldValues,
  isNested,
  type Operator,
} from '../../../shared/device-filter.ts'
import { osNames } from '../../domain/devices/device-labels.ts'
import { deviceStatusNames } from '../../domain/devices/device-status-names.ts'

/** Field names in display order. `orgId` is left out, since a group belongs to one organization. */
export const fieldGroups: { group: string; fields: Partial<Record<FilterField, string>> }[] = [
  {
    group: 'Device',
    fields: {
      hostname: 'Hostname',
      displayName: 'Display name',
      deviceRole: 'Role',
      tags: 'Tags',
      siteId: 'Site',
      groupId: 'Group',
      status: 'Status',
      lastUser: 'Last user',
      isHeadless: 'Headless',
    },
  },
  {
    group: 'System',
    fields: {
      osType: 'Operating system',
      osVersion: 'OS version',
      osBuild: 'OS build',
      architecture: 'Architecture',
      agentVersion: 'Agent version',
      watchdogStatus: 'Watchdog',
      'system.rebootRequired': 'Restart pending',
      'software.installed': 'Installed software',
      'software.notInstalled': 'Software not installed',
    },
  },
  {
    group: 'Hardware',
    fields: {
      'hardware.manufacturer': 'Manufacturer',
      'hardware.model': 'Model',
      'hardware.serialNumber': 'Serial number',
      'hardware.cpuModel': 'Processor',
      'hardware.cpuCores': 'Processor cores',
      'hardware.ramTotalMb': 'Memory (MB)',
      'hardware.diskTotalGb': 'Disk space (GB)',
      'hardware.gpuModel': 'Graphics',
    },
  },
  {
    group: 'Network',
    fields: {
      'network.ipAddress': 'LAN IP address',
      'network.publicIp': 'Public IP address',
      'network.macAddress': 'MAC address',
    },
  },
  {
    group: 'Activity',
    fields: {
      'metrics.cpuPercent': 'CPU usage (%)',
      'metrics.ramPercent': 'Memory usage (%)',
      'metrics.diskPercent': 'Disk usage (%)',
      uptimeSeconds: 'Uptime (seconds)',
      lastSeenAt: 'Last seen',
      daysSinceLastSeen: 'Days since last seen',
      enrolledAt: 'Enrolled',
      daysSinceEnrolled: 'Days since enrolled',
    },
  },
]

const fieldWords = new Map(fieldGroups.flatMap(({ fields }) => Object.entries(fields)))
export const fieldName = (field: string): string =>
  fieldWords.get(field) ?? (field.startsWith('custom.') ? `Custom field ${field.slice(7)}` : field)

export const operatorNames: Record<Operator, string> = {
  equals: 'is',
  notEquals: 'is not',
  contains: 'contains',
  notContains: 'doesn’t contain',
  startsWith: 'starts with',
  endsWith: 'ends with',
  matches: 'matches the pattern',
  in: 'is one of',
  notIn: 'is none of',
  isNull: 'is unknown',
  isNotNull: 'is known',
  greaterThan: 'is more than',
  greaterThanOrEquals: 'is at least',
  lessThan: 'is less than',
  lessThanOrEquals: 'is at most',
  between: 'is between',
  before: 'is before',
  after: 'is after',
  withinLast: 'is within the last',
  notWithinLast: 'is older than',
  hasAny: 'has any of',
  hasAll: 'has all of',
  isEmpty: 'is empty',
  isNotEmpty: 'is not empty',
}

/** Other words by which a field is found. */
const aliases: Partial<Record<string, string>> = {
  osType: 'OS Windows macOS Linux',
  lastUser: 'Person signed in',
  'hardware.ramTotalMb': 'RAM',
  'hardware.cpuModel': 'CPU',
  'hardware.cpuCores': 'CPU',
  'hardware.gpuModel': 'GPU',
  'metrics.ramPercent': 'RAM',
  'system.rebootRequired': 'Reboot',
  'software.installed': 'Program application',
  'software.notInstalled': 'Program application missing',
}

/** Whether each word of the search begins a word for the field. */
export function isFieldFor(search: string, field: string): boolean {
  const words = `${fieldName(field)} ${aliases[field] ?? ''}`.toLowerCase().split(/[\s(]+/)
  const wanted = search.toLowerCase().split(/[\s(]+/)
  return wanted.every((one) => words.some((word) => word.startsWith(one)))
}

const names: Readonly<Record<string, string>> = { ...osNames, ...deviceStatusNames, iot: 'IoT', nas: 'NAS' }

/** One of the values that a field can have, as the rest of the console calls it. */
export function choiceName(field: string, value: string): string {
  if (!fieldValues(field)?.includes(value)) return value
  const text = names[value] ?? value.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

type Names = readonly { id: string; name: string }[]

/** A rule in one line; `names` are those of the sites and groups it may refer to. */
export function ruleText({ operator, conditions }: FilterConditions, names: Names = []): string {
  const words = conditions.map((one) =>
    isNested(one)
      ? `(${ruleText(one, names)})`
      : [fieldName(one.field), operatorNames[one.operator], valueWords(one.field, one.value, names)]
          .filter(Boolean)
          .join(' '),
  )
  return words.join(operator === 'AND' ? ' and ' : ' or ')
}

function valueWords(field: string, value: unknown, names: Names): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((one) => valueWords(field, one, names)).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return names.find(({ id }) => id === value)?.name ?? choiceName(field, String(value))
  const { from, to, amount, unit } = value as Record<string, unknown>
  return amount === undefined ? `${from} and ${to}` : `${amount} ${unit}`
}
