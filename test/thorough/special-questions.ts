import type { Ids } from '../contract/kit.ts'
import { longText } from './largest.ts'

/** What a schema does not tell: ids there have to be, JSON that somebody looks into, and what belongs together. */

/** What there is of the company under test, beside one of everything. */
export interface Large extends Ids {
  devices: readonly string[]
  organizations: readonly string[]
  organizationNames: readonly string[]
  sites: readonly string[]
  /** Dynamic, with the worst rule. */
  dynamicGroup: string
  /** Static, with every device. */
  fullGroup: string
}

export interface Special {
  params?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
}

const software = (n: number) => ({
  field: 'software.installed',
  operator: 'contains',
  value: `${longText(900)}${n}`,
})
const pattern = (n: number) => ({
  field: 'hostname',
  operator: 'matches',
  value: `(a|aa)*${'[a-z]'.repeat(3)}[!?]${n}`,
})
const name = (n: number) => ({
  field: ['custom.note', 'tags', 'hostname'][n % 3],
  operator: 'contains',
  value: `${longText(300)}${n}`,
})
const many = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))

/** As many conditions of each kind as a rule may have, none of them true. */
export const worstRule = {
  operator: 'OR',
  conditions: [...many(20, software), ...many(20, pattern), ...many(60, name)],
}

/** As many whole names as fit into a rule; no index knows letters like these. */
const namesRule = {
  operator: 'OR',
  conditions: many(12, (k) => ({
    field: 'software.installed',
    operator: 'hasAny',
    value: many(500, (n) => `é${(k * 500 + n).toString(36)}`),
  })),
}

/** Compared with nearly each letter of what is searched. */
const hard = (letters: number) => `ab${'a'.repeat(letters)}`
const searchingRule = {
  operator: 'OR',
  conditions: [
    ...many(1, (n) => ({ field: 'software.installed', operator: 'contains', value: hard(400 + n) })),
    ...many(10, (n) => ({ field: 'custom.note', operator: 'contains', value: hard(900 + n) })),
  ],
}

const importRows = (ids: Large) =>
  many(1000, (n) => ({
    organization: ids.organizationNames[n % ids.organizationNames.length] ?? '',
    site: longText(240),
    name: `${longText(240)} ${n}`,
    email: `person.${n}@acme.test`,
    phone: '1'.repeat(60),
    title: longText(250),
    roles: many(16, () => 'technical'),
    externalId: `${longText(240)}${n}`,
    externalSystem: 'psa',
  }))

const installed = many(10_000, (n) => ({
  name: `${longText(200)} ${n}`,
  version: '1.0',
  vendor: longText(60),
  installDate: '2026-01-01',
  installLocation: longText(60),
  uninstallString: longText(40),
}))
const connections = many(10_000, (n) => ({
  protocol: 'tcp',
  localAddr: '10.0.0.1',
  localPort: n,
  remoteAddr: '10.0.0.2',
  remotePort: 443,
  state: 'ESTABLISHED',
  pid: n,
  processName: longText(200),
}))
const adapters = many(500, (n) => ({
  interfaceName: longText(250),
  macAddress: longText(60),
  ipAddress: `10.0.${n % 250}.1`,
  ipType: 'ipv4',
  isPrimary: false,
}))
const vpns = many(100, () => ({
  provider: longText(90),
  active: true,
  interfaceName: longText(250),
  dnsName: longText(250),
}))
const disks = many(100, () => ({
  mountPoint: longText(1000),
  device: longText(1000),
  fsType: longText(90),
  totalGb: 1,
}))
/** Each of them is another one. */
const longNames = Object.fromEntries(many(129_900, (n) => [`${longText(100)}${n}`, `${n}`]))
const output = `${'x'.repeat(79)}\n`.repeat(62_000)

