import { hour, minute } from '../../platform/clock.ts'

/** What the sample devices are, and what they report. */

const models = [
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

const modelOf = (n: number) => models[n % models.length] ?? models[0]

export function hostnameOf(n: number): string {
  const { role, osType } = modelOf(n)
  const prefix = role === 'server' ? 'srv' : osType === 'macos' ? 'mac' : 'pc'
  return `${prefix}-${String(n + 1).padStart(3, '0')}`
}

/** What device `n` says when it is enrolled. */
export function introductionOf(n: number) {
  const { osType, osVersion, role } = modelOf(n)
  return {
    hostname: hostnameOf(n),
    osType,
    osVersion,
    architecture: osType === 'macos' ? 'arm64' : 'amd64',
    agentVersion: '0.1.0',
    deviceRole: role,
    hardwareInfo: hardwareOf(n),
  }
}

export function hardwareOf(n: number) {
  const { osType, role, manufacturer, model } = modelOf(n)
  return {
    cpuModel: osType === 'macos' ? 'Apple M4' : 'Intel Core Ultra 7 155U',
    cpuCores: 12,
    cpuThreads: 14,
    ramTotalMb: role === 'server' ? 131_072 : 32_768,
    diskTotalGb: diskGb,
    serialNumber: `SN${100_000 + n * 37}`,
    manufacturer,
    model,
    gpuModel: null,
    motherboardManufacturer: manufacturer,
    motherboardProduct: null,
    motherboardVersion: null,
    biosVersion: '1.12.0',
    chassisType: role === 'server' ? 'Rack Mount Chassis' : 'Notebook',
  }
}

export const softwareOf = (n: number) =>
  software.map((name, i) => ({ name, version: `${i + 1}.${n % 7}.0`, vendor: 'Sample' }))

const diskGb = 953.9
/** The disk of one server is nearly full. */
const usedPercentOf = (n: number) => (n === 17 ? 94.2 : 32.7)
const usedGbOf = (n: number) => Math.round(usedPercentOf(n) * diskGb) / 100

export const disksOf = (n: number) => [
  {
    mountPoint: '/',
    device: 'nvme0n1',
    fsType: 'ext4',
    totalGb: diskGb,
    usedGb: usedGbOf(n),
    freeGb: Math.round((diskGb - usedGbOf(n)) * 10) / 10,
    usedPercent: usedPercentOf(n),
  },
]

export const adaptersOf = (n: number) => [
  {
    interfaceName: 'eth0',
    macAddress: `02:00:00:00:00:${(n % 256).toString(16).padStart(2, '0')}`,
    ipAddress: `10.0.0.${n + 10}`,
    ipType: 'ipv4',
    isPrimary: true,
  },
]

export const heartbeatOf = (n: number) => ({
  status: 'ok' as const,
  agentVersion: '0.1.0',
  metrics: metricsOf(n, Date.now()),
  pendingReboot: n === 4,
  uptime: 86_400 + n * 3600,
  lastUser: ['ada', 'grace', 'linus'][n % 3],
})

/** What device `n` was busy with at a time: its own rhythm, over the day. */
export function metricsOf(n: number, at: number) {
  const wave = (Math.sin(at / hour + n) + 1) / 2
  const ripple = (Math.sin(at / (7 * minute) + n * 3) + 1) / 2
  const ramPercent = tenths(34 + (n % 5) * 6 + wave * 16)
  return {
    cpuPercent: tenths(4 + wave * 38 + ripple * 12),
    ramPercent,
    ramUsedMb: Math.round((hardwareOf(n).ramTotalMb * ramPercent) / 100),
    diskPercent: usedPercentOf(n),
    diskUsedGb: usedGbOf(n),
    bandwidthInBps: Math.round((wave * 3 + ripple) * 1e6),
    bandwidthOutBps: Math.round((wave + ripple / 2) * 1e6),
  }
}

const tenths = (value: number) => Math.round(value * 10) / 10
