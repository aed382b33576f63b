import { type FilterConditions, type FilterField, isNested, type Operator } from '../../../shared/device-filter.ts'

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
      osType: 'System',
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

type Names = readonly { id: string; name: string }[]

/** A rule in one line; `names` are those of the sites and groups it may refer to. */
export function ruleText({ operator, conditions }: FilterConditions, names: Names = []): string {
  const words = conditions.map((one) =>
    isNested(one)
      ? `(${ruleText(one, names)})`
      : [fieldName(one.field), operatorNames[one.operator], valueWords(one.value, names)].filter(Boolean).join(' '),
  )
  return words.join(operator === 'AND' ? ' and ' : ' or ')
}

function valueWords(value: unknown, names: Names): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map((one) => valueWords(one, names)).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'object') return names.find(({ id }) => id === value)?.name ?? String(value)
  const { from, to, amount, unit } = value as Record<string, unknown>
  return amount === undefined ? `${from} and ${to}` : `${amount} ${unit}`
}
