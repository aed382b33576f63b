import { existsSync, readdirSync } from 'node:fs'
import { release } from 'node:os'
import si from 'systeminformation'
import type { z } from 'zod'
import type { deviceRole, OsType, virtualizationPlatform } from '../../shared/device/inventory.ts'
import { fact } from './text.ts'

type VirtualizationPlatform = z.infer<typeof virtualizationPlatform>

/** What this machine is; does not change while the agent runs. */
export interface Identity {
  osType: OsType
  osVersion: string
  osBuild: string | undefined
  isVirtual: boolean
  virtualizationPlatform: VirtualizationPlatform | undefined
  isHeadless: boolean
}

export async function readIdentity(): Promise<Identity> {
  const [os, system] = await Promise.all([si.osInfo(), si.system()])
  return {
    osType: osType(),
    osVersion: osVersion(os),
    osBuild: fact(process.platform === 'linux' ? os.kernel : os.build, 100) ?? undefined,
    isVirtual: system.virtual,
    virtualizationPlatform: platformOf(system.virtualHost),
    isHeadless: process.platform === 'linux' && !hasDesktop(),
  }
}

export function osType(platform = process.platform): OsType {
  if (platform === 'win32') return 'windows'
  return platform === 'darwin' ? 'macos' : 'linux'
}

export function osVersion(os: Pick<si.Systeminformation.OsData, 'distro' | 'release' | 'codename'>): string {
  const parts =
    process.platform === 'linux' ? [os.distro, os.release, os.codename && `(${os.codename})`] : [os.distro, os.release]
  return fact(parts.filter((part) => part && part !== 'unknown').join(' ')) ?? release()
}

/** The names Go gives architectures, which the wire uses. */
export function architecture(arch: string = process.arch): string {
  return { x64: 'amd64', ia32: '386' }[arch] ?? arch
}

const platformNames: [RegExp, VirtualizationPlatform][] = [
  [/vmware/i, 'vmware'],
  [/hyper-?v|microsoft/i, 'hyperv'],
  [/virtual ?box/i, 'virtualbox'],
  [/kvm/i, 'kvm'],
  [/qemu/i, 'qemu'],
  [/xen/i, 'xen'],
  [/bochs/i, 'bochs'],
  [/parallels/i, 'parallels'],
]

export const platformOf = (host: string | undefined): VirtualizationPlatform | undefined =>
  platformNames.find(([pattern]) => host && pattern.test(host))?.[1]

const hasDesktop = () =>
  existsSync('/etc/systemd/system/display-manager.service') ||
  filesIn('/tmp/.X11-unix').some((name) => name.startsWith('X'))

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A first guess for the console; an administrator corrects it there. */
export function guessRole(identity: Pick<Identity, 'osType' | 'osVersion' | 'isHeadless'>): z.infer<typeof deviceRole> {
  const isServer = identity.isHeadless || (identity.osType === 'windows' && /server/i.test(identity.osVersion))
  return isServer ? 'server' : 'workstation'
}
