import { expect, test } from 'vitest'
import { lastOf } from './circumstances.ts'
import { toConnections } from './connections.ts'
import { toDisks } from './disks.ts'
import { totalGb } from './hardware.ts'
import { architecture, guessRole, platformOf } from './identity.ts'
import { cpuPercent, rates } from './metrics.ts'
import { currentAddresses, toAdapters } from './network.ts'
import { fact } from './text.ts'

const gb = 1024 ** 3
const volume = (fs: string, type: string, mount: string, size = 100 * gb) => ({
  fs,
  type,
  mount,
  size,
  used: size / 4,
  available: size / 2,
  use: 33.33,
})

test('placeholders of the firmware are no facts', () => {
  for (const filler of [
    '',
    ' - ',
    'To Be Filled By O.E.M.',
    'Default string',
    'Not Specified',
    '0000000',
    'N/A',
    undefined,
  ]) {
    expect(fact(filler)).toBeNull()
  }
  expect(fact(' PowerEdge R740 ')).toBe('PowerEdge R740')
  expect(fact('abcdef', 3)).toBe('abc')
})

test('disks: only volumes a person knows, each once', () => {
  const disks = toDisks(
    [
      volume('/dev/sda2', 'ext4', '/'),
      volume('/dev/sda2', 'ext4', '/var/lib/kubelet/pods/x'),
      volume('/dev/loop3', 'squashfs', '/snap/core/123'),
      volume('overlay', 'overlay', '/var/lib/docker/overlay2/x/merged'),
      volume('/dev/sdb1', 'xfs', '/srv'),
      volume('nas:/export', 'nfs4', '/mnt/nas'),
      volume('/dev/sr0', 'iso9660', '/media/cdrom'),
      volume('/dev/sdc1', 'vfat', '/media/empty', 0),
    ],
    [
      { device: '/dev/sda', smartStatus: 'Ok' },
      { device: '/dev/sdb', smartStatus: 'Predicted Failure' },
    ],
  )
  expect(disks.map(({ mountPoint, health }) => [mountPoint, health])).toEqual([
    ['/', 'healthy'],
    ['/srv', 'Predicted Failure'],
    ['/mnt/nas', null],
  ])
  expect(disks[0]).toMatchObject({ totalGb: 100, usedGb: 25, freeGb: 50, usedPercent: 33.33 })
})

test('disks: the root of a container counts though it is an overlay', () => {
  expect(toDisks([volume('overlay', 'overlay', '/')], [])).toHaveLength(1)
})

test('total capacity: disks if known, else each volume’s device once', () => {
  const volumes = [
    { fs: '/dev/sda1', size: 10 * gb },
    { fs: '/dev/sda1', size: 10 * gb },
    { fs: '/dev/sda2', size: 5 * gb },
  ]
  expect(totalGb([{ size: 500 * gb }, { size: 250 * gb }], volumes)).toBe(750)
  expect(totalGb([], volumes)).toBe(15)
  expect(totalGb([], [])).toBeNull()
})

test('adapters: one row per address, the first of the default adapter is primary, loopback is left out', () => {
  const base = { ip4: '', ip6: '', mac: '', internal: false, default: false }
  const rows = toAdapters([
    { ...base, iface: 'lo', ip4: '127.0.0.1', internal: true },
    { ...base, iface: 'eth0', ip4: '10.0.0.5', ip6: 'fd00::5', mac: '02:00:00:00:00:01', default: true },
    { ...base, iface: 'eth1', mac: '02:00:00:00:00:02' },
  ])
  expect(rows).toEqual([
    { interfaceName: 'eth0', macAddress: '02:00:00:00:00:01', ipAddress: '10.0.0.5', ipType: 'ipv4', isPrimary: true },
    { interfaceName: 'eth0', macAddress: '02:00:00:00:00:01', ipAddress: 'fd00::5', ipType: 'ipv6', isPrimary: false },
    { interfaceName: 'eth1', macAddress: '02:00:00:00:00:02', ipAddress: null, ipType: null, isPrimary: false },
  ])
})

test('current addresses: physical ones and IPv4 first, nothing link-local', () => {
  const at = (address: string, family: 'IPv4' | 'IPv6', internal = false) =>
    ({ address, family, internal, mac: '02:00:00:00:00:01', netmask: '', cidr: null }) as never
  const found = currentAddresses({
    lo: [at('127.0.0.1', 'IPv4', true)],
    docker0: [at('172.17.0.1', 'IPv4')],
    eth0: [at('fe80::1', 'IPv6'), at('fd00::5', 'IPv6'), at('10.0.0.5', 'IPv4')],
  })
  expect(found.map(({ ipAddress }) => ipAddress)).toEqual(['10.0.0.5', 'fd00::5', '172.17.0.1'])
})

test('connections: ports as numbers, a star as none', () => {
  const [row] = toConnections([
    {
      protocol: 'TCP',
      localAddress: '0.0.0.0',
      localPort: '22',
      peerAddress: '0.0.0.0',
      peerPort: '*',
      state: 'LISTEN',
      pid: 0,
      process: '',
    },
  ])
  expect(row).toMatchObject({ protocol: 'tcp', localPort: 22, remotePort: null, pid: null, processName: null })
})

test('rates per second; a counter that ran backwards gives zero', () => {
  const reading = (at: number, bytes: number) => ({
    at,
    disk: { readBytes: bytes, writeBytes: 0, readOps: bytes / 10, writeOps: 0 },
    network: { inBytes: bytes, outBytes: 1000 - bytes },
  })
  expect(rates(reading(0, 0), reading(2000, 500))).toEqual({
    diskReadBps: 250,
    diskWriteBps: 0,
    diskReadOps: 25,
    diskWriteOps: 0,
    bandwidthInBps: 250,
    bandwidthOutBps: 0,
  })
  expect(cpuPercent({ busy: 0, total: 0 }, { busy: 25, total: 100 })).toBe(25)
  expect(cpuPercent({ busy: 5, total: 10 }, { busy: 5, total: 10 })).toBe(0)
})

test('the last user is the one who signed in most recently', () => {
  const users = [
    { user: 'ann', date: '2026-11-20', time: '08:00' },
    { user: 'bob', date: '2026-11-21', time: '07:00' },
  ]
  expect(lastOf(users)).toBe('bob')
  expect(lastOf([])).toBeUndefined()
})

test('architecture, platform and device role have the names the server expects', () => {
  expect([architecture('x64'), architecture('arm64'), architecture('ia32')]).toEqual(['amd64', 'arm64', '386'])
  expect(['KVM', 'Hyper-V', 'VMware', 'VirtualBox', 'Docker', undefined].map(platformOf)).toEqual([
    'kvm',
    'hyperv',
    'vmware',
    'virtualbox',
    undefined,
    undefined,
  ])
  expect(guessRole({ osType: 'windows', osVersion: 'Microsoft Windows Server 2022', isHeadless: false })).toBe('server')
  expect(guessRole({ osType: 'windows', osVersion: 'Microsoft Windows 11 Pro', isHeadless: false })).toBe('workstation')
  expect(guessRole({ osType: 'linux', osVersion: 'Debian', isHeadless: true })).toBe('server')
})