export const specialQuestions: Record<string, (ids: Large) => Special[]> = {
  'device-groups.preview-rule': ({ org }) =>
    many(3, (n) => ({
      body: { orgId: org, filterConditions: [worstRule, namesRule, searchingRule][n] },
    })),
  'device-groups.preview': ({ dynamicGroup }) => [{ params: { id: dynamicGroup }, query: { limit: '100' } }],
  'device-groups.create': ({ org, devices }) => [
    { body: { orgId: org, name: 'Worst', type: 'dynamic', filterConditions: worstRule } },
    { body: { orgId: org, name: 'Whole', deviceIds: devices.slice(0, 10_000) } },
  ],
  'device-groups-legacy.create': ({ org, devices }) => [
    { body: { orgId: org, name: 'Whole', deviceIds: devices.slice(0, 10_000) } },
  ],
  'device-groups.update': ({ dynamicGroup }) => [
    { params: { id: dynamicGroup }, body: { filterConditions: worstRule } },
  ],
  'device-groups-legacy.update': ({ dynamicGroup }) => [
    { params: { id: dynamicGroup }, body: { filterConditions: worstRule } },
  ],
  'device-groups.devices': ({ fullGroup }) => [{ params: { id: fullGroup } }],
  'device-groups.membership-log': ({ fullGroup }) => [
    { params: { id: fullGroup }, query: { limit: '500', offset: '19000' } },
  ],
  'device-groups.add-devices': ({ group, devices }) => [
    { params: { id: group }, body: { deviceIds: devices.slice(0, 10_000) } },
  ],
  'device-groups-legacy.add-members': ({ olderGroup, devices }) => [
    { params: { id: olderGroup }, body: { deviceIds: devices.slice(0, 10_000) } },
  ],
  'device-groups-legacy.remove-members': ({ olderGroup, devices }) => [
    { params: { id: olderGroup }, body: { deviceIds: devices.slice(0, 10_000) } },
  ],
  'device-groups.list': ({ org }) => [{ query: { orgId: org, includeMemberships: 'true' } }],
  'devices.list': ({ fullGroup, organizations, sites }): Special[] => [
    { query: { page: '1', limit: '1000', groupIds: fullGroup, sort: 'hostname' } },
    { query: { page: '1', limit: '1000', orgIds: organizations.slice(0, 400).join(',') } },
    { query: { page: '1', limit: '1000', siteIds: sites.slice(0, 400).join(','), search: longText(100) } },
  ],
  'devices.metrics': ({ device }) => [
    { params: { id: device }, query: { range: '30d', interval: '1m' } },
    { params: { id: device }, query: { range: '30d', interval: '5m' } },
    { params: { id: device }, query: { range: '7d', interval: '1m' } },
  ],
  'audit-log.export': () => [{ body: { format: 'csv' } }, { body: { format: 'json', filters: { q: longText(100) } } }],
  'contacts.import-preview': (ids) => [{ body: { rows: importRows(ids) } }],
  'contacts.import': (ids) => [{ body: { rows: importRows(ids) } }],
  'organizations.order': ({ organizations }) => [{ body: { orderedIds: organizations.toReversed() } }],
  'organizations.merge-preview': ({ org, organizations }) => [
    { params: { id: org }, body: { survivorId: organizations[0] } },
  ],
  'agents.heartbeat': () => [
    { body: { status: 'ok', agentVersion: '1', battery: Object.fromEntries(many(129_900, (n) => [`${n}`, n])) } },
  ],
  'agents.upload-software': () => [{ body: { software: installed } }],
  'agents.upload-connections': () => [{ body: { connections } }],
  'agents.upload-network': () => [{ body: { adapters, vpns } }],
  'agents.upload-disks': () => [{ body: { disks } }],
  'agents.command-result': () => [
    { body: { status: 'completed', exitCode: 0, stdout: output, stderr: output } },
    ...[longNames, [','.repeat(16_000_000)]].map((result) => ({ body: { status: 'completed', result } })),
  ],
}
