import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

/** The restic that is installed on this machine; the agent and the appliance look for it in the same places. */

export interface ResticProgram {
  file: string
  version: string
}

/** The part of the environment that says where programs are. */
export interface ProgramEnvironment {
  RESTIC_PATH?: string | undefined
  PATH?: string | undefined
  ProgramFiles?: string | undefined
}

/** The oldest that is driven. */
export const oldestRestic = '0.14.0'

const execute = promisify(execFile)
export const resticFileName = process.platform === 'win32' ? 'restic.exe' : 'restic'

const usualFolders = (environment: ProgramEnvironment): string[] =>
  process.platform === 'win32'
    ? [join(environment.ProgramFiles ?? 'C:\\Program Files', 'restic')]
    : ['/usr/local/bin', '/usr/bin', '/opt/homebrew/bin', '/opt/restic']

function candidates(environment: ProgramEnvironment): string[] {
  // Who names one wants that and no other.
  if (environment.RESTIC_PATH) return [environment.RESTIC_PATH]
  // Never of the working directory, where anybody may have put one.
  const folders = (environment.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && folder !== '.')
  return [...folders, ...usualFolders(environment)].map((folder) => join(folder, resticFileName))
}

export async function findInstalledRestic(environment: ProgramEnvironment): Promise<ResticProgram | null> {
  for (const file of new Set(candidates(environment))) {
    if (!(await isProgram(file))) continue
    const version = await resticVersion(file)
    if (version) return { file, version }
  }
  return null
}

const isProgram = (file: string): Promise<boolean> =>
  access(file, constants.X_OK).then(
    () => true,
    () => false,
  )

/** Of a restic program, such as `0.14.0`; null when it is none, or too old. */
export async function resticVersion(file: string): Promise<string | null> {
  const env = { ...process.env, LC_ALL: 'C' }
  const said = await execute(file, ['version'], { env, timeout: 60_000, windowsHide: true }).catch(() => null)
  const version = /^restic (\d+\.\d+\.\d+)/.exec(said?.stdout ?? '')?.[1]
  return version && isAtLeast(version, oldestRestic.split('.').map(Number)) ? version : null
}

export function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (const [at, number] of wanted.entries()) {
    const part = parts[at] ?? 0
    if (part !== number) return part > number
  }
  return true
}
