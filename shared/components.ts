import { z } from 'zod'
import { osType } from './device/inventory.ts'

/** Programs that agents need and the appliance delivers. */

export const componentName = z.enum(['restic'])
export type ComponentName = z.infer<typeof componentName>

/** Such as `0.18.0`. */
export const componentVersion = z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/)

const platformPattern = new RegExp(`^(?:${osType.options.join('|')})-[a-z0-9]{1,20}$`)
/** Operating system and architecture, in the words of the heartbeat: `linux-amd64`, `macos-arm64`. */
export const componentPlatform = z.string().regex(platformPattern)

export const platformOf = (os: string, architecture: string): string => `${os}-${architecture}`

/** Of versions such as `0.18.0`: negative when the first is the older one. */
export function compareVersions(one: string, other: string): number {
  const [ofOne, ofOther] = [one, other].map((version) => version.split('.').map(Number))
  for (const [at, number] of (ofOne ?? []).entries()) {
    const difference = number - (ofOther?.[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

export const isNewer = (version: string, than: string): boolean => compareVersions(version, than) > 0

/** For which restic is released, most wanted first. */
export const resticPlatforms = [
  'windows-amd64',
  'linux-amd64',
  'macos-arm64',
  'linux-arm64',
  'macos-amd64',
  'windows-386',
  'linux-386',
  'linux-arm',
  'linux-riscv64',
  'linux-ppc64le',
  'linux-s390x',
] as const
