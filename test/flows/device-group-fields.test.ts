import { expect, test } from 'vitest'
import { toJson } from '../../server/lib/json.ts'
import { previewGroupRule } from '../../shared/api/device-groups.ts'
import { type FilterField, filterFields } from '../../shared/device-filter.ts'
import { fakeDevice } from '../helpers/fake-device.ts'
import { setDevice } from '../helpers/rows.ts'
import { type Fleet, fleet, groupOf } from './group-kit.ts'

/** For each field an operator and a value that match the first device and no other. */
const onlyOfFirst = ({ site, one, app }: Fleet, groupId: string): Record<FilterField, [string, unknown?]> => ({
  hostname: ['equals', 'pc-1'],
  displayName: ['equals', 'till one'],
  status: ['equals', 'maintenance'],
  agentVersion: ['startsWith', '9.'],
  enrolledAt: ['before', '2001-01-01'],
  lastSeenAt: ['notWithinLast', { amount: 3, unit: 'days' }],
  tags: ['hasAll', ['till', 'ground floor']],
  deviceRole: ['equals', 'nas'],
  lastUser: ['equals', 'kim'],
  isHeadless: ['equals', true],
  uptimeSeconds: ['between', { from: 4242, to: 4242 }],
  watchdogStatus: ['equals', 'failing'],
  osType: ['equals', 'macos'],
  osVersion: ['endsWith', '26.1'],
  osBuild: ['equals', '25B78'],
  architecture: ['equals', 'riscv64'],
  'hardware.manufacturer': ['equals', 'Zilog'],
  'hardware.model': ['equals', 'System 8000'],
  'hardware.serialNumber': ['equals', 'SN-1'],
  'hardware.cpuModel': ['contains', 'z8001'],
  'hardware.cpuCores': ['equals', 3],
  'hardware.ramTotalMb': ['lessThan', 2],
  'hardware.diskTotalGb': ['greaterThanOrEquals', 77_000],
  'hardware.gpuModel': ['isNotNull'],
  'network.ipAddress': ['in', ['10.9.8.7']],
  'network.publicIp': ['equals', '198.51.100.7'],
  'network.macAddress': ['equals', 'aa:bb:cc:00:11:22'],
  'metrics.cpuPercent': ['greaterThan', 90],
  'metrics.ramPercent': ['greaterThan', 80],
  'metrics.diskPercent': ['greaterThan', 70],
  'software.installed': ['contains', 'office'],
  'software.notInstalled': ['contains', 'office'],
  'system.rebootRequired': ['equals', true],
  orgId: ['notEquals', one.deviceId],
  siteId: ['equals', site.id],
  groupId: ['in', [groupId]],
  daysSinceLastSeen: ['equals', Math.floor((app.clock.now() - longAgo) / 86_400_000)],
  daysSinceEnrolled: ['greaterThan', 9000],
})
const longAgo = Date.parse('2000-01-01T00:00:00.000Z')

test('every field that a rule may use is read from the device', async () => {
  const scene = await fleet()
  await using app = scene.app
  const { admin, org, branch, one, two } = scene
  setDevice(app, two.deviceId, { site_id: branch.id })
  const group = await groupOf(scene, { deviceIds: [one.deviceId] })
  const machine = fakeDevice(app, one)
  await machine.request('PUT', 'hardware', {
    manufacturer: 'Zilog',
    model: 'System 8000',
    serialNumber: 'SN-1',
    cpuModel: 'Zilog Z8001',
    cpuCores: 3,
    ramTotalMb: 1,
    diskTotalGb: 77_000,
    gpuModel: 'none to speak of',
  })
  const adapter = { interfaceName: 'eth0', macAddress: 'AA:BB:CC:00:11:22', ipAddress: '10.9.8.7', isPrimary: false }
  await machine.request('PUT', 'network', { adapters: [adapter] })
  await machine.request('PUT', 'software', { software: [{ name: 'LibreOffice', version: '7' }] })
  await machine.beat({
    metrics: { cpuPercent: 91, ramPercent: 81, ramUsedMb: 1, diskPercent: 71, diskUsedGb: 1 },
  })
  await app.app.telemetry.flush()
  const at = new Date(longAgo).toISOString()
  setDevice(app, one.deviceId, {
    display_name: 'Till One',
    status: 'maintenance',
    agent_version: '9.1.0',
    enrolled_at: at,
    last_seen_at: at,
    tags: toJson(['Till', 'Ground floor']),
    device_role: 'nas',
    last_user: 'kim',
    is_headless: 1,
    uptime_seconds: 4242,
    watchdog_status: 'failing',
    os_type: 'macos',
    os_version: 'macOS 26.1',
    os_build: '25B78',
    architecture: 'riscv64',
    wan_ip: '198.51.100.7',
    pending_reboot: 1,
  })

  const conditions = onlyOfFirst(scene, group.id)
  const found = async (field: string, [operator, value]: [string, unknown?]) => {
    const filterConditions = { operator: 'AND', conditions: [{ field, operator, value }] }
    const { body } = await app.call(previewGroupRule, { body: { orgId: org.id, filterConditions } }, admin)
    return body.data.devices.map(({ hostname }) => hostname).sort()
  }
  for (const field of Object.keys(filterFields) as FilterField[]) {
    const others = field === 'software.notInstalled' ? ['pc-2', 'srv-1'] : null
    const everybody = field === 'orgId' ? ['pc-1', 'pc-2', 'srv-1'] : null
    expect(await found(field, conditions[field]), field).toEqual(others ?? everybody ?? ['pc-1'])
  }
  expect(await found('orgId', ['equals', org.id])).toHaveLength(3)
})
