import { type ComponentName, platformOf } from '../../../../shared/components.ts'

/** A file of a release that holds a program. */
export interface ReleaseFile {
  name: string
  version: string
  platform: string
  packing: 'bz2' | 'zip'
}

export const sumsName = 'SHA256SUMS'
export const signatureName = 'SHA256SUMS.asc'

/** Their words for operating systems, and ours. */
const systems: Record<string, string> = { windows: 'windows', linux: 'linux', darwin: 'macos' }
const names =
  /^restic_(?<version>\d{1,6}\.\d{1,6}\.\d{1,6})_(?<system>[a-z]+)_(?<architecture>[a-z0-9]{1,20})\.(?<packing>bz2|zip)$/

/** Null for what is no program of a release, or one for a system without agents. */
export function releaseFileOf(name: string): ReleaseFile | null {
  const { version = '', system = '', architecture = '', packing } = names.exec(name)?.groups ?? {}
  const os = Object.hasOwn(systems, system) ? systems[system] : undefined
  if (!os || (packing !== 'bz2' && packing !== 'zip')) return null
  return { name, version, platform: platformOf(os, architecture), packing }
}

export function releaseFileName(version: string, platform: string): string {
  const [os = '', architecture = ''] = platform.split('-')
  const system = Object.keys(systems).find((theirs) => systems[theirs] === os) ?? os
  return `restic_${version}_${system}_${architecture}.${os === 'windows' ? 'zip' : 'bz2'}`
}

/** What the program is called in the store. */
export const programName = (component: ComponentName, platform: string): string =>
  platform.startsWith('windows-') ? `${component}.exe` : component
