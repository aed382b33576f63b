import type { InstalledSoftware } from '../../shared/device/inventory.ts'
import { fact } from './text.ts'

type Known = Partial<Omit<InstalledSoftware, 'name' | 'version'>>

const software = (name: string, version: string | undefined, known: Known = {}): InstalledSoftware => ({
  name: name.slice(0, 500),
  version: fact(version),
  vendor: null,
  installDate: null,
  installLocation: null,
  uninstallString: null,
  ...known,
})

const rows = (output: string, separator: string | RegExp): string[][] =>
  output
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split(separator))

/** `status, name, version, maintainer` by tabs; only what is really installed, not what left its configuration. */
export const parseDpkg = (output: string): InstalledSoftware[] =>
  rows(output, '\t').flatMap(([status, name, version, maintainer]) =>
    status === 'installed' && name ? [software(name, version, { vendor: fact(withoutMail(maintainer)) })] : [],
  )

/** `name, version-release, vendor, seconds since 1970` by tabs. Keys of repositories appear as packages and are none. */
export const parseRpm = (output: string): InstalledSoftware[] =>
  rows(output, '\t').flatMap(([name, version, vendor, seconds]) =>
    name && name !== 'gpg-pubkey'
      ? [software(name, version, { vendor: fact(vendor === '(none)' ? null : vendor), installDate: dayOf(seconds) })]
      : [],
  )

/** `name-version-rN` a line; names contain hyphens and digits too. */
export const parseApk = (output: string): InstalledSoftware[] =>
  rows(output, '\n').flatMap(([line = '']) => {
    const [, name, version] = /^(.+)-(\d[^-\s]*-r\d+)\s*$/.exec(line) ?? []
    return name ? [software(name, version)] : []
  })

/** `name version` a line. */
export const parsePacman = (output: string): InstalledSoftware[] =>
  rows(output, ' ').flatMap(([name, version]) => (name ? [software(name, version)] : []))

const withoutMail = (maintainer: string | undefined) => maintainer?.replace(/\s*<[^>]*>\s*$/, '')

function dayOf(seconds: string | undefined): string | null {
  return /^\d+$/.test(seconds ?? '') ? new Date(Number(seconds) * 1000).toISOString().slice(0, 10) : null
}
